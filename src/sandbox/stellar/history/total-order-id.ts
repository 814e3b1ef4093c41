/** Where something stands in the network’s history: ledger, transaction in the ledger, operation in the transaction. */
interface HistoryPlace {
  readonly ledger: number;
  /** From 1; 0 is the ledger itself. */
  readonly transaction: number;
  /** From 1; 0 is the transaction itself. */
  readonly operation: number;
}

/** A place as one number that orders all of history (SEP-35): 32 bits of ledger, 20 of transaction, 12 of operation. */
export function totalOrderId({ ledger, transaction, operation }: HistoryPlace): bigint {
  return (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation);
}

/** The place of a total order id. */
export function placeOf(id: bigint): HistoryPlace {
  return {
    ledger: Number(id >> 32n),
    transaction: Number((id >> 12n) & 0xfffffn),
    operation: Number(id & 0xfffn),
  };
}

/** The id of a ledger: smaller than that of everything in it. */
export function ledgerId(ledger: number): bigint {
  return totalOrderId({ ledger, transaction: 0, operation: 0 });
}

/** The id of the transaction that an operation belongs to. */
export function transactionIdOf(operationId: bigint): bigint {
  return operationId & ~0xfffn;
}
