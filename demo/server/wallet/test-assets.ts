import { createHash } from 'node:crypto';
import { Keypair, Operation } from '@stellar/stellar-sdk/base';
import { findAccount, type LedgerDeps } from './horizon.ts';
import { carryOut } from './submissions.ts';

/** The test assets by their codes: their names in words, and how much of each the faucet gives at a time. */
const gifts: Readonly<Record<string, readonly [name: string, gift: string]>> = {
  USDC: ['Test dollars', '500'],
  EURC: ['Test euros', '500'],
  NGNC: ['Test naira', '750000'],
  BRLC: ['Test reais', '2500'],
};

/**
 * The key of a test asset's issuer. Its seed is known to everybody (`sha256('pay-checkout sandbox/issuer/CODE')`), which
 * is what makes the asset a test asset: whoever wants some signs for it.
 */
function issuerOf(code: string): Keypair {
  const seed = createHash('sha256').update(`pay-checkout sandbox/issuer/${code}`).digest();
  return Keypair.fromRawEd25519Seed(seed);
}

/** A test asset of the sandbox network. */
export interface TestAsset {
  readonly asset: string;
  readonly name: string;
  readonly issuer: Keypair;
  /** What the faucet gives at a time, decimal text. */
  readonly gift: string;
}

/** Every test asset. */
export const testAssets: readonly TestAsset[] = Object.entries(gifts).map(([code, [name, gift]]) => {
  const issuer = issuerOf(code);
  return { asset: `${code}:${issuer.publicKey()}`, name, issuer, gift };
});

/** The words for an asset, or null where the wallet knows none: anybody may issue something that calls itself USDC. */
export function nameOf(asset: string): string | null {
  return asset === 'XLM' ? 'Lumens' : (testAssets.find(known => known.asset === asset)?.name ?? null);
}

/**
 * Gives the account XLM. The network's friendbot only opens accounts; an account that is there gets what a new one was
 * given, which is then closed into it.
 */
export async function giveLumens(deps: LedgerDeps, address: string): Promise<void> {
  if ((await findAccount(deps.horizon, address)) === null) {
    await deps.horizon.befriend(address);
    return;
  }
  const giver = Keypair.random();
  await deps.horizon.befriend(giver.publicKey());
  await carryOut(deps, giver, [Operation.accountMerge({ destination: address })]);
}
