import type { LedgerKeyWire, OperationResultTrWire, OperationWire, TransactionWire } from '@stellar/stellar-sdk/xdr';
import type { AppliedTransaction } from '../core/ledger-close.ts';
import type { Movement } from '../core/operations/operation.ts';
import { accountOf, assetText, balanceIdText, hex, poolIdOf } from '../core/state/identifiers.ts';
import {
  claimedBy,
  decodeEnvelope,
  decodeResult,
  innerResult,
  operationResults,
  sourceOf,
} from './decoded-transaction.ts';
import { totalOrderId } from './total-order-id.ts';

/** The stored form of a transaction in history. */
export interface TransactionRecord {
  readonly id: bigint;
  readonly applied: AppliedTransaction;
  readonly operations: number;
  readonly maxFee: bigint;
  readonly participants: readonly string[];
}

/** The stored form of an operation in history. */
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

/** Operation types that Horizon lists as payments: account creation, the three kinds of payment, and account merge. */
const paymentTypes: ReadonlySet<number> = new Set([0, 1, 2, 8, 13]);

/** The records of all transactions of a closed ledger. */
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

/**
 * Accounts, pools and claimable balances whose history contains the operation, as in Horizon. Sellers of taken offers
 * are participants of the transaction only.
 */
export function operationParticipants(
  operation: OperationWire,
  transaction: TransactionWire,
  index: number,
  result: OperationResultTrWire | null,
): readonly string[] {
  const pools = claimedBy(result).flatMap(atom => (atom.type === 2 ? [hex(atom.liquidityPool.liquidityPoolId)] : []));
  const source = accountOf(sourceOf(operation, transaction));
  return [...new Set([source, ...others(operation, transaction, index, result), ...pools])];
}

function others(
  { body }: OperationWire,
  transaction: TransactionWire,
  index: number,
  result: OperationResultTrWire | null,
): readonly string[] {
  switch (body.type) {
    case 0:
      return [accountOf(body.createAccountOp.destination)];
    case 1:
      return [accountOf(body.paymentOp.destination)];
    case 2:
      return [accountOf(body.pathPaymentStrictReceiveOp.destination)];
    case 7:
      return [accountOf(body.allowTrustOp.trustor)];
    case 8:
      return [accountOf(body.destination)];
    case 13:
      return [accountOf(body.pathPaymentStrictSendOp.destination)];
    case 16:
      return [accountOf(body.beginSponsoringFutureReservesOp.sponsoredId)];
    case 17: {
      const begin = beginningOf(transaction, index);
      return begin === null ? [] : [accountOf(sourceOf(begin, transaction))];
    }
    case 18:
      return body.revokeSponsorshipOp.type === 0
        ? ownerOf(body.revokeSponsorshipOp.ledgerKey)
        : [accountOf(body.revokeSponsorshipOp.signer.accountId)];
    case 19:
      return [accountOf(body.clawbackOp.from)];
    case 21:
      return [accountOf(body.setTrustLineFlagsOp.trustor)];
    default:
      return heldInLedger(body, result);
  }
}

/** Claimable balances and pools that an operation creates, changes or deletes, and the claimants of a new balance. */
function heldInLedger(body: OperationWire['body'], result: OperationResultTrWire | null): readonly string[] {
  switch (body.type) {
    case 6:
      return poolOfLine(body.changeTrustOp.line);
    case 14:
      return [
        ...body.createClaimableBalanceOp.claimants.map(claimant => accountOf(claimant.v0.destination)),
        ...createdBalance(result),
      ];
    case 15:
      return [balanceIdText(body.claimClaimableBalanceOp.balanceId)];
    case 20:
      return [balanceIdText(body.clawbackClaimableBalanceOp.balanceId)];
    case 22:
      return [hex(body.liquidityPoolDepositOp.liquidityPoolId)];
    case 23:
      return [hex(body.liquidityPoolWithdrawOp.liquidityPoolId)];
    default:
      return [];
  }
}

/** The operation at `index` ends a sponsorship. Returns the operation that began that sponsorship. */
export function beginningOf(transaction: TransactionWire, index: number): OperationWire | null {
  const end = transaction.operations[index];
  if (end === undefined) return null;
  const sponsored = accountOf(sourceOf(end, transaction));
  for (let i = index - 1; i >= 0; i--) {
    const operation = transaction.operations[i];
    if (operation?.body.type !== 16) continue;
    if (accountOf(operation.body.beginSponsoringFutureReservesOp.sponsoredId) === sponsored) return operation;
  }
  return null;
}

function createdBalance(result: OperationResultTrWire | null): readonly string[] {
  if (result?.type !== 14 || result.createClaimableBalanceResult.code !== 0) return [];
  return [balanceIdText(result.createClaimableBalanceResult.balanceId)];
}

type ChangeTrustLine = Extract<OperationWire['body'], { type: 6 }>['changeTrustOp']['line'];

function poolOfLine(line: ChangeTrustLine): readonly string[] {
  if (line.type !== 3) return [];
  const { assetA, assetB } = line.liquidityPool.constantProduct;
  return [poolIdOf(assetText(assetA), assetText(assetB))];
}

function ownerOf(key: LedgerKeyWire): readonly string[] {
  switch (key.type) {
    case 0:
      return [accountOf(key.account.accountId)];
    case 1:
      return [accountOf(key.trustLine.accountId)];
    case 2:
      return [accountOf(key.offer.sellerId)];
    case 3:
      return [accountOf(key.data.accountId)];
    case 4:
      return [balanceIdText(key.claimableBalance.balanceId)];
    case 5:
      return [hex(key.liquidityPool.liquidityPoolId)];
    default:
      return [];
  }
}
