import { addSeconds, type Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { createFailingWork, type FailingWork } from '../platform/jobs/failing-work.ts';
import { type Log, runEach, runTogether, type Sweep } from '../platform/jobs/sweeper.ts';
import type { PayoutRail, SendOrder, SendOutcome } from '../rails/rail.ts';
import type { BookEnded, TellProgress } from './outbound.service.ts';
import { claimOutbound, type EndedOutbound, endOutbound, moveOutbound } from './outbound.store.ts';
import type { ClockedOutbound } from './outbound.ts';

/** The sweep that sends payouts through banks and mobile money. */
export const payoutSendSweep = 'outbound.payouts';

/** The name of a payout rail in the queue. A bank rail with the same id sends refunds, so the name needs a prefix. */
export function payoutLane(railId: string): string {
  return `payout:${railId}`;
}

/** Seconds of an order's lease: longer than the timeout of a request to a provider. */
const leaseSeconds = 60;
const mostAtOnce = 500;
/** A pending order is queried again after a fifth of its age. The bounds are in seconds. */
const askAfter = { least: 1, most: 3_600, partOfAge: 5 } as const;

export interface PayoutSendDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rails: readonly PayoutRail[];
  readonly bookEnded: BookEnded;
  readonly tellProgress: TellProgress;
  readonly log: Log;
  /** Runs this sweep soon. */
  readonly wake: () => void;
}

/**
 * Sends orders to payout rails in batches, and queries pending orders. A rail executes an order only once. Each rail
 * has one batch at a time, so a slow rail delays no other rail.
 */
export function createPayoutSendSweep(deps: PayoutSendDeps): Sweep {
  const { db, clock } = deps;
  const rails = new Map(deps.rails.map(rail => [payoutLane(rail.id), rail]));
  const running = new Map<string, Promise<void>>();
  const failing = createFailingWork();

  async function send(lane: string, rows: readonly ClockedOutbound[]): Promise<void> {
    try {
      await sendBatch({ ...deps, failing }, rails.get(lane), rows);
    } catch (error) {
      deps.log.error({ err: error, rail: lane }, 'a batch of payouts could not be sent and will be tried again');
    } finally {
      running.delete(lane);
      deps.wake();
    }
  }

  return {
    name: payoutSendSweep,
    everyMs: 1_000,
    failing: failing.seconds,
    run: async () => {
      const idle = [...rails.keys()].filter(lane => !running.has(lane));
      if (idle.length === 0) return 0;
      const claim = { rails: idle, states: ['queued', 'sending'], to: 'sending' } as const;
      const due = await claimOutbound(db, { ...claim, limit: mostAtOnce, leaseSeconds, now: clock.now() });
      for (const [lane, rows] of Map.groupBy(due, ({ rail }) => rail)) running.set(lane, send(lane, rows));
      return due.length;
    },
    settled: async () => void (await Promise.all(running.values())),
  };
}

interface BatchDeps extends PayoutSendDeps {
  readonly failing: FailingWork;
}

/** Sends orders of one rail, and stores their outcomes. */
async function sendBatch(deps: BatchDeps, rail: PayoutRail | undefined, rows: readonly ClockedOutbound[]) {
  const first = rows.filter(({ tries }) => tries === 1);
  await deps.tellProgress(first.map(row => ({ row, step: 'sending', reference: null })));
  // One request has one time for all its orders, but merchants' test clocks differ.
  const groups = [...Map.groupBy(rows, ({ clock: at }) => at.getTime()).values()];
  const answers = await Promise.all(groups.map(group => askApart(deps, rail, group, { answered: 0, failed: 0 })));
  await conclude(deps, answers.flat());
}

/** Failed orders of a batch after which the rail itself is at fault, if it answered no other order. */
const mostFailed = 8;

/**
 * Asks the rail about all orders at once. After an error, asks about each half, so that one order that the rail cannot
 * process stops no other. Repeated orders are sent once.
 */
async function askApart(
  deps: BatchDeps,
  rail: PayoutRail | undefined,
  rows: readonly ClockedOutbound[],
  sum: { answered: number; failed: number },
): Promise<readonly Answered[]> {
  const [first] = rows;
  if (first === undefined || (sum.answered === 0 && sum.failed >= mostFailed)) return [];
  try {
    const answers = await ask(rail, rows);
    sum.answered += rows.length;
    for (const row of rows) deps.failing.succeeded(nameOf(row));
    return answers;
  } catch (error) {
    const half = (rows.length + 1) >> 1;
    if (half < rows.length) {
      const one = await askApart(deps, rail, rows.slice(0, half), sum);
      return [...one, ...(await askApart(deps, rail, rows.slice(half), sum))];
    }
    sum.failed++;
    deps.failing.failed(nameOf(first));
    const details = { err: error, rail: first.rail, order: first.id };
    deps.log.error(details, 'an order could not be sent and will be tried again');
    return [];
  }
}

function nameOf({ rail, id }: ClockedOutbound): string {
  return `${rail} ${id}`;
}

interface Answered {
  readonly row: ClockedOutbound;
  readonly outcome: SendOutcome;
}

/** Queries the rail about orders that were sent before. Sends new orders, and orders unknown to the rail. */
async function ask(rail: PayoutRail | undefined, rows: readonly ClockedOutbound[]): Promise<Answered[]> {
  const [first] = rows;
  if (rail === undefined || first === undefined) return [];
  const given = rows.filter(({ tries }) => tries > 1);
  const ids = given.map(({ id }) => id);
  const known = ids.length === 0 ? [] : await rail.statusAll(ids, first.clock);
  const answers = given.flatMap((row, index): Answered[] => {
    const outcome = known[index] ?? null;
    return outcome === null || outcome.state === 'unknown' ? [] : [{ row, outcome }];
  });
  const answered = new Set(answers.map(({ row }) => row.id));
  const toSend = rows.filter(({ id }) => !answered.has(id));
  const sent = toSend.length === 0 ? [] : await rail.sendAll(toSend.map(orderOf));
  return [...answers, ...toSend.map((row, index) => ({ row, outcome: sent[index] ?? { state: 'unknown' as const } }))];
}

function orderOf(row: ClockedOutbound): SendOrder {
  const { id, merchant_id: merchantId, amount, asset: currency, clock: now } = row;
  const { description: text, ...destination } = row.destination ?? {};
  return { id, merchantId, original: null, amount, currency, destination, now, ...(text !== undefined && { text }) };
}

/**
 * Ends and books decided orders. Schedules queries about pending orders. An order without an answer is claimed again
 * when its lease ends.
 */
async function conclude({ db, clock, bookEnded, tellProgress }: PayoutSendDeps, answers: readonly Answered[]) {
  const ended = answers.flatMap(({ row, outcome }): EndedOutbound[] => {
    if (outcome.state === 'failed') return [{ key: row, end: outcome }];
    if (outcome.state !== 'completed') return [];
    return [{ key: row, end: { state: 'completed', reference: outcome.railReference } }];
  });
  const pending = answers.flatMap(({ row, outcome }) =>
    outcome.state === 'pending' ? [{ row, step: 'accepted' as const, reference: outcome.railReference }] : [],
  );
  const groups = Map.groupBy(ended, ({ key }) => key.merchant_id);
  const end = (some: readonly EndedOutbound[]) => endOutbound(db, some, { now: clock.now() });
  await runEach([...groups.values()], group => runTogether(group, end));
  await moveOutbound(
    db,
    pending.map(({ row }) => ({ row, dueAt: nextAsk(row) })),
  );
  await tellProgress(pending);
  if (ended.length > 0) await bookEnded();
}

function nextAsk(row: ClockedOutbound): Date {
  const age = (row.clock.getTime() - row.created_at.getTime()) / 1_000 / askAfter.partOfAge;
  return addSeconds(row.clock, Math.min(Math.max(age, askAfter.least), askAfter.most));
}
