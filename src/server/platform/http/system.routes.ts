import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../metrics.ts';
import type { HttpApp } from './http-app.ts';
import type { SchemaWatch } from './schema-watch.ts';

interface SystemDeps {
  readonly schema: Pick<SchemaWatch, 'refresh' | 'isTooNew'>;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly isDraining: () => boolean;
  /** Refreshes the remarks and metrics of overdue work. May reject. */
  readonly refresh: () => Promise<void>;
  /** Problems for the operator to fix, one sentence each. The process works despite these problems. */
  readonly remarks: () => readonly string[];
}

type Readiness = 'ready' | 'draining' | 'database_unreachable' | 'schema_too_new';

/** Milliseconds that the database may take to answer. */
const timeoutMs = 2_000;

/**
 * Routes for load balancers and monitors. `/healthz`: 200 while the process runs. `/readyz`: 200, or 503 with the
 * reason, and the remarks. `/metrics`: figures for Prometheus.
 */
export function registerSystemRoutes(app: HttpApp, deps: SystemDeps): void {
  const options = { config: { access: 'public', always: true }, schema: { hide: true } } as const;

  async function readiness(): Promise<Readiness> {
    if (deps.isDraining()) return 'draining';
    const known = deps.schema.refresh().then(() => true);
    if ((await inTime(known)) === null) return 'database_unreachable';
    return deps.schema.isTooNew() ? 'schema_too_new' : 'ready';
  }

  app.get('/healthz', options, async () => ({ status: 'ok' }));
  app.get('/readyz', options, async (_request, reply) => {
    const [status] = await Promise.all([readiness(), inTime(deps.refresh())]);
    const remarks = deps.remarks();
    return reply.code(status === 'ready' ? 200 : 503).send({ status, ...(remarks.length > 0 && { remarks }) });
  });
  app.get('/metrics', options, async (_request, reply) => {
    await inTime(deps.refresh());
    const page = await deps.metrics.render();
    return reply.header('content-type', page.contentType).send(page.text);
  });
}

/** The promise's value. Null if the promise rejects or takes too long. */
function inTime<T>(promise: Promise<T>): Promise<T | null> {
  return Promise.race([promise.catch(() => null), sleep(timeoutMs, null, { ref: false })]);
}
