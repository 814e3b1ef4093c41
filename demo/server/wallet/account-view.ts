import { extractBaseAddress, StrKey } from '@stellar/stellar-sdk/base';
import { formatUnits, parseUnits } from '../../../src/core/money.ts';
import { stellarDecimals } from '../../../src/core/stellar/stellar-amount.ts';
import type { ClaimableBalance, Gift, Holding, WalletAccount } from '../../wallet-messages.ts';
import { assetName, findAccount, type Horizon, type HorizonAccount } from './horizon.ts';
import { nameOf, testAssets } from './test-assets.ts';

/** Parses a decimal amount of Horizon into stroops. */
export function stroopsOf(text: string | undefined): bigint {
  return parseUnits(text ?? '0', stellarDecimals) ?? 0n;
}

/** Formats stroops as a decimal amount. */
export function textOf(stroops: bigint): string {
  return formatUnits(stroops, stellarDecimals);
}

/** Amounts that the faucet gives: friendbot gives XLM, issuers give their assets. */
const gifts: readonly Gift[] = [
  { asset: 'XLM', name: 'Lumens', amount: '10000' },
  ...testAssets.map(({ asset, name, gift }) => ({ asset, name, amount: gift })),
];

/** The account's holdings and spendable amounts. */
export async function accountView(horizon: Horizon, address: string): Promise<WalletAccount> {
  const account = await findAccount(horizon, address);
  if (account === null) return { address, exists: false, holdings: [], reserve: '0', gifts, claimableBalances: [] };
  const reserve = await reserveOf(horizon, account);
  const holdings = account.balances
    .filter(({ asset_type: type }) => type !== 'liquidity_pool_shares')
    .map(balance => holdingOf(balance, reserve))
    .sort(nativeFirst);
  const claimableBalances = await claimableBalancesOf(horizon, address);
  return { address, exists: true, holdings, reserve: textOf(reserve), gifts, claimableBalances };
}

async function claimableBalancesOf(horizon: Horizon, address: string): Promise<readonly ClaimableBalance[]> {
  const query = new URLSearchParams({ claimant: address, limit: '20' });
  return (await horizon.list<ClaimableBalance>(`/claimable_balances?${query}`)).map(({ id, asset, amount }) => ({
    id,
    amount,
    asset: asset === 'native' ? 'XLM' : asset,
  }));
}

/** Reserve in stroops: two base reserves, and one for each ledger entry that the account pays for (CAP-33). */
async function reserveOf(horizon: Horizon, account: HorizonAccount): Promise<bigint> {
  const [ledger] = await horizon.list<{ base_reserve_in_stroops: number }>('/ledgers?order=desc&limit=1');
  const entries = 2 + account.subentry_count + account.num_sponsoring - account.num_sponsored;
  return BigInt(entries) * BigInt(ledger?.base_reserve_in_stroops ?? 5_000_000);
}

function holdingOf(balance: HorizonAccount['balances'][number], reserve: bigint): Holding {
  const asset = assetName(balance);
  const promised = stroopsOf(balance.selling_liabilities) + (asset === 'XLM' ? reserve : 0n);
  const free = stroopsOf(balance.balance) - promised;
  const mayLeave = free > 0n && balance.is_authorized !== false;
  return { asset, balance: balance.balance, spendable: textOf(mayLeave ? free : 0n), name: nameOf(asset) };
}

/** Sorts XLM first, then by code. */
export function nativeFirst(a: { readonly asset: string }, b: { readonly asset: string }): number {
  return Number(b.asset === 'XLM') - Number(a.asset === 'XLM') || a.asset.localeCompare(b.asset);
}

/** The account (G…) of an address; a muxed address (M…) contains the account. */
export function baseAddress(address: string): string {
  return StrKey.isValidMed25519PublicKey(address) ? extractBaseAddress(address) : address;
}
