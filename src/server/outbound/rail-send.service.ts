import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { createFailingWork, type FailingWork } from '../platform/jobs/failing-work.ts';
import { type Log, runEach, runTogether, type Sweep } from '../platform/jobs/sweeper.ts';
import type { SendOrder, SendOutcome } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import type { BookEnded } from './outbound.service.ts';
import { claimOutbound, type EndedOutbound, endOutbound } from './outbound.store.ts';
import type { ClockedOutbound } from './outbound.ts';

/** The sweep that sends money through card and bank rails. */
export const railSendSweep = 'outbound.send';

/** Seconds of a transfer's lease, and between two queries about an undecided order. */
const leaseSeconds = 30;
const mostAtOnce = 20;

export interface RailSendDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rails: Rails;
  readonly bookEnded: BookEnded;
  readonly log: Log;
}

/**
 * Sends money through card and bank rails, and books ended transfers. Repeats orders with an unknown outcome, because a
 * rail executes an order only once.
 */
export function createRailSendSweep({ db, clock, log, rails, bookEnded }: RailSendDeps): Sweep {
  const senders = sendersOf(rails);
  const failing = createFailingWork();
  const claim = { rails: [...senders.keys()], states: ['queued', 'sending'], to: 'sending' } as const;
  return {
    name: railSendSweep,
    everyMs: 1_000,
    rest: { ms: 50, fullBatch: mostAtOnce },
    failing: failing.seconds,
    run: async () => {
      if (senders.size === 0) return 0;
      const due = await claimOutbound(db, { ...claim, limit: mostAtOnce, leaseSeconds, now: clock.now() });
      const asked = await Promise.all(due.map(row => askAlone(senders, row, failing, log)));
      const ended = asked.filter(one => one !== null);
      const groups = Map.groupBy(ended, ({ key }) => key.merchant_id);
      const end = (some: readonly EndedOutbound[]) => endOutbound(db, some, { now: clock.now() });
      await runEach([...groups.values()], group => runTogether(group, end));
      if (ended.length > 0) await bookEnded();
      return due.length;
    },
  };
}

/** As `ask`. An error concerns this order alone: the order is asked about again when its lease ends. */
async function askAlone(
  senders: ReadonlyMap<string, Sender>,
  row: ClockedOutbound,
  failing: FailingWork,
  log: Log,
): Promise<EndedOutbound | null> {
  const name = `${row.rail} ${row.id}`;
  try {
    const end = await ask(senders, row);
    failing.succeeded(name);
    return end;
  } catch (error) {
    failing.failed(name);
    log.error({ err: error, rail: row.rail, order: row.id }, 'an order could not be sent and will be tried again');
    return null;
  }
}

interface Sender {
  send(order: SendOrder): Promise<SendOutcome>;
  status(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** The rails that send money, by id. Refunds of card rails have the same form as bank transfers. */
function sendersOf({ cards, banks }: Rails): ReadonlyMap<string, Sender> {
  const senders = new Map<string, Sender>(
    banks.map(bank => [
      bank.id,
      { send: order => bank.send(order), status: (orderId, now) => bank.sendStatus(orderId, now) },
    ]),
  );
  for (const card of cards) {
    const status: Sender['status'] = (orderId, now) => card.refundStatus(orderId, now);
    senders.set(card.id, { send: order => card.refund(order), status });
  }
  return senders;
}

/** Sends an order. For a repeated order, queries the rail first. Null if the rail has not decided. */
async function ask(senders: ReadonlyMap<string, Sender>, row: ClockedOutbound): Promise<EndedOutbound | null> {
  const sender = senders.get(row.rail);
  if (sender === undefined) return null;
  const known = row.tries > 1 ? await sender.status(row.id, row.clock) : null;
  const outcome = known !== null && known.state !== 'unknown' ? known : await sender.send(orderOf(row));
  if (outcome.state === 'completed') return { key: row, end: { state: 'completed', reference: outcome.railReference } };
  return outcome.state === 'failed' ? { key: row, end: outcome } : null;
}

function orderOf(row: ClockedOutbound): SendOrder {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    original: row.original_reference,
    amount: row.amount,
    currency: row.asset,
    destination: row.destination,
    now: row.clock,
  };
}
