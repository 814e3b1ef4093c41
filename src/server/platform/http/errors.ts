import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../../api/schema.ts';
import { codeOf, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { isDatabaseOutage, isOldPlan } from '../db/outage.ts';

/** Body of an error answer. `publicUrl` has no slash at the end. */
export function errorBody(error: PayError, requestId: string, publicUrl: string): ErrorBody {
  const { type, code, message, param } = error;
  const errors = error.errors.length === 0 && param !== null ? [{ param, code, message }] : [...error.errors];
  const doc_url = `${publicUrl}/docs/errors/${code}`;
  return { error: { type, code, message, param, request_id: requestId, doc_url, errors } };
}

/** Errors of the framework, by its error code. */
const frameworkErrors: Readonly<Record<string, () => PayError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new PayError('body_too_large', 'The body is larger than this call allows.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_EMPTY_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new PayError('malformed_request', 'The length of the body differs from Content-Length.'),
  FST_ERR_BAD_URL: () => new PayError('malformed_request', 'The percent-encoding of the path is not valid.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new PayError('resource_missing', 'There is no object with this id.'),
};

function unsupportedMediaType(): PayError {
  return new PayError('unsupported_media_type', 'Send the body as JSON with Content-Type: application/json.');
}

function unavailable(error: unknown): PayError {
  const reason = isOldPlan(error) ? 'The service is being upgraded.' : 'The service cannot reach its database.';
  return new PayError('unavailable', `${reason} Nothing is lost; try again shortly.`, { retryAfterSeconds: 2 });
}

/** The error for the caller. An unknown error becomes `internal_error` without details. */
function toPayError(error: unknown): PayError {
  if (error instanceof PayError) return error;
  const known = frameworkErrors[codeOf(error)];
  if (known !== undefined) return known();
  if (isDatabaseOutage(error)) return unavailable(error);
  const message = 'Something went wrong on our side. Quote the request id when you ask about it.';
  return new PayError('internal_error', message, { cause: error });
}

/** Dependencies of the error handler. `report` gets every error with status 500 or higher. */
export interface ErrorDeps {
  readonly publicUrl: () => string;
  readonly report: (error: unknown, request: FastifyRequest) => void;
}

/** Creates the error handler of all routes. Page routes may handle some errors before this. */
export function createErrorHandler(deps: ErrorDeps) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // A client that disconnects before its request has arrived is not a fault of the service.
    const hasHungUp = request.raw.destroyed && !request.raw.complete;
    const error = hasHungUp
      ? new PayError('malformed_request', 'The request ended before it was complete.')
      : toPayError(thrown);
    request.refusal = { code: error.code, param: error.param };
    if (error.status >= 500) deps.report(thrown, request);
    if (error.retryAfterSeconds !== null) reply.header('retry-after', String(Math.ceil(error.retryAfterSeconds)));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    reply
      .code(error.status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error, request.id, deps.publicUrl())));
  };
}

/** Responds to invalid HTTP and slow requests, which never reach the framework. */
export function createClientErrorHandler(publicUrl: () => string) {
  return (failure: Error & { readonly code?: string }, socket: Socket): void => {
    if (failure.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = errorOf(failure.code);
    const requestId = newId('request');
    const body = JSON.stringify(errorBody(error, requestId, publicUrl()));
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    // Destroys the socket after the response. Otherwise a client that keeps sending would hold the connection open.
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  };
}

function errorOf(code: string | undefined): PayError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PayError('request_timeout', 'The request took too long to arrive.');
  if (code === 'HPE_HEADER_OVERFLOW') return new PayError('malformed_request', 'The headers are larger than 16 KiB.');
  return new PayError('malformed_request', 'This is not a valid HTTP request.');
}
