import type {
  ClaimableBalanceIdWire,
  MemoWire,
  MuxedAccountWire,
  OperationResultTrWire,
  OperationWire,
  PublicKeyWire,
  ScAddressWire,
  TransactionWire,
} from '@stellar/stellar-sdk/xdr';
import { accountOf, allowTrustAsset, assetText, issuerOf } from '../core/state/identifiers.ts';
import { claimedBy, sourceOf } from '../history/decoded-transaction.ts';
import type { StoredMovement } from '../tables.ts';

/** A movement of an asset, with the content of its contract event (CAP-67). Amounts are stroops. */
export interface AssetMovement {
  readonly kind: 'transfer' | 'mint' | 'burn' | 'clawback';
  /** `native` or `CODE:ISSUER`. */
  readonly asset: string;
  /** The sender. Null for a mint, which creates the amount. */
  readonly from: ScAddressWire | null;
  /** The receiver, possibly muxed. Null for a burn or clawback, which destroys the amount. */
  readonly to: ScAddressWire | null;
  readonly amount: bigint;
  /** The transaction’s memo. It identifies the receiver if `to` is not muxed. Null if the event must not contain it. */
  readonly memo: MemoWire | null;
}

/** A change of an account’s authorization to hold an asset. */
export interface AuthorizationChange {
  readonly kind: 'set_authorized';
  readonly asset: string;
  readonly account: PublicKeyWire;
  readonly authorized: boolean;
}

/** An operation of a successful transaction. */
interface AppliedOperation {
  readonly operation: OperationWire;
  readonly transaction: TransactionWire;
  readonly result: OperationResultTrWire | null;
  readonly moved: StoredMovement | null;
}

/**
 * The movements of an operation, in stellar-core’s order (`OpEventManager`). The redemption of pool shares after a
 * revocation is not included.
 */
export function movementsOf(applied: AppliedOperation): readonly (AssetMovement | AuthorizationChange)[] {
  const { operation, transaction, result } = applied;
  const { body } = operation;
  const source = addressOf(sourceOf(operation, transaction));
  const { memo } = transaction;
  switch (body.type) {
    case 0: {
      const { destination, startingBalance: amount } = body.createAccountOp;
      return [{ kind: 'transfer', asset: 'native', from: source, to: accountAddress(destination), amount, memo }];
    }
    case 1: {
      const { asset, destination, amount } = body.paymentOp;
      return [transfer(assetText(asset), source, addressOf(destination), amount, memo)];
    }
    case 2:
    case 13:
      return pathMovements(applied, body, source);
    case 3:
    case 4:
    case 12:
      return trades(result, source);
    case 8:
      return merged(result, source, addressOf(body.destination), memo);
    case 7:
    case 21:
      return authorization(body, transaction, operation);
    default:
      return heldMovements(applied, source);
  }
}

type Body<Type extends number> = Extract<OperationWire['body'], { type: Type }>;

function pathMovements(
  { result, transaction }: AppliedOperation,
  body: Body<2> | Body<13>,
  source: ScAddressWire,
): readonly AssetMovement[] {
  const op = body.type === 2 ? body.pathPaymentStrictReceiveOp : body.pathPaymentStrictSendOp;
  const last = transfer(assetText(op.destAsset), source, addressOf(op.destination), received(result), transaction.memo);
  return [...trades(result, source), last];
}

function received(result: OperationResultTrWire | null): bigint {
  if (result?.type === 2 && result.pathPaymentStrictReceiveResult.code === 0) {
    return result.pathPaymentStrictReceiveResult.success.last.amount;
  }
  if (result?.type === 13 && result.pathPaymentStrictSendResult.code === 0) {
    return result.pathPaymentStrictSendResult.success.last.amount;
  }
  return 0n;
}

/** Two movements for each trade: to the offer or pool, and from the offer or pool. */
function trades(result: OperationResultTrWire | null, source: ScAddressWire): readonly AssetMovement[] {
  return claimedBy(result).flatMap(atom => {
    if (atom.type === 0) return [];
    const trade = atom.type === 1 ? atom.orderBook : atom.liquidityPool;
    const other: ScAddressWire =
      atom.type === 1
        ? accountAddress(atom.orderBook.sellerId)
        : { type: 4, liquidityPoolId: atom.liquidityPool.liquidityPoolId };
    return [
      transfer(assetText(trade.assetBought), source, other, trade.amountBought, null),
      transfer(assetText(trade.assetSold), other, source, trade.amountSold, null),
    ];
  });
}

function merged(
  result: OperationResultTrWire | null,
  from: ScAddressWire,
  to: ScAddressWire,
  memo: MemoWire,
): readonly AssetMovement[] {
  if (result?.type !== 8 || result.accountMergeResult.code !== 0) return [];
  const amount = result.accountMergeResult.sourceAccountBalance;
  return [{ kind: 'transfer', asset: 'native', from, to, amount, memo }];
}

/** The change of authorization. Empty if the operation neither sets nor clears the flag `authorized`. */
function authorization(
  body: Body<7> | Body<21>,
  transaction: TransactionWire,
  operation: OperationWire,
): readonly AuthorizationChange[] {
  if (body.type === 7) {
    const { asset: code, trustor, authorize } = body.allowTrustOp;
    const asset = allowTrustAsset(code, accountOf(sourceOf(operation, transaction)));
    return [{ kind: 'set_authorized', asset: assetText(asset), account: trustor, authorized: (authorize & 1) !== 0 }];
  }
  const { asset, trustor, setFlags, clearFlags } = body.setTrustLineFlagsOp;
  if (((setFlags | clearFlags) & 1) === 0) return [];
  return [{ kind: 'set_authorized', asset: assetText(asset), account: trustor, authorized: (setFlags & 1) !== 0 }];
}

/** Movements of claimable balances and pools, and clawbacks. */
function heldMovements({ operation, transaction, result, moved }: AppliedOperation, source: ScAddressWire) {
  const { body } = operation;
  const { memo } = transaction;
  const held = moved?.assets.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })) ?? [];
  switch (body.type) {
    case 14: {
      const created = result?.type === 14 ? result.createClaimableBalanceResult : null;
      if (created?.code !== 0) return [];
      const { asset, amount } = body.createClaimableBalanceOp;
      return [transfer(assetText(asset), source, balanceAddress(created.balanceId), amount, null)];
    }
    case 15: {
      const from = balanceAddress(body.claimClaimableBalanceOp.balanceId);
      return held.map(({ asset, amount }) => transfer(asset, from, source, amount, memo));
    }
    case 19:
      return [clawback(assetText(body.clawbackOp.asset), addressOf(body.clawbackOp.from), body.clawbackOp.amount)];
    case 20: {
      const from = balanceAddress(body.clawbackClaimableBalanceOp.balanceId);
      return held.map(({ asset, amount }) => clawback(asset, from, amount));
    }
    case 22: {
      const pool: ScAddressWire = { type: 4, liquidityPoolId: body.liquidityPoolDepositOp.liquidityPoolId };
      return held.map(({ asset, amount }) => transfer(asset, source, pool, amount, null));
    }
    case 23: {
      const pool: ScAddressWire = { type: 4, liquidityPoolId: body.liquidityPoolWithdrawOp.liquidityPoolId };
      return held.map(({ asset, amount }) => transfer(asset, pool, source, amount, memo));
    }
    default:
      return [];
  }
}

/** The movement of a payment. A payment from the issuer is a mint. A payment to the issuer is a burn. */
function transfer(
  asset: string,
  from: ScAddressWire,
  to: ScAddressWire,
  amount: bigint,
  memo: MemoWire | null,
): AssetMovement {
  const [byIssuer, toIssuer] = [isIssuer(from, asset), isIssuer(to, asset)];
  if (byIssuer === toIssuer) return { kind: 'transfer', asset, from, to, amount, memo };
  if (byIssuer) return { kind: 'mint', asset, from: null, to, amount, memo };
  return { kind: 'burn', asset, from, to: null, amount, memo: null };
}

function clawback(asset: string, from: ScAddressWire, amount: bigint): AssetMovement {
  return { kind: 'clawback', asset, from, to: null, amount, memo: null };
}

function isIssuer(address: ScAddressWire, asset: string): boolean {
  const issuer = issuerOf(asset);
  if (issuer === null) return false;
  if (address.type === 0) return accountOf(address.accountId) === issuer;
  return address.type === 2 && accountOf({ type: 0, ed25519: address.muxedAccount.ed25519 }) === issuer;
}

function addressOf(account: MuxedAccountWire): ScAddressWire {
  if (account.type === 256) return { type: 2, muxedAccount: account.med25519 };
  return { type: 0, accountId: { type: 0, ed25519: account.ed25519 } };
}

function accountAddress(accountId: PublicKeyWire): ScAddressWire {
  return { type: 0, accountId };
}

function balanceAddress(claimableBalanceId: ClaimableBalanceIdWire): ScAddressWire {
  return { type: 3, claimableBalanceId };
}
