import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { generalFaults, streamFaults, usualLedgers } from '../fault.ts';
import { totalOrderId } from '../total-order-id.ts';
import { answerWithFault } from './fault-answer.ts';
import type { Horizon, Seen } from './horizon.ts';
import { type HorizonRouteDeps, horizonPrefix, readRequest, routeOptions } from './horizon-door.ts';
import { type PageQuery, pageBody, readPageQuery } from './horizon-page.ts';
import { type HorizonPath, horizonPaths } from './horizon-paths.ts';
import { badRequest, HorizonProblem, notFound, type Problem, problemBody, problems } from './horizon-problem.ts';
import type { HorizonRequest } from './horizon-request.ts';
import { type OpenStreams, serveStream } from './horizon-stream.ts';
import { registerSubmissionRoutes } from './horizon-submission.routes.ts';
import { objectSource, pageSource } from './stream-source.ts';

/** Registers the sandbox network’s Horizon, problem documents, CORS and streams included. */
export async function registerHorizon(app: FastifyInstance, deps: HorizonRouteDeps): Promise<void> {
  await app.register(
    async scope => {
      const open: OpenStreams = new Set();
      scope.addHook('preClose', done => {
        for (const stream of open) stream.abort();
        done();
      });
      scope.addHook('onRequest', async (_, reply) => letAnyoneRead(reply));
      answerProblems(scope, deps);
      for (const path of horizonPaths) {
        scope.get(path.path, routeOptions, async (request, reply) => await answer(deps, path, request, reply, open));
      }
      registerSubmissionRoutes(scope, deps);
    },
    { prefix: horizonPrefix },
  );
}

function letAnyoneRead(reply: FastifyReply): void {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'Date, Latest-Ledger')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cache-control', 'no-cache, no-store, max-age=0');
}

function answerProblems(scope: FastifyInstance, { log }: HorizonRouteDeps): void {
  scope.setErrorHandler((error, _, reply) => {
    const problem = problemOf(error);
    if (problem === problems.serverError) log.error({ err: error }, 'the sandbox network could not answer');
    return reply.code(problem.status).type('application/problem+json; charset=utf-8').send(problemBody(problem));
  });
  scope.setNotFoundHandler((request, reply) => {
    if (request.method !== 'OPTIONS') throw notFound();
    letAnyoneRead(reply);
    return reply
      .header('access-control-allow-methods', 'GET, POST, OPTIONS')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .code(204)
      .send();
  });
}

/** What is refused before it reaches a handler (a NUL character, a body too large) is the client’s fault here, too. */
function problemOf(error: unknown): Problem {
  if (error instanceof HorizonProblem) return error.problem;
  if (error instanceof PayError && error.status === 404) return problems.notFound;
  const status = error instanceof PayError ? error.status : (error as { readonly statusCode?: number }).statusCode;
  return status !== undefined && status >= 400 && status < 500
    ? badRequest((error as Error).message).problem
    : problems.serverError;
}

async function answer(
  deps: HorizonRouteDeps,
  path: HorizonPath,
  raw: FastifyRequest,
  reply: FastifyReply,
  open: OpenStreams,
): Promise<FastifyReply> {
  const request = readRequest(raw);
  const wants = negotiate(raw.headers.accept);
  if (wants === null || (wants === 'stream' && !path.streams)) throw new HorizonProblem(problems.notAcceptable);
  const general = await deps.faults.meet(generalFaults, request.path);
  const stale = await deps.faults.meet(['stale'], request.path);
  const seen: Seen = { behind: stale === null ? 0 : (stale.ledgers ?? usualLedgers) };
  if (general !== null) {
    return await answerWithFault(general.fault, raw, reply, async () => await body(deps, path, request, raw, seen));
  }
  if (wants === 'stream') return await stream(deps, path, request, raw, reply, { seen, open });
  const content = await body(deps, path, request, raw, seen);
  return reply.type('application/hal+json; charset=utf-8').send(JSON.stringify(content));
}

/** What the client wants: a stream or JSON; null where it takes neither. */
function negotiate(accept: string | undefined): 'stream' | 'json' | null {
  if (accept === undefined || accept === '') return 'json';
  if (/\*\/\*|application\/(\*|json|hal\+json)/.test(accept)) return 'json';
  return accept.includes('text/event-stream') ? 'stream' : null;
}

async function body(
  deps: HorizonRouteDeps,
  path: HorizonPath,
  request: HorizonRequest,
  raw: FastifyRequest,
  seen: Seen,
): Promise<unknown> {
  const horizon = await deps.horizon();
  if ('object' in path) return await horizon.object(path.object, request, seen);
  const page = await pageQuery(deps, horizon, request, raw, seen);
  return pageBody(request, page, await horizon.page(path.page, request, page, seen));
}

async function pageQuery(
  { faults }: HorizonRouteDeps,
  horizon: Horizon,
  request: HorizonRequest,
  raw: FastifyRequest,
  seen: Seen,
): Promise<PageQuery> {
  const lastEventId = raw.headers['last-event-id'];
  const now = request.text('cursor') === 'now' ? await afterAll(horizon, seen) : '';
  const page = readPageQuery(request, typeof lastEventId === 'string' ? lastEventId : '', now);
  const gone = page.cursor === '' ? null : await faults.meet(['history_gone'], request.path);
  if (gone !== null) throw new HorizonProblem(problems.beforeHistory);
  return page;
}

/** The paging token behind everything in the newest ledger. */
async function afterAll(horizon: Horizon, seen: Seen): Promise<string> {
  return String(totalOrderId({ ledger: (await horizon.sequence(seen)) + 1, transaction: 0, operation: 0 }) - 1n);
}

async function stream(
  deps: HorizonRouteDeps,
  path: HorizonPath,
  request: HorizonRequest,
  raw: FastifyRequest,
  reply: FastifyReply,
  { seen, open }: { readonly seen: Seen; readonly open: OpenStreams },
): Promise<FastifyReply> {
  const horizon = await deps.horizon();
  const fault = (await deps.faults.meet(streamFaults, request.path))?.fault;
  const line = fault === 'stream_dropped' ? 'dropped' : fault === 'stream_silent' ? 'silent' : null;
  if ('object' in path) {
    const source = objectSource(horizon, () => horizon.object(path.object, request, seen), line);
    return await serveStream(raw, reply, source, open);
  }
  const page = await pageQuery(deps, horizon, request, raw, seen);
  const source = pageSource(horizon, page, next => horizon.page(path.page, request, next, seen), line);
  return await serveStream(raw, reply, source, open);
}
