import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { generalFaults, streamFaults, usualLedgers } from '../faults/fault.ts';
import { ledgerId } from '../history/total-order-id.ts';
import type { Horizon, ObjectName, PageName, Seen } from './horizon.ts';
import { type PageQuery, pageBody, readPageQuery } from './http/page.ts';
import { badRequest, HorizonProblem, notFound, type Problem, problemBody, problems } from './http/problem.ts';
import type { HorizonRequest } from './http/request.ts';
import { answerWithFault, type HorizonRouteDeps, horizonPrefix, readRequest, routeOptions } from './http/route.ts';
import { type OpenStreams, objectMessages, pageMessages, serveStream } from './http/stream.ts';
import { registerSubmissionRoutes } from './submission.routes.ts';

/** Registers Horizon with its problem documents, CORS and streams. */
export async function registerHorizon(app: FastifyInstance, deps: HorizonRouteDeps): Promise<void> {
  await app.register(
    async scope => {
      const open: OpenStreams = new Set();
      scope.addHook('preClose', done => {
        for (const stream of open) stream.abort();
        done();
      });
      scope.addHook('onRequest', async (_, reply) => allowAnyOrigin(reply));
      answerProblems(scope, deps);
      for (const path of horizonPaths) {
        scope.get(path.path, routeOptions, async (request, reply) => await answer(deps, path, request, reply, open));
      }
      registerSubmissionRoutes(scope, deps);
    },
    { prefix: horizonPrefix },
  );
}

function allowAnyOrigin(reply: FastifyReply): void {
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
    allowAnyOrigin(reply);
    return reply
      .header('access-control-allow-methods', 'GET, POST, OPTIONS')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .code(204)
      .send();
  });
}

/** The problem document of an error. Any other 4xx error, such as a large body or a NUL character, is a bad request. */
function problemOf(error: unknown): Problem {
  if (error instanceof HorizonProblem) return error.problem;
  if (error instanceof PayError && error.status === 404) return problems.notFound;
  const status = error instanceof PayError ? error.status : (error as { readonly statusCode?: number }).statusCode;
  return status !== undefined && status >= 400 && status < 500
    ? badRequest((error as Error).message).problem
    : problems.serverError;
}

interface Exchange {
  readonly deps: HorizonRouteDeps;
  readonly path: HorizonPath;
  readonly raw: FastifyRequest;
  readonly reply: FastifyReply;
  readonly request: HorizonRequest;
  readonly seen: Seen;
}

async function answer(
  deps: HorizonRouteDeps,
  path: HorizonPath,
  raw: FastifyRequest,
  reply: FastifyReply,
  open: OpenStreams,
): Promise<FastifyReply> {
  const request = readRequest(raw);
  const format = negotiate(raw.headers.accept);
  if (format === null || (format === 'stream' && !path.streams)) throw new HorizonProblem(problems.notAcceptable);
  const general = await deps.faults.meet(generalFaults, request.path);
  const stale = await deps.faults.meet(['stale'], request.path);
  const seen = { behind: stale === null ? 0 : (stale.ledgers ?? usualLedgers) };
  const exchange = { deps, path, raw, reply, request, seen };
  if (general !== null) return await answerWithFault(general.fault, raw, reply, () => body(exchange));
  if (format === 'stream') return await stream(exchange, open);
  return reply.type('application/hal+json; charset=utf-8').send(JSON.stringify(await body(exchange)));
}

/** The format that the client accepts. Null if the client accepts neither JSON nor a stream. */
function negotiate(accept: string | undefined): 'stream' | 'json' | null {
  if (accept === undefined || accept === '') return 'json';
  if (/\*\/\*|application\/(\*|json|hal\+json)/.test(accept)) return 'json';
  return accept.includes('text/event-stream') ? 'stream' : null;
}

async function body(exchange: Exchange): Promise<unknown> {
  const { deps, path, request, seen } = exchange;
  const horizon = await deps.horizon();
  if ('object' in path) return await horizon.object(path.object, request, seen);
  const page = await pageQuery(exchange, horizon);
  return pageBody(request, page, await horizon.page(path.page, request, page, seen));
}

async function pageQuery({ deps, request, raw, seen }: Exchange, horizon: Horizon): Promise<PageQuery> {
  const lastEventId = raw.headers['last-event-id'];
  // The cursor `now` is the largest possible paging token of the newest ledger.
  const isNow = request.text('cursor') === 'now';
  const now = isNow ? String(ledgerId((await horizon.sequence(seen)) + 1) - 1n) : '';
  const page = readPageQuery(request, typeof lastEventId === 'string' ? lastEventId : '', now);
  const gone = page.cursor === '' ? null : await deps.faults.meet(['history_gone'], request.path);
  if (gone !== null) throw new HorizonProblem(problems.beforeHistory);
  return page;
}

/** The stream of an object ends after this number of messages. */
const objectLimit = 10;

async function stream(exchange: Exchange, open: OpenStreams): Promise<FastifyReply> {
  const { deps, path, request, raw, reply, seen } = exchange;
  const horizon = await deps.horizon();
  const fault = (await deps.faults.meet(streamFaults, request.path))?.fault;
  const common = { fault, onLedger: horizon.onLedger };
  if ('object' in path) {
    const next = objectMessages(() => horizon.object(path.object, request, seen));
    return await serveStream(raw, reply, { ...common, next, limit: objectLimit }, open);
  }
  const page = await pageQuery(exchange, horizon);
  const next = pageMessages(page, current => horizon.page(path.page, request, current, seen));
  // Reading `/ledgers` makes an idle network close a due ledger.
  const pace = path.page === 'ledgers' ? { lookMs: 1_000 } : {};
  return await serveStream(raw, reply, { ...common, ...pace, next, limit: page.limit }, open);
}

type HorizonPath =
  | { readonly path: string; readonly page: PageName; readonly streams: boolean }
  | { readonly path: string; readonly object: ObjectName; readonly streams: boolean };

const list = (path: string, page: PageName): HorizonPath => ({ path, page, streams: false });
const feed = (path: string, page: PageName): HorizonPath => ({ path, page, streams: true });
const one = (path: string, object: ObjectName): HorizonPath => ({ path, object, streams: false });
const live = (path: string, object: ObjectName): HorizonPath => ({ path, object, streams: true });

/** All `GET` paths except `/friendbot`, with Horizon’s names of path parameters, and whether each path streams. */
const horizonPaths: readonly HorizonPath[] = [
  one('/', 'root'),
  list('/accounts', 'accounts'),
  live('/accounts/:account_id', 'account'),
  live('/accounts/:account_id/data/:key', 'accountData'),
  feed('/accounts/:account_id/offers', 'accountOffers'),
  feed('/accounts/:account_id/operations', 'operations'),
  feed('/accounts/:account_id/payments', 'payments'),
  feed('/accounts/:account_id/transactions', 'transactions'),
  list('/assets', 'assets'),
  list('/claimable_balances', 'claimableBalances'),
  one('/claimable_balances/:claimable_balance_id', 'claimableBalance'),
  feed('/claimable_balances/:claimable_balance_id/operations', 'operations'),
  feed('/claimable_balances/:claimable_balance_id/transactions', 'transactions'),
  one('/fee_stats', 'feeStats'),
  feed('/ledgers', 'ledgers'),
  one('/ledgers/:ledger_id', 'ledger'),
  feed('/ledgers/:ledger_id/operations', 'operations'),
  feed('/ledgers/:ledger_id/payments', 'payments'),
  feed('/ledgers/:ledger_id/transactions', 'transactions'),
  list('/liquidity_pools', 'pools'),
  one('/liquidity_pools/:liquidity_pool_id', 'pool'),
  feed('/liquidity_pools/:liquidity_pool_id/operations', 'operations'),
  feed('/liquidity_pools/:liquidity_pool_id/transactions', 'transactions'),
  list('/offers', 'offers'),
  one('/offers/:offer_id', 'offer'),
  feed('/operations', 'operations'),
  one('/operations/:id', 'operation'),
  live('/order_book', 'orderBook'),
  one('/paths', 'strictReceive'),
  one('/paths/strict-receive', 'strictReceive'),
  one('/paths/strict-send', 'strictSend'),
  feed('/payments', 'payments'),
  feed('/transactions', 'transactions'),
  one('/transactions/:tx_id', 'transaction'),
  feed('/transactions/:tx_id/operations', 'operations'),
  feed('/transactions/:tx_id/payments', 'payments'),
];
