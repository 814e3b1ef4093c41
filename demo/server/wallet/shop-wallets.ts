import { createHash } from 'node:crypto';
import { Keypair, Operation } from '@stellar/stellar-sdk/base';
import type { PayClient } from '../../../src/api/client.ts';
import type { ShopTakings } from '../../wallet-messages.ts';
import { accountView, baseAddress } from './account-view.ts';
import { assetOf } from './drafts.ts';
import { historyView } from './history-view.ts';
import { assetName, findAccount, type Horizon, type LedgerDeps } from './horizon.ts';
import { carryOut } from './submissions.ts';
import { type TestAsset, testAssets } from './test-assets.ts';

/**
 * Opens the payees' wallets with a trustline for test dollars. Their keys are derived from the shop's secret key, so
 * each call returns the same addresses. Throws WalletError without a test network.
 */
export async function openPayees(
  { secretKey, ...deps }: LedgerDeps & { readonly secretKey: string },
  count: number,
): Promise<string[]> {
  await deps.horizon.passphrase();
  const dollars = testAssets.filter(({ asset }) => asset.startsWith('USDC:'));
  const keys = Array.from({ length: count }, (_, index) => keyOf(`payee ${index}`, secretKey));
  return await Promise.all(keys.map(key => openAccount(deps, key, dollars)));
}

function keyOf(use: string, secretKey: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(`nordlys ${use}\n${secretKey}`).digest());
}

/** Opens the account and its trustlines, where they are missing. Returns its address. */
async function openAccount(deps: LedgerDeps, key: Keypair, assets: readonly TestAsset[]): Promise<string> {
  const { horizon } = deps;
  const address = key.publicKey();
  if ((await findAccount(horizon, address)) === null) await horizon.createAccount(address);
  const account = await findAccount(horizon, address);
  const held = new Set(account?.balances.map(assetName));
  const missing = assets.filter(({ asset }) => !held.has(asset));
  if (missing.length > 0) {
    const trust = missing.map(({ asset }) => Operation.changeTrust({ asset: assetOf(asset) }));
    await carryOut(deps, key, trust);
  }
  return address;
}

/** The shop's settlement account and its recent payments. */
export async function readTakings(horizon: Horizon, client: PayClient): Promise<ShopTakings> {
  const { name, settlement } = await client.account.retrieve();
  const address = settlement.stellar_address;
  if (address === null) return { name, account: null, movements: [] };
  const [account, { movements }] = await Promise.all([
    accountView(horizon, baseAddress(address)),
    historyView(horizon, baseAddress(address)),
  ]);
  return { name, account, movements };
}
