import { setTimeout as sleep } from 'node:timers/promises';
import { PayApiError, type PayClient } from '../../src/api/client.ts';
import type { Event } from '../../src/api/event.ts';
import type { Payout, PayoutBatch } from '../../src/api/payout.ts';
import { randomText } from '../../src/core/id.ts';
import { shopCurrency } from '../catalogue.ts';
import { type Payee, payoutsOf, totalOf, walletsOf } from '../payroll.ts';
import { masked } from '../recording-fetch.ts';
import { msSince, type RunProgress, type RunView, type RunViewDeps, runView } from './payout-view.ts';
import { jsonBody } from './shop-input.ts';
import type { Visitor } from './visitors.ts';

/** Payout runs of the demo page. Each visitor has at most one active run. */
export interface PayoutRuns {
  /** Answers everything under `/demo/api/payouts`. */
  answer(visitor: Visitor, request: Request): Promise<Response>;
  /** Handles an event: counts sent payouts, and shows events of batches in the visitor's panel. */
  receive(event: Pick<Event, 'type' | 'data'>): void;
  /** Stops watching runs. The service still pays them. */
  close(): void;
}

interface PayoutRunsDeps extends RunViewDeps {
  /** A client whose calls appear in the visitor's panel. */
  readonly clientFor: (visitor: Visitor) => PayClient;
  /** The people whom each run pays. */
  readonly payees: readonly Payee[];
  /** Addresses of Stellar wallets that take USDC. */
  readonly openWallets: (count: number) => Promise<readonly string[]>;
}

interface Run extends RunProgress {
  /** Identifies the run in events, because events may arrive before the response that contains the batch's id. */
  readonly number: string;
  readonly visitor: Visitor;
  readonly begunAt: Date;
  calledAt: Date;
  readonly sentIds: Set<string>;
  view: RunView | null;
}

interface RunsContext extends PayoutRunsDeps {
  /** By visitor. */
  readonly runs: Map<string, { readonly run: Run; readonly accepted: Promise<RunView> }>;
  readonly stop: AbortSignal;
}

/** Limit of simultaneous runs of all visitors. */
const mostRuns = 4;
const lookEveryMs = 1_000;
/** After this time the shop stops watching a run, and its visitor may start another run. */
const longestMs = 120_000;
/** Metadata of the shop's own batches. */
const mark = { demo: 'pay-1000' } as const;

/** Creates the runs. Calls the service only when a visitor starts a run or reads one. */
export function createPayoutRuns(deps: PayoutRunsDeps): PayoutRuns {
  const stop = new AbortController();
  const context: RunsContext = { ...deps, runs: new Map(), stop: stop.signal };
  return {
    async answer(visitor, request) {
      const path = new URL(request.url).pathname;
      if (request.method === 'POST' && path === '/demo/api/payouts') return await start(context, visitor, request);
      const [, id, isCsv] = /^\/demo\/api\/payouts\/(pbat_[0-9A-Za-z]{1,64})(\/results\.csv)?$/.exec(path) ?? [];
      if (request.method !== 'GET' || id === undefined) return problem(404, 'The shop has no such page.');
      try {
        return isCsv === undefined ? await read(context, id) : await results(context, id);
      } catch {
        return problem(503, 'The payment service does not answer.');
      }
    },
    receive({ type, data }) {
      if (!/^payout(_batch)?\./.test(type)) return;
      const object = data.object as Payout | PayoutBatch;
      const run = findRun(context, ({ number }) => number === object.metadata?.['run']);
      if (object.object === 'payout_batch') run?.visitor.log.add({ kind: 'event', type, body: masked(object) });
      else if (!['scheduled', 'queued', 'on_hold'].includes(object.status)) run?.sentIds.add(object.id);
    },
    close: () => stop.abort(),
  };
}

function findRun({ runs }: RunsContext, isMeant: (run: Run) => boolean): Run | undefined {
  return [...runs.values()].find(({ run }) => isMeant(run))?.run;
}

function isActive(context: RunsContext, { view, begunAt }: Run): boolean {
  return view?.ended !== true && msSince(context.clock, begunAt) < longestMs;
}

async function start(context: RunsContext, visitor: Visitor, request: Request): Promise<Response> {
  const { runs, clock } = context;
  const body = await jsonBody(request);
  if (body === null) return problem(400, 'Send JSON.');
  for (const [id, { run }] of runs) if (!isActive(context, run)) runs.delete(id);
  let begun = runs.get(visitor.id);
  if (begun === undefined) {
    if (runs.size >= mostRuns) return problem(503, 'Other visitors are paying people right now.');
    const now = clock.now();
    const run: Run = {
      number: `P-${randomText(8)}`,
      visitor,
      begunAt: now,
      calledAt: now,
      sentIds: new Set(),
      view: null,
    };
    begun = { run, accepted: begin(context, run, body['wrong_numbers'] === true) };
    runs.set(visitor.id, begun);
  }
  try {
    return fresh(begun.run.view ?? (await begun.accepted), 201);
  } catch (error) {
    if (runs.get(visitor.id) === begun) runs.delete(visitor.id);
    return problem(502, error instanceof Error ? error.message : 'The payouts could not be made.');
  }
}

async function begin(context: RunsContext, run: Run, isWithWrongNumbers: boolean): Promise<RunView> {
  const { payees } = context;
  const wallets = await context.openWallets(walletsOf(payees)).catch(() => []);
  const client = context.clientFor(run.visitor);
  await client.testHelpers.fund({ currency: shopCurrency, amount: Number(totalOf(payees)) });
  run.calledAt = context.clock.now();
  const batch = await client.payouts.bulk({
    payouts: payoutsOf(payees, { number: run.number, wallets, isWithWrongNumbers }),
    description: `Pay ${payees.length.toLocaleString('en')} people, ${run.number}`,
    metadata: { ...mark, run: run.number },
  });
  run.view = await runView(context, batch, run);
  void watch(context, run, run.view.id);
  return run.view;
}

/** Reads the batch once a second. All open pages show this result. */
async function watch(context: RunsContext, run: Run, id: string): Promise<void> {
  while (isActive(context, run)) {
    try {
      await sleep(lookEveryMs, undefined, { signal: context.stop });
      run.view = await runView(context, await context.client.payoutBatches.retrieve(id), run);
    } catch {
      // The service did not answer. The loop tries again until the run is too old.
      if (context.stop.aborted) return;
    }
  }
}

async function read(context: RunsContext, id: string): Promise<Response> {
  const run = findRun(context, ({ view }) => view?.id === id);
  if (run?.view?.ended) return fresh(run.view);
  if (run?.view && isActive(context, run))
    return fresh({ ...run.view, elapsedMs: msSince(context.clock, run.calledAt) });
  const batch = await findBatch(context, id);
  if (batch !== null) return fresh(await runView(context, batch, run));
  return problem(404, 'The shop does not know this run. Press the button to start a new one.');
}

async function results(context: RunsContext, id: string): Promise<Response> {
  const answer = (await findBatch(context, id)) && (await context.fetchResults(id));
  if (!answer?.ok) return problem(404, 'There are no results of this run.');
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${id}.csv"`,
  };
  return new Response(answer.body, { headers: { ...headers, 'Cache-Control': 'no-store' } });
}

/** The batch with the id, or null. Visitors may not see the merchant's other batches. */
async function findBatch({ client }: RunsContext, id: string): Promise<PayoutBatch | null> {
  try {
    const batch = await client.payoutBatches.retrieve(id);
    return batch.metadata?.['demo'] === mark.demo ? batch : null;
  } catch (error) {
    if (error instanceof PayApiError && error.status === 404) return null;
    throw error;
  }
}

function problem(status: number, error: string): Response {
  return fresh({ error }, status);
}

function fresh(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}
