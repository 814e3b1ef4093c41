import type { ClaimableBalanceIdWire, TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import type { AppliedTransaction, ClosedLedger } from '../core/ledger-close.ts';
import { accountOf } from '../core/state/identifiers.ts';
import {
  claimedBy,
  innerResult,
  type OpenedEnvelope,
  openEnvelope,
  openResult,
  operationResults,
} from './decoded-transaction.ts';
import { followMovements, type HeldBefore, type Movement, type MovementFollower } from './movements.ts';
import { operationParticipants } from './participants.ts';
import { totalOrderId } from './total-order-id.ts';

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
  readonly moved: Movement | null;
}

/** What a closed ledger adds to history. */
export interface LedgerRecords {
  readonly transactions: readonly TransactionRecord[];
  readonly operations: readonly OperationRecord[];
}

/** A transaction of a closed ledger, decoded. */
interface OpenedApplied {
  readonly applied: AppliedTransaction;
  readonly envelope: OpenedEnvelope;
  readonly result: TransactionResultWire;
}

/** Decodes what a closed ledger applied. */
export function openApplied({ transactions }: ClosedLedger): readonly OpenedApplied[] {
  return transactions.map(applied => ({
    applied,
    envelope: openEnvelope(applied.envelopeXdr),
    result: openResult(applied.resultXdr),
  }));
}

/** Claimable balances that successful transactions used up. */
export function balancesUsed(opened: readonly OpenedApplied[]): readonly ClaimableBalanceIdWire[] {
  return opened.flatMap(({ applied, envelope }) =>
    applied.successful ? envelope.transaction.operations.flatMap(({ body }) => balanceUsed(body)) : [],
  );
}

type Body = OpenedEnvelope['transaction']['operations'][number]['body'];

function balanceUsed(body: Body): readonly ClaimableBalanceIdWire[] {
  if (body.type === 15) return [body.claimClaimableBalanceOp.balanceId];
  return body.type === 20 ? [body.clawbackClaimableBalanceOp.balanceId] : [];
}

/** What Horizon counts as a payment: making an account, the three kinds of payment, and merging accounts. */
const paymentTypes: ReadonlySet<number> = new Set([0, 1, 2, 8, 13]);

/** Reads out of a closed ledger whom its transactions and operations concern, and what they moved. */
export function recordsOf(sequence: number, opened: readonly OpenedApplied[], before: HeldBefore): LedgerRecords {
  const follower = followMovements(before);
  const records = opened.map((transaction, index) => record(transaction, sequence, index + 1, follower));
  return {
    transactions: records.map(({ transaction }) => transaction),
    operations: records.flatMap(({ operations }) => operations),
  };
}

function record({ applied, envelope, result }: OpenedApplied, ledger: number, place: number, moves: MovementFollower) {
  const results = operationResults(result) ?? [];
  const { transaction } = envelope;
  const sellers: string[] = [];
  const operations = transaction.operations.map((operation, index): OperationRecord => {
    const outcome = applied.successful ? innerResult(results[index]) : null;
    for (const atom of claimedBy(outcome)) if (atom.type === 1) sellers.push(accountOf(atom.orderBook.sellerId));
    return {
      id: totalOrderId({ ledger, transaction: place, operation: index + 1 }),
      payment: paymentTypes.has(operation.body.type),
      successful: applied.successful,
      participants: operationParticipants(operation, transaction, index, outcome),
      moved: applied.successful ? moves.follow(operation, outcome) : null,
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
