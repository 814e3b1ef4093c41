import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { encodeStrkey } from '../../../core/stellar/strkey.ts';

/**
 * Assets that are issued on the sandbox network, by their code: `CODE:ISSUER`. The issuers are the sandbox’s own, since
 * it must be able to sign for them: the seed of each is `sha256('pay-checkout sandbox/issuer/CODE')`, known to
 * everybody. Whoever uses it over HTTP can give the asset away, and do nothing else (`seeded-guard.ts`). Held as data so that naming an asset loads no SDK.
 */
export const sandboxAssets = {
  USDC: 'USDC:GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP',
  EURC: 'EURC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX',
  NGNC: 'NGNC:GBJQP53C23AZLN7ITE5L72T3R2IY6KZLKNY74IFBY2JTURIZZ6GACXFA',
  BRLC: 'BRLC:GBSSMOQOU6SCAHT5P3MDANGLUIVZ7MXA4A54DNF5FNE5CP3QSKTQ6MLE',
} as const satisfies Readonly<Record<string, string>>;

/** A key of the sandbox network. Its seed follows from a label that everybody may know. */
export interface SandboxKey {
  /** `G…`. */
  readonly address: string;
  /** `S…`, for tests and for wallets that take a seed. */
  readonly secret: string;
  /** Ed25519 over the bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** The last four bytes of the public key, by which a signature names its key. */
  readonly hint: Uint8Array;
}

/** PKCS #8 (RFC 8410) around an ed25519 seed. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key with the seed (32 bytes). */
export function sandboxKey(seed: Uint8Array): SandboxKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    address: encodeStrkey('G', publicKey),
    secret: encodeStrkey('S', seed),
    sign: bytes => sign(null, bytes, privateKey),
    hint: publicKey.subarray(-4),
  };
}

/** The key of a label, `issuer/USDC` and the like: its seed is `sha256('pay-checkout sandbox/' + label)`. */
export function labelledKey(label: string): SandboxKey {
  return sandboxKey(createHash('sha256').update(`pay-checkout sandbox/${label}`).digest());
}

/** The accounts that the sandbox network begins with, by what they are for. */
interface SeededKeys {
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
interface SeededAsset {
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

/** The account that a network begins with: its key is the network’s id, as on every Stellar network. */
export const rootKey = () => sandboxKey(createHash('sha256').update(testPassphrase).digest());
