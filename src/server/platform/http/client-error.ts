import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { errorText } from './errors.ts';

/** Answers what is not even HTTP, or came too slowly: the framework never sees it. */
export function createClientErrorHandler(publicUrl: () => string) {
  return (failure: Error & { readonly code?: string }, socket: Socket): void => {
    if (failure.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = errorOf(failure.code);
    const requestId = newId('request');
    const body = errorText(error, requestId, publicUrl());
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    // Destroyed once sent, so that a client that goes on sending does not hold the connection open.
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  };
}

function errorOf(code: string | undefined): PayError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new PayError('request_timeout', 'The request took too long to arrive.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new PayError('malformed_request', 'The headers are larger than 16 KiB.');
  }
  return new PayError('malformed_request', 'This is not a valid HTTP request.');
}
