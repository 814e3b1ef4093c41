import { sandboxAssets } from './assets.ts';
import { labelledKey, type SandboxKey } from './sandbox-key.ts';

/** The accounts that the sandbox network begins with, by what they are for. */
export interface SeededKeys {
  /** Offers one asset for another. */
  readonly market: SandboxKey;
  /** Gives XLM to who asks. */
  readonly friendbot: SandboxKey;
  /** Holds some of every asset, and gives it to who asks. */
  readonly faucet: SandboxKey;
  /** Pays what a test says a payer pays. */
  readonly payer: SandboxKey;
  /** Issues what the same code stands for elsewhere: for tests of an asset by the wrong issuer. */
  readonly impostor: SandboxKey;
  /** Carry the sandbox’s own transactions, so that many fit in one ledger. */
  readonly channels: readonly SandboxKey[];
}

/** Transactions that the sandbox itself can have in one ledger. */
const channelCount = 40;

let keys: SeededKeys | null = null;

/** The keys of those accounts. */
export function seededKeys(): SeededKeys {
  keys ??= {
    market: labelledKey('market'),
    friendbot: labelledKey('friendbot'),
    faucet: labelledKey('faucet'),
    payer: labelledKey('payer'),
    impostor: labelledKey('impostor'),
    channels: Array.from({ length: channelCount }, (_, index) => labelledKey(`channel/${index}`)),
  };
  return keys;
}

/** An asset that the sandbox issues. */
export interface SeededAsset {
  /** `CODE:ISSUER`. */
  readonly asset: string;
  readonly issuer: SandboxKey;
  /** What the sandbox’s rates call it. */
  readonly rate: string;
}

/**
 * Assets that the sandbox issues: those of its table, and one more that trades against NGNC alone, so that some paths
 * are four steps long.
 */
export function seededAssets(): readonly SeededAsset[] {
  const listed = Object.entries(sandboxAssets).map(([code, asset]) => ({
    asset,
    issuer: labelledKey(`issuer/${code}`),
    rate: code,
  }));
  const issuer = labelledKey('issuer/KESC');
  return [...listed, { asset: `KESC:${issuer.address}`, issuer, rate: 'KES' }];
}
