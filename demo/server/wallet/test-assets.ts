import { createHash } from 'node:crypto';
import { Keypair, Operation } from '@stellar/stellar-sdk/base';
import { findAccount, type LedgerDeps } from './horizon.ts';
import { carryOut } from './submissions.ts';

/** Test assets by code: name, and the amount of one gift. */
const gifts: Readonly<Record<string, readonly [name: string, gift: string]>> = {
  USDC: ['Test dollars', '500'],
  EURC: ['Test euros', '500'],
  NGNC: ['Test naira', '750000'],
  BRLC: ['Test reais', '2500'],
};

/**
 * The key of a test asset's issuer. Its seed is public (`sha256('pay-checkout sandbox/issuer/CODE')`), so anyone can
 * issue the asset.
 */
function issuerOf(code: string): Keypair {
  const seed = createHash('sha256').update(`pay-checkout sandbox/issuer/${code}`).digest();
  return Keypair.fromRawEd25519Seed(seed);
}

export interface TestAsset {
  readonly asset: string;
  readonly name: string;
  readonly issuer: Keypair;
  /** Amount of one gift. */
  readonly gift: string;
}

export const testAssets: readonly TestAsset[] = Object.entries(gifts).map(([code, [name, gift]]) => {
  const issuer = issuerOf(code);
  return { asset: `${code}:${issuer.publicKey()}`, name, issuer, gift };
});

/** The name of a known asset, or null. Anyone may issue an asset with the code USDC. */
export function nameOf(asset: string): string | null {
  return asset === 'XLM' ? 'Lumens' : (testAssets.find(known => known.asset === asset)?.name ?? null);
}

/**
 * Gives the account XLM. Friendbot can only open accounts. For an existing account it opens a second account, which is
 * then merged into the first.
 */
export async function giveXlm(deps: LedgerDeps, address: string): Promise<void> {
  if ((await findAccount(deps.horizon, address)) === null) {
    await deps.horizon.createAccount(address);
    return;
  }
  const giver = Keypair.random();
  await deps.horizon.createAccount(giver.publicKey());
  await carryOut(deps, giver, [Operation.accountMerge({ destination: address })]);
}
