import { innerResult, openEnvelope, openResult, operationResults } from '../history/decoded-transaction.ts';
import { type TransactionWithOperations, transactionsIn, withOperations } from '../history/read-history.store.ts';
import { ledgerId, placeOf, totalOrderId } from '../history/total-order-id.ts';
import type { StellarDb, TransactionRow } from '../tables.ts';
import { movementsOf } from './asset-movement.ts';
import { feeEvent, movementEvent, type RenderedEvent } from './contract-event.ts';
import { accountsNamed, type EventFilter, isWanted } from './event-filter.ts';

/** An event and where it happened. */
export interface LedgerEvent {
  /** Orders all events: that of the operation, and the event’s number in it. */
  readonly id: string;
  readonly rendered: RenderedEvent;
  readonly row: TransactionRow;
  /** From 0. */
  readonly operationIndex: number;
}

/** A place among events, as RPC writes it. */
function eventId(operationId: bigint, event: number): string {
  return `${String(operationId).padStart(19, '0')}-${String(event).padStart(10, '0')}`;
}

/** Behind the last event that a ledger can have. */
export function endOfLedger(ledger: number): string {
  return eventId(totalOrderId({ ledger: ledger + 1, transaction: 0, operation: 0 }) - 1n, 0xffff_ffff);
}

/** The fee of a transaction: taken before any transaction of its ledger is applied, so it stands before them all. */
export function feeEventOf(row: TransactionRow): LedgerEvent {
  const { transaction, feeBump } = openEnvelope(row.envelope);
  const payer = feeBump?.transaction.feeSource ?? transaction.sourceAccount;
  const key = payer.type === 0 ? payer.ed25519 : payer.med25519.ed25519;
  const place = placeOf(row.id);
  return {
    id: eventId(totalOrderId({ ...place, transaction: 0 }), place.transaction - 1),
    rendered: feeEvent({ type: 0, ed25519: key }, row.fee_charged),
    row,
    operationIndex: 0,
  };
}

/** What the operations of a transaction moved, one list for each; nothing of one that failed. */
export function operationEventsOf({ row, operations }: TransactionWithOperations): readonly (readonly LedgerEvent[])[] {
  if (!row.successful) return [];
  const { transaction } = openEnvelope(row.envelope);
  const results = operationResults(openResult(row.result)) ?? [];
  const place = placeOf(row.id);
  return transaction.operations.map((operation, index) => {
    const moved = operations[index]?.moved ?? null;
    const movements = movementsOf({ operation, transaction, result: innerResult(results[index]), moved });
    return movements.map((movement, event) => ({
      id: eventId(totalOrderId({ ...place, operation: index }), event),
      rendered: movementEvent(movement),
      row,
      operationIndex: index,
    }));
  });
}

/** Which events are looked for. */
interface EventSearch {
  /** Events behind this one; empty: from the first ledger on. */
  readonly after: string;
  readonly firstLedger: number;
  /** The ledger before which the search ends. */
  readonly endLedger: number;
  readonly filters: readonly EventFilter[];
  readonly limit: number;
}

/** Transactions that are read at a time. */
const transactionsAtATime = 500;

/** Events of the ledgers, in their order: they follow from the transactions, which are read as far as is needed. */
export async function findEvents(db: StellarDb, search: EventSearch): Promise<readonly LedgerEvent[]> {
  const { after, filters, limit } = search;
  const participants = accountsNamed(filters);
  const found: LedgerEvent[] = [];
  let from = ledgerId(firstLedgerOf(search));
  const to = ledgerId(search.endLedger);
  while (found.length < limit && from < to) {
    const rows = await transactionsIn(db, { from, to, participants, limit: transactionsAtATime });
    const isLast = rows.length < transactionsAtATime;
    // Fees of a ledger stand before all else in it, so a ledger is looked at as a whole.
    const end = isLast ? to : endOfWhole(rows.map(({ id }) => id));
    const whole = isLast
      ? rows
      : await transactionsIn(db, { from, to: end, participants, limit: Number.MAX_SAFE_INTEGER });
    const events = eventsOf(await withOperations(db, whole));
    found.push(...events.filter(({ id, rendered }) => id > after && isWanted(filters, rendered)));
    from = end;
  }
  return found.slice(0, limit);
}

/** The cursor may stand in the middle of a ledger. */
function firstLedgerOf({ after, firstLedger }: EventSearch): number {
  if (after === '') return firstLedger;
  return placeOf(BigInt(after.slice(0, 19))).ledger;
}

/** The id behind the ledger in which the last of the transactions is. */
function endOfWhole(ids: readonly bigint[]): bigint {
  return ledgerId(placeOf(ids.at(-1) ?? 0n).ledger + 1);
}

function eventsOf(transactions: readonly Parameters<typeof operationEventsOf>[0][]): readonly LedgerEvent[] {
  const events = transactions.flatMap(transaction => [
    feeEventOf(transaction.row),
    ...operationEventsOf(transaction).flat(),
  ]);
  return events.sort((a, b) => (a.id < b.id ? -1 : 1));
}
