import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { encodeStrkey } from '../../core/stellar/strkey.ts';

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
