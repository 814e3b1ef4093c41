import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { sandboxAssets } from '../../../core/stellar/sandbox-assets.ts';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { encodeStrkey } from '../../../core/stellar/strkey.ts';

export { sandboxAssets };

/** A key pair of the sandbox network. */
export interface SandboxKey {
  /** The public key, `G…`. */
  readonly address: string;
  /** Signs the bytes with Ed25519. */
  sign(bytes: Uint8Array): Uint8Array;
  /** The last four bytes of the public key, which identify the key in a signature. */
  readonly hint: Uint8Array;
}

/** The PKCS #8 prefix of an Ed25519 seed (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key pair of a seed (32 bytes). */
export function sandboxKey(seed: Uint8Array): SandboxKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    address: encodeStrkey('G', publicKey),
    sign: bytes => sign(null, bytes, privateKey),
    hint: publicKey.subarray(-4),
  };
}

/** The key pair of a label such as `issuer/USDC`. Its seed is `sha256('pay-checkout sandbox/' + label)`. */
export function labelledKey(label: string): SandboxKey {
  return sandboxKey(createHash('sha256').update(`pay-checkout sandbox/${label}`).digest());
}

/** The keys of the first accounts of the sandbox network. */
interface SeededKeys {
  /** The account of the market maker, which keeps offers in the order books. */
  readonly market: SandboxKey;
  /** Creates accounts with XLM, like friendbot of the test network. */
  readonly friendbot: SandboxKey;
  /** Gives test money of every asset. */
  readonly faucet: SandboxKey;
  /** Sends the payments that test helpers simulate. */
  readonly payer: SandboxKey;
  /** Issues assets with the codes of the sandbox’s assets, for tests of a wrong issuer. */
  readonly impostor: SandboxKey;
  /**
   * Source accounts of the sandbox’s own transactions. Several exist, because a ledger takes one transaction per
   * source.
   */
  readonly channels: readonly SandboxKey[];
}

const channelCount = 40;

let keys: SeededKeys | null = null;

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
interface SeededAsset {
  /** `CODE:ISSUER`. */
  readonly asset: string;
  readonly issuer: SandboxKey;
  /** The asset’s name in the sandbox’s rates. */
  readonly rate: string;
}

/** All sandbox assets and KESC. KESC trades only with NGNC, so that some conversion paths have four steps. */
export function seededAssets(): readonly SeededAsset[] {
  const listed = Object.entries(sandboxAssets).map(([code, asset]) => ({
    asset,
    issuer: labelledKey(`issuer/${code}`),
    rate: code,
  }));
  const issuer = labelledKey('issuer/KESC');
  return [...listed, { asset: `KESC:${issuer.address}`, issuer, rate: 'KES' }];
}

/** The root account, which first holds all coins. Its seed is the network id, as on every Stellar network. */
export const rootKey = () => sandboxKey(createHash('sha256').update(testPassphrase).digest());
