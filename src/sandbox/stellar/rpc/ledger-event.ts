import type { OperationRow } from '../horizon/operation-resource.ts';
import type { TransactionRow } from '../horizon/transaction-resource.ts';
import { placeOf, totalOrderId } from '../total-order-id.ts';
import { innerResult, openEnvelope, openResult, operationResults } from '../transaction-xdr.ts';
import { movementsOf } from './asset-movement.ts';
import { feeEvent, movementEvent, type RenderedEvent } from './contract-event.ts';

/** An event and where it happened. */
export interface LedgerEvent {
  /** Orders all events: that of the operation, and the event’s number in it. */
  readonly id: string;
  readonly rendered: RenderedEvent;
  readonly row: TransactionRow;
  /** From 0. */
  readonly operationIndex: number;
}

/** A transaction with what history keeps of its operations, in their order. */
export interface TransactionWithOperations {
  readonly row: TransactionRow;
  readonly operations: readonly OperationRow[];
}

/** A place among events, as RPC writes it. */
export function eventId(operationId: bigint, event: number): string {
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
