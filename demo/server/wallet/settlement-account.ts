import { createHash } from 'node:crypto';
import { Keypair, Operation } from '@stellar/stellar-sdk/base';
import type { PayClient } from '../../../src/api/client.ts';
import type { ShopTakings } from '../../wallet-messages.ts';
import { accountView, baseAddress } from './account-view.ts';
import { assetOf } from './drafts.ts';
import { historyView } from './history-view.ts';
import { assetName, findAccount, type Horizon, type LedgerDeps } from './horizon.ts';
import { carryOut } from './submissions.ts';
import { testAssets } from './test-assets.ts';

interface SettlementAccountDeps extends LedgerDeps {
  readonly client: PayClient;
  readonly secretKey: string;
}

/**
 * Opens a settlement account for the shop on the test network, with trustlines for all test assets, and registers it
 * with the service. Keeps an address that the owner has set. The key is derived from the shop's secret key, so an
 * interrupted start continues with the same account. Throws WalletError without a test network.
 */
export async function openSettlementAccount(deps: SettlementAccountDeps): Promise<void> {
  const { client, horizon, secretKey } = deps;
  const { settlement } = await client.account.retrieve();
  if (settlement.stellar_address !== null) return;
  await horizon.passphrase();
  const seed = createHash('sha256').update(`nordlys takings\n${secretKey}`).digest();
  const key = Keypair.fromRawEd25519Seed(seed);
  const address = key.publicKey();
  if ((await findAccount(horizon, address)) === null) await horizon.createAccount(address);
  const account = await findAccount(horizon, address);
  const held = new Set(account?.balances.map(assetName));
  const missing = testAssets.filter(({ asset }) => !held.has(asset));
  if (missing.length > 0) {
    const trust = missing.map(({ asset }) => Operation.changeTrust({ asset: assetOf(asset) }));
    await carryOut(deps, key, trust);
  }
  await client.account.update({ settlement: { stellar_address: address } });
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
