/** A position in history: ledger, transaction in the ledger, operation in the transaction. */
export interface HistoryPosition {
  readonly ledger: number;
  /** Counts from 1. 0 is the ledger itself. */
  readonly transaction: number;
  /** Counts from 1. 0 is the transaction itself. */
  readonly operation: number;
}

/** The number that orders positions in history (SEP-35): 32 bits ledger, 20 bits transaction, 12 bits operation. */
export function totalOrderId({ ledger, transaction, operation }: HistoryPosition): bigint {
  return (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation);
}

export function positionOf(id: bigint): HistoryPosition {
  return {
    ledger: Number(id >> 32n),
    transaction: Number((id >> 12n) & 0xfffffn),
    operation: Number(id & 0xfffn),
  };
}

/** The id of a ledger. Ids of its transactions and operations are larger. */
export const ledgerId = (ledger: number): bigint => totalOrderId({ ledger, transaction: 0, operation: 0 });

/** The id of the transaction that contains an operation. */
export const transactionIdOf = (operationId: bigint): bigint => operationId & ~0xfffn;
