import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../core/error.ts';
import type { Config } from '../config.ts';
import type { Log } from '../logging.ts';
import type { Metrics } from '../metrics.ts';
import { isDatabaseOutage } from './outage.ts';

/** Where what happened to requests is written down. */
export interface RequestLogDeps {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly logRequests: Config['logRequests'];
}

/**
 * Makes the observer of answers: one line and one measurement each. The address is never logged, since it can carry
 * tokens and search terms: the route's pattern is.
 */
export function createRequestLog({ log, metrics, logRequests }: RequestLogDeps) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const { statusCode: status, elapsedTime } = reply;
    metrics.answered(request.method, route, status, elapsedTime / 1000);
    if (logRequests === 'none' || (logRequests === 'errors' && status < 400)) return;
    const ms = Math.round(elapsedTime * 10) / 10;
    const level = request.routeOptions.config?.chatty === true && status < 500 ? 'debug' : 'info';
    log[level]({ req: request.id, status, ms, key: request.caller?.keyId ?? undefined }, `${request.method} ${route}`);
  };
}

/** Whether the request was not let to the database at all. */
function isRefusal(error: unknown): boolean {
  return error instanceof PayError && error.code === 'unavailable';
}

/** How often an outage is told of while it lasts, in milliseconds. */
const outageEveryMs = 1_000;

/**
 * Makes the report of what went wrong on the service's side. Errors may quote data: the log redacts every line. While
 * the database is away every request fails alike, so that is told once a second with the number of requests.
 */
export function createErrorReport(log: Log) {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (error: unknown, request: FastifyRequest): void => {
    const err = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (!isDatabaseOutage(error) && !isRefusal(error)) {
      log.error({ err, req: request.id, route: request.routeOptions?.url }, 'a request failed');
      return;
    }
    untold++;
    if (performance.now() - toldAt < outageEveryMs) return;
    log.error({ reason: err instanceof Error ? err.message : String(err), requests: untold }, 'the database is away');
    toldAt = performance.now();
    untold = 0;
  };
}
