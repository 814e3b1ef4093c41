import type { AppliedTransaction } from '../core/ledger-close.ts';
import type { Movement } from '../core/operations/operation.ts';
import { accountOf } from '../core/state/identifiers.ts';
import { claimedBy, decodeEnvelope, decodeResult, innerResult, operationResults } from './decoded-transaction.ts';
import { operationParticipants } from './participants.ts';
import { totalOrderId } from './total-order-id.ts';

/** A transaction as history stores it. */
export interface TransactionRecord {
  readonly id: bigint;
  readonly applied: AppliedTransaction;
  readonly operations: number;
  readonly maxFee: bigint;
  readonly participants: readonly string[];
}

/** An operation as history stores it. */
export interface OperationRecord {
  readonly id: bigint;
  readonly payment: boolean;
  readonly successful: boolean;
  readonly participants: readonly string[];
  readonly moved: Movement | null;
}

/** The records that a closed ledger adds to history. */
export interface LedgerRecords {
  readonly transactions: readonly TransactionRecord[];
  readonly operations: readonly OperationRecord[];
}

/** Operation types that Horizon lists as payments: account creation, the three payments and account merge. */
const paymentTypes: ReadonlySet<number> = new Set([0, 1, 2, 8, 13]);

/** The records of a closed ledger’s transactions. */
export function recordsOf(ledger: number, transactions: readonly AppliedTransaction[]): LedgerRecords {
  const records = transactions.map((applied, index) => recordOf(applied, ledger, index + 1));
  return {
    transactions: records.map(({ transaction }) => transaction),
    operations: records.flatMap(({ operations }) => operations),
  };
}

function recordOf(applied: AppliedTransaction, ledger: number, position: number) {
  const { successful } = applied;
  const { transaction, feeBump } = decodeEnvelope(applied.envelopeXdr);
  const results = successful ? operationResults(decodeResult(applied.resultXdr)) : [];
  const participants = new Set([accountOf(transaction.sourceAccount)]);
  if (feeBump) participants.add(accountOf(feeBump.transaction.feeSource));
  const operations = transaction.operations.map((operation, index): OperationRecord => {
    const result = innerResult(results[index]);
    for (const atom of claimedBy(result)) if (atom.type === 1) participants.add(accountOf(atom.orderBook.sellerId));
    return {
      id: totalOrderId({ ledger, transaction: position, operation: index + 1 }),
      payment: paymentTypes.has(operation.body.type),
      successful,
      participants: operationParticipants(operation, transaction, index, result),
      moved: applied.movements[index] ?? null,
    };
  });
  for (const operation of operations) for (const participant of operation.participants) participants.add(participant);
  return {
    transaction: {
      id: totalOrderId({ ledger, transaction: position, operation: 0 }),
      applied,
      operations: operations.length,
      maxFee: feeBump?.transaction.fee ?? BigInt(transaction.fee),
      participants: [...participants],
    },
    operations,
  };
}
