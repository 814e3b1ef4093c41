import { decodeEnvelope, decodeResult, innerResult, operationResults } from '../history/decoded-transaction.ts';
import { type TransactionWithOperations, transactionsIn, withOperations } from '../history/read-history.store.ts';
import { ledgerId, positionOf, totalOrderId } from '../history/total-order-id.ts';
import type { StellarDb, TransactionRow } from '../tables.ts';
import { movementsOf } from './asset-movement.ts';
import { feeEvent, movementEvent, type RpcEvent } from './contract-event.ts';
import { accountsNamed, type EventFilter, isWanted } from './event-filter.ts';

/** An event and its position in history. */
export interface LedgerEvent {
  /** The event’s position, as in Stellar RPC. The order of these texts is the order of the events. */
  readonly id: string;
  readonly event: RpcEvent;
  readonly row: TransactionRow;
  /** The operation’s index in the transaction, from 0. */
  readonly operationIndex: number;
}

/** The id of an event, as in Stellar RPC: the operation’s position, and the event’s number at that position. */
function eventId(operationId: bigint, event: number): string {
  return `${String(operationId).padStart(19, '0')}-${String(event).padStart(10, '0')}`;
}

/** An id that is larger than the ids of all events of the ledger. */
export const endOfLedger = (ledger: number): string => eventId(ledgerId(ledger + 1) - 1n, 0xffff_ffff);

/** The event of a transaction’s fee. Fees are charged first, so fee events are the first events of a ledger. */
export function feeEventOf(row: TransactionRow): LedgerEvent {
  const { transaction, feeBump } = decodeEnvelope(row.envelope);
  const payer = feeBump?.transaction.feeSource ?? transaction.sourceAccount;
  const key = payer.type === 0 ? payer.ed25519 : payer.med25519.ed25519;
  const position = positionOf(row.id);
  return {
    id: eventId(totalOrderId({ ...position, transaction: 0 }), position.transaction - 1),
    event: feeEvent({ type: 0, ed25519: key }, row.fee_charged),
    row,
    operationIndex: 0,
  };
}

/** The events of each operation. Empty for a failed transaction. */
export function operationEventsOf({ row, operations }: TransactionWithOperations): readonly (readonly LedgerEvent[])[] {
  if (!row.successful) return [];
  const { transaction } = decodeEnvelope(row.envelope);
  const results = operationResults(decodeResult(row.result));
  const position = positionOf(row.id);
  return transaction.operations.map((operation, index) => {
    const moved = operations[index]?.moved ?? null;
    const movements = movementsOf({ operation, transaction, result: innerResult(results[index]), moved });
    return movements.map((movement, number) => ({
      id: eventId(totalOrderId({ ...position, operation: index }), number),
      event: movementEvent(movement),
      row,
      operationIndex: index,
    }));
  });
}

interface EventSearch {
  /** The search starts after the event with this id. Empty: the search starts at `firstLedger`. */
  readonly after: string;
  readonly firstLedger: number;
  /** The search ends before this ledger. */
  readonly endLedger: number;
  readonly filters: readonly EventFilter[];
  readonly limit: number;
}

/** The number of transactions that the first query of a batch reads. */
const batchSize = 500;

/** Finds events in order. Derives the events from transactions, and reads transactions until the limit is reached. */
export async function findEvents(db: StellarDb, search: EventSearch): Promise<readonly LedgerEvent[]> {
  const { after, firstLedger, filters, limit } = search;
  const participants = accountsNamed(filters);
  const found: LedgerEvent[] = [];
  let from = ledgerId(after === '' ? firstLedger : positionOf(BigInt(after.slice(0, 19))).ledger);
  const to = ledgerId(search.endLedger);
  while (found.length < limit && from < to) {
    const rows = await transactionsIn(db, { from, to, participants, limit: batchSize });
    const isLast = rows.length < batchSize;
    // Fee events come first in a ledger, so a ledger must be complete before its events are sorted.
    const end = isLast ? to : ledgerId(positionOf(rows.at(-1)?.id ?? 0n).ledger + 1);
    const complete = isLast
      ? rows
      : await transactionsIn(db, { from, to: end, participants, limit: Number.MAX_SAFE_INTEGER });
    const events = (await withOperations(db, complete))
      .flatMap(transaction => [feeEventOf(transaction.row), ...operationEventsOf(transaction).flat()])
      .filter(({ id, event }) => id > after && isWanted(filters, event));
    found.push(...events.sort((a, b) => (a.id < b.id ? -1 : 1)));
    from = end;
  }
  return found.slice(0, limit);
}
