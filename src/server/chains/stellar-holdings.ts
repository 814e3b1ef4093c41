import { basisPointsOf } from '../../core/money.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import type { PaymentPath, StellarBalance, StellarNetwork } from '../stellar/network.ts';
import type { WalletHolding } from './chain.ts';

/** The most by which a conversion may cost more than expected: 0.5 %. */
export const slippageBasisPoints = 50;

/** Whether the text is an account (G…). */
export function isAccount(address: string): boolean {
  return address.startsWith('G') && isStellarAddress(address);
}

/** Reads the account's spendable balances, and the cost of `due` with each. */
export async function readHoldings(
  network: Pick<StellarNetwork, 'account' | 'strictReceivePaths'>,
  address: string,
  due: { readonly asset: string; readonly amount: bigint },
) {
  if (!isAccount(address)) return { problem: 'wrong_address', assets: [] } as const;
  const account = await network.account(address);
  if (account === null) return { problem: 'account_missing', assets: [] } as const;
  const held = account.balances.filter(({ authorized, spendable }) => authorized && spendable > 0n);
  const paths = await network.strictReceivePaths({ sourceAssets: held.map(({ asset }) => asset), ...due });
  return { problem: null, assets: held.map(balance => holdingOf(balance, due, paths)) };
}

/** The cost of `due` if it is paid from a balance. `paths` lists the cheapest path of each asset first. */
export function holdingOf(
  { asset, spendable: balance }: StellarBalance,
  due: { readonly asset: string; readonly amount: bigint },
  paths: readonly PaymentPath[],
): WalletHolding {
  if (asset === due.asset) return { asset, balance, amount: due.amount, amountMax: due.amount, path: [] };
  const cheapest = paths.find(({ sourceAsset }) => sourceAsset === asset);
  if (cheapest === undefined) return { asset, balance, amount: null, amountMax: null, path: [] };
  const { sourceAmount: amount, path } = cheapest;
  return { asset, balance, amount, amountMax: amount + basisPointsOf(amount, slippageBasisPoints), path };
}
