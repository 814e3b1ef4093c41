import type { LedgerKeyWire, OperationResultTrWire, OperationWire, TransactionWire } from '@stellar/stellar-sdk/xdr';
import { accountOf, assetText, balanceIdText, hex, poolIdOf } from '../core/state/identifiers.ts';
import { claimedBy, sourceOf } from './decoded-transaction.ts';

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

/** Claimable balances and pools that an operation creates or changes. */
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

/** The operation that began the sponsorship which the operation at `index` ends. */
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
