import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { isDatabaseOutage, isOldPlan } from '../db/outage.ts';
import type { Log } from '../logging.ts';
import type { Metrics } from '../metrics.ts';

interface RequestLogDeps {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'answered'>;
  /** Which responses get a log line. `errors`: those with status 400 or higher. */
  readonly logRequests: 'all' | 'errors' | 'none';
}

/** Logs and measures each response by the pattern of its route. The URL itself may contain tokens. */
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

/** Milliseconds between two log lines about a lasting outage. */
const outageEveryMs = 1_000;

/**
 * Creates the report of errors that the service causes. During an outage, every request fails with the same error.
 * Outages are therefore logged at most once a second, with the number of requests.
 */
export function createErrorReport(log: Log) {
  const tell = createOutageLog(log);
  return (error: unknown, request: FastifyRequest): void => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
    const err = cause ?? error;
    if (error instanceof PayError && error.status === 503) {
      tell('requests are refused', cause === null ? error.message : `${error.message} ${cause.message}`, error.message);
    } else if (isOldPlan(error)) {
      log.info(
        { req: request.id, route: request.routeOptions?.url },
        'a migration has changed a statement of a request',
      );
    } else if (isDatabaseOutage(error)) tell('the database is away', err instanceof Error ? err.message : String(err));
    else log.error({ err, req: request.id, route: request.routeOptions?.url }, 'a request failed');
  };
}

/** Writes at most one line a second for each kind of `outage`. */
function createOutageLog(log: Log) {
  const outages = new Map<string, { toldAt: number; untold: number }>();
  return (sentence: string, reason: string, outage = sentence): void => {
    const known = outages.get(outage) ?? { toldAt: Number.NEGATIVE_INFINITY, untold: 0 };
    outages.set(outage, known);
    known.untold++;
    if (performance.now() - known.toldAt < outageEveryMs) return;
    log.error({ reason, requests: known.untold }, sentence);
    Object.assign(known, { toldAt: performance.now(), untold: 0 });
  };
}
