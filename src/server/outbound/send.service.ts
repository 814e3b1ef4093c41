import { addSeconds, type Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { createFailingWork, type FailingWork } from '../platform/jobs/failing-work.ts';
import { type Log, runEach, runTogether, type Sweep } from '../platform/jobs/sweeper.ts';
import type { BookEnded, TellProgress } from './outbound.service.ts';
import { acceptOutbound, claimOutbound, dueOutbound, type EndedOutbound, endOutbound } from './outbound.store.ts';
import type { ClockedOutbound } from './outbound.ts';
import { type Sender, type SendOrder, type SendOutcome, sendSweep, unknown } from './sender.ts';

/** Seconds of an order's lease: longer than the timeout of a request to a provider. */
const leaseSeconds = 60;
const mostAtOnce = 500;
/** Milliseconds between two claims: refunds that become due meanwhile share one. */
const restMs = 50;
/** A pending order is queried again after a fifth of its age. The bounds are in seconds. */
const askAfter = { least: 1, most: 3_600, partOfAge: 5 } as const;

export interface SendDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly senders: readonly Sender[];
  readonly bookEnded: BookEnded;
  readonly tellProgress: TellProgress;
  readonly log: Log;
  /** Runs this sweep soon. */
  readonly wake: () => void;
}

const claimed = ['queued', 'sending'] as const;

/**
 * Sends orders in batches, and queries pending orders. A rail executes an order only once. Each lane has one batch at a
 * time, so a slow rail delays no other rail.
 */
export function createSendSweep(deps: SendDeps): Sweep {
  const { db, clock } = deps;
  const senders = new Map(deps.senders.map(sender => [sender.lane, sender]));
  const running = new Map<string, Promise<void>>();
  const failing = createFailingWork();

  async function send(lane: string, rows: readonly ClockedOutbound[]): Promise<void> {
    try {
      await sendBatch({ ...deps, failing }, senders.get(lane), rows);
    } catch (error) {
      deps.log.error({ err: error, rail: lane }, 'a batch of orders could not be sent and will be tried again');
    } finally {
      running.delete(lane);
      deps.wake();
    }
  }

  return {
    name: sendSweep,
    due: [dueOutbound({ rails: [...senders.keys()], states: claimed })],
    rest: { ms: restMs, fullBatch: mostAtOnce },
    failing: failing.seconds,
    run: async () => {
      const idle = [...senders.keys()].filter(lane => !running.has(lane));
      if (idle.length === 0) return 0;
      const claim = { rails: idle, states: claimed, to: 'sending' } as const;
      const due = await claimOutbound(db, { ...claim, limit: mostAtOnce, leaseSeconds, now: clock.now() });
      for (const [lane, rows] of Map.groupBy(due, ({ rail }) => rail)) running.set(lane, send(lane, rows));
      return due.length;
    },
    settled: async () => void (await Promise.all(running.values())),
  };
}

interface BatchDeps extends SendDeps {
  readonly failing: FailingWork;
}

/** Sends orders of one lane, and stores their outcomes. */
async function sendBatch(deps: BatchDeps, sender: Sender | undefined, rows: readonly ClockedOutbound[]) {
  const first = rows.filter(({ tries }) => tries === 1);
  await deps.tellProgress(first.map(row => ({ row, step: 'sending', reference: null })));
  // One request has one time for all its orders, but merchants' test clocks differ.
  const groups = [...Map.groupBy(rows, ({ clock: at }) => at.getTime()).values()];
  const answers = await Promise.all(groups.map(group => askApart(deps, sender, group, { answered: 0, failed: 0 })));
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
  sender: Sender | undefined,
  rows: readonly ClockedOutbound[],
  sum: { answered: number; failed: number },
): Promise<readonly Answered[]> {
  const [first] = rows;
  if (first === undefined || (sum.answered === 0 && sum.failed >= mostFailed)) return [];
  try {
    const answers = await ask(sender, rows);
    sum.answered += rows.length;
    for (const row of rows) deps.failing.succeeded(nameOf(row));
    return answers;
  } catch (error) {
    const half = (rows.length + 1) >> 1;
    if (half < rows.length) {
      const one = await askApart(deps, sender, rows.slice(0, half), sum);
      return [...one, ...(await askApart(deps, sender, rows.slice(half), sum))];
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

/**
 * Queries the rail about orders that were sent before. Sends new orders, and orders that the rail never received. An
 * order without a clear answer, or that the rail has accepted, is only asked about: rails recognize a repeated order for
 * some time only.
 */
async function ask(sender: Sender | undefined, rows: readonly ClockedOutbound[]): Promise<Answered[]> {
  const [first] = rows;
  if (sender === undefined || first === undefined) return [];
  const given = rows.filter(({ tries }) => tries > 1);
  const ids = given.map(({ id }) => id);
  const known = ids.length === 0 ? [] : await sender.status(ids, first.clock);
  const answers = given.flatMap((row, index): Answered[] => {
    const outcome = known[index] ?? (row.accepted ? unknown : null);
    return outcome === null ? [] : [{ row, outcome }];
  });
  const answered = new Set(answers.map(({ row }) => row.id));
  const toSend = rows.filter(({ id }) => !answered.has(id));
  const sent = toSend.length === 0 ? [] : await sender.send(toSend.map(orderOf));
  return [...answers, ...toSend.map((row, index) => ({ row, outcome: sent[index] ?? unknown }))];
}

function orderOf(row: ClockedOutbound): SendOrder {
  const { id, merchant_id: merchantId, original_reference: original, amount, asset: currency, clock: now } = row;
  if (row.destination === null) return { id, merchantId, original, amount, currency, destination: null, now };
  const { description: text, ...destination } = row.destination;
  return { id, merchantId, original, amount, currency, destination, now, ...(text !== undefined && { text }) };
}

/**
 * Ends and books decided orders. Schedules queries about pending orders. An order without an answer is claimed again
 * when its lease ends.
 */
async function conclude({ db, clock, bookEnded, tellProgress }: SendDeps, answers: readonly Answered[]) {
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
  await acceptOutbound(
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
