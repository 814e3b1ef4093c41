import type { LedgerKeyWire, OperationWire, RevokeSponsorshipOpWire } from '@stellar/stellar-sdk/xdr';
import { accountOf, assetText, balanceIdText, signerText } from '../../core/state/identifiers.ts';
import type { StoredMovement } from '../../tables.ts';
import { amountText, type Fields, priceText } from './fields.ts';

type Deposit = Extract<OperationWire['body'], { type: 22 }>['liquidityPoolDepositOp'];
type Withdrawal = Extract<OperationWire['body'], { type: 23 }>['liquidityPoolWithdrawOp'];

/** The fields of a pool deposit. `moved` is null if the transaction failed. */
export function depositDetails(op: Deposit, moved: StoredMovement | null): Fields {
  return {
    liquidity_pool_id: Buffer.from(op.liquidityPoolId).toString('hex'),
    reserves_max: reserves(moved, [op.maxAmountA, op.maxAmountB]),
    min_price: priceText(op.minPrice),
    min_price_r: { n: op.minPrice.n, d: op.minPrice.d },
    max_price: priceText(op.maxPrice),
    max_price_r: { n: op.maxPrice.n, d: op.maxPrice.d },
    reserves_deposited: reserves(moved, amountsOf(moved)),
    shares_received: amountText(BigInt(moved?.shares ?? 0)),
  };
}

/** The fields of a pool withdrawal. `moved` is null if the transaction failed. */
export function withdrawalDetails(op: Withdrawal, moved: StoredMovement | null): Fields {
  return {
    liquidity_pool_id: Buffer.from(op.liquidityPoolId).toString('hex'),
    reserves_min: reserves(moved, [op.minAmountA, op.minAmountB]),
    shares: amountText(op.amount),
    reserves_received: reserves(moved, amountsOf(moved)),
  };
}

function amountsOf(moved: StoredMovement | null): readonly bigint[] {
  return moved === null ? [0n, 0n] : moved.assets.map(({ amount }) => BigInt(amount));
}

/** Amounts with the pool’s assets. Like Horizon, leaves the assets of a failed transaction empty. */
function reserves(moved: StoredMovement | null, amounts: readonly bigint[]): readonly Fields[] {
  return amounts.map((amount, index) => ({ asset: moved?.assets[index]?.asset ?? '', amount: amountText(amount) }));
}

/** The fields of a revoked sponsorship. */
export function sponsorshipFields(op: RevokeSponsorshipOpWire): Fields {
  if (op.type === 0) return keyFields(op.ledgerKey);
  return { signer_account_id: accountOf(op.signer.accountId), signer_key: signerText(op.signer.signerKey) };
}

function keyFields(key: LedgerKeyWire): Fields {
  switch (key.type) {
    case 0:
      return { account_id: accountOf(key.account.accountId) };
    case 1: {
      const { accountId, asset } = key.trustLine;
      const line = assetText(asset);
      const name = asset.type === 3 ? 'trustline_liquidity_pool_id' : 'trustline_asset';
      return { trustline_account_id: accountOf(accountId), [name]: line };
    }
    case 2:
      return { offer_id: String(key.offer.offerId) };
    case 3:
      return { data_account_id: accountOf(key.data.accountId), data_name: key.data.dataName.toString() };
    case 4:
      return { claimable_balance_id: balanceIdText(key.claimableBalance.balanceId) };
    case 5:
      return { liquidity_pool_id: Buffer.from(key.liquidityPool.liquidityPoolId).toString('hex') };
    default:
      return {};
  }
}
