import { accountOf } from '../core/account-key.ts';
import type { AppliedTransaction, ClosedLedger, LiquidityPool } from '../ledger.ts';
import { totalOrderId } from '../total-order-id.ts';
import {
  claimedBy,
  innerResult,
  type OpenedEnvelope,
  openEnvelope,
  openResult,
  operationResults,
} from '../transaction-xdr.ts';
import { operationParticipants } from './participants.ts';
import { followPools, type PoolFollower, type PoolMove } from './pool-moves.ts';

/** A transaction as history keeps it. */
export interface TransactionRecord {
  readonly id: bigint;
  readonly applied: AppliedTransaction;
  readonly operations: number;
  readonly maxFee: bigint;
  readonly participants: readonly string[];
}

/** An operation as history keeps it. */
export interface OperationRecord {
  readonly id: bigint;
  readonly payment: boolean;
  readonly successful: boolean;
  readonly participants: readonly string[];
  /** What it moved into a pool or out of it, for shares. */
  readonly poolMove: PoolMove | null;
}

/** What a closed ledger adds to history. */
export interface LedgerRecords {
  readonly transactions: readonly TransactionRecord[];
  readonly operations: readonly OperationRecord[];
}

/** What Horizon counts as a payment: making an account, the three kinds of payment, and merging accounts. */
const paymentTypes: ReadonlySet<number> = new Set([0, 1, 2, 8, 13]);

/** Reads out of a closed ledger whom its transactions and operations concern. `pools` are those there were before it. */
export function recordsOf({ header, transactions }: ClosedLedger, pools: Iterable<LiquidityPool>): LedgerRecords {
  const follower = followPools(pools);
  const records = transactions.map((applied, index) => record(applied, header.sequence, index + 1, follower));
  return {
    transactions: records.map(({ transaction }) => transaction),
    operations: records.flatMap(({ operations }) => operations),
  };
}

function record(applied: AppliedTransaction, ledger: number, place: number, pools: PoolFollower) {
  const envelope = openEnvelope(applied.envelopeXdr);
  const results = operationResults(openResult(applied.resultXdr)) ?? [];
  const { transaction } = envelope;
  const sellers: string[] = [];
  const operations = transaction.operations.map((operation, index): OperationRecord => {
    const result = applied.successful ? innerResult(results[index]) : null;
    for (const atom of claimedBy(result)) if (atom.type === 1) sellers.push(accountOf(atom.orderBook.sellerId));
    return {
      id: totalOrderId({ ledger, transaction: place, operation: index + 1 }),
      payment: paymentTypes.has(operation.body.type),
      successful: applied.successful,
      participants: operationParticipants(operation, transaction, index, result),
      poolMove: applied.successful ? pools.follow(operation, result) : null,
    };
  });
  const concerned = [...payers(envelope), ...sellers, ...operations.flatMap(({ participants }) => participants)];
  return {
    transaction: {
      id: totalOrderId({ ledger, transaction: place, operation: 0 }),
      applied,
      operations: operations.length,
      maxFee: envelope.feeBump?.transaction.fee ?? BigInt(transaction.fee),
      participants: [...new Set(concerned)],
    },
    operations,
  };
}

function payers({ transaction, feeBump }: OpenedEnvelope): string[] {
  const source = accountOf(transaction.sourceAccount);
  return feeBump === null ? [source] : [source, accountOf(feeBump.transaction.feeSource)];
}
