import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { runEach, runTogether } from '../platform/jobs/sweeper.ts';
import type { Rails, SendOrder, SendOutcome } from '../rails/rail.ts';
import { claimOutbound, endOutbound } from './outbound.store.ts';
import type { ClockedOutbound, OutboundEnd, OutboundPurpose } from './outbound.ts';

/** The sweep that sends money by card and bank rails. */
export const railSendSweep = 'outbound.send';

/** The lease of a transfer, and the pause before an undecided rail is asked again. */
const leaseSeconds = 30;
const mostAtOnce = 20;

export interface RailSendDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rails: Rails;
  readonly purposes: readonly OutboundPurpose[];
}

/** Sends money by card and bank rails. A rail carries out an order once, so an order with unknown outcome is repeated. */
export function createRailSendSweep(deps: RailSendDeps): Sweep {
  const senders = sendersOf(deps.rails);
  const claim = { rails: [...senders.keys()], states: ['queued', 'sending'], to: 'sending' } as const;
  return {
    name: railSendSweep,
    everyMs: 1_000,
    run: async () => {
      if (senders.size === 0) return 0;
      const due = await claimOutbound(deps.db, { ...claim, limit: mostAtOnce, leaseSeconds, now: deps.clock.now() });
      const asked = await Promise.allSettled(due.map(row => ask(senders, row)));
      const ended = asked.flatMap(one => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
      const groups = Map.groupBy(ended, ({ row }) => `${row.merchant_id} ${row.purpose}`);
      await runEach([...groups.values()], group => runTogether(group, some => endAndBook(deps, some)));
      for (const one of asked) if (one.status === 'rejected') throw one.reason;
      return due.length;
    },
  };
}

interface Sender {
  send(order: SendOrder): Promise<SendOutcome>;
  status(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** The acquirer sends card refunds as banks send transfers: each order once, and decided later. */
function sendersOf({ card, banks }: Rails): ReadonlyMap<string, Sender> {
  const senders = new Map<string, Sender>(
    banks.map(bank => [
      bank.id,
      { send: order => bank.send(order), status: (orderId, now) => bank.sendStatus(orderId, now) },
    ]),
  );
  if (card !== null) {
    const status: Sender['status'] = (orderId, now) => card.refundStatus(orderId, now);
    senders.set(card.id, { send: order => card.refund(order), status });
  }
  return senders;
}

interface Ended {
  readonly row: ClockedOutbound;
  readonly end: OutboundEnd;
}

/** Asks the rail to send, after asking for the outcome of an order that was given before. Null: not decided. */
async function ask(senders: ReadonlyMap<string, Sender>, row: ClockedOutbound): Promise<Ended | null> {
  const sender = senders.get(row.rail);
  if (sender === undefined) return null;
  const known = row.tries > 1 ? await sender.status(row.id, row.clock) : null;
  const outcome = known !== null && known.state !== 'unknown' ? known : await sender.send(orderOf(row));
  if (outcome.state === 'completed') return { row, end: { state: 'completed', reference: outcome.railReference } };
  return outcome.state === 'failed' ? { row, end: outcome } : null;
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

/** Ends transfers of one merchant and purpose, and books them in the same transaction. */
async function endAndBook({ db, clock, purposes }: RailSendDeps, ended: readonly Ended[]): Promise<void> {
  const purpose = purposes.find(({ name }) => name === ended[0]?.row.purpose);
  const clocks = new Map(ended.map(({ row }) => [row.id, row.clock]));
  await db.transaction().execute(async tx => {
    const ends = ended.map(({ row, end }) => ({ key: row, end }));
    const now = clock.now();
    const written = await endOutbound(tx, ends, { now, isBooked: purpose !== undefined });
    const clocked = written.map(row => ({ ...row, clock: clocks.get(row.id) ?? now }));
    if (clocked.length > 0) await purpose?.book(tx, clocked);
  });
}
