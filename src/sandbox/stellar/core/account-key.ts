import type { MuxedAccountWire, PublicKeyWire, SignerKeyWire } from '@stellar/stellar-sdk/xdr';
import { remembered } from '../../../core/cache.ts';
import { decodeStrkey, encodeStrkey, type StrkeyKind } from '../../../core/stellar/strkey.ts';

/** Spellings already worked out. */
const mostKeys = 50_000;
const texts = remembered<string>(mostKeys);
const payloads = remembered<Uint8Array>(mostKeys);

/** Bytes as a key of a map. */
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** The SEP-23 spelling of a key. */
function spell(kind: 'G' | 'T' | 'X' | 'P', payload: Uint8Array): string {
  return texts(kind + latin1(payload), () => encodeStrkey(kind, payload));
}

/** The bytes behind a spelling of SEP-23. Throws RangeError where it is none. */
export function keyBytes(text: string): Uint8Array {
  return payloads(text, () => {
    const bytes = decodeStrkey(text.charAt(0) as StrkeyKind, text);
    if (bytes === null) throw new RangeError(`${text} is not a key`);
    return bytes;
  });
}

/** The account of a public key or of a muxed account, `G…`. */
export function accountOf(key: PublicKeyWire | MuxedAccountWire): string {
  return spell('G', key.type === 256 ? key.med25519.ed25519 : key.ed25519);
}

/** The wire form of an account. */
export const publicKeyOf = (account: string): PublicKeyWire => ({ type: 0, ed25519: keyBytes(account) });

/** The SEP-23 spelling of a signer. */
export function signerText(key: SignerKeyWire): string {
  if (key.type === 0) return spell('G', key.ed25519);
  if (key.type === 1) return spell('T', key.preAuthTx);
  if (key.type === 2) return spell('X', key.hashX);
  const { ed25519, payload } = key.ed25519SignedPayload;
  const bytes = new Uint8Array(36 + ((payload.length + 3) & ~3));
  bytes.set(ed25519);
  new DataView(bytes.buffer).setUint32(32, payload.length);
  bytes.set(payload, 36);
  return spell('P', bytes);
}

/** Whether the signer stands for the transaction with this hash. */
export const isPreAuthorized = (signer: string, hash: Uint8Array): boolean =>
  signer.startsWith('T') && Buffer.compare(keyBytes(signer), hash) === 0;

/** The wire form of a signer that `signerText` spelt. */
export function signerKeyOf(text: string): SignerKeyWire {
  const bytes = keyBytes(text);
  if (text.startsWith('G')) return { type: 0, ed25519: bytes };
  if (text.startsWith('T')) return { type: 1, preAuthTx: bytes };
  if (text.startsWith('X')) return { type: 2, hashX: bytes };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(32);
  return { type: 3, ed25519SignedPayload: { ed25519: bytes.slice(0, 32), payload: bytes.slice(36, 36 + length) } };
}

/** Where a signer stands among others: by kind, then by bytes. */
export function signerOrder(text: string): string {
  const key = signerKeyOf(text);
  if (key.type !== 3) return key.type + Buffer.from(keyBytes(text)).toString('hex');
  const { ed25519, payload } = key.ed25519SignedPayload;
  return `3${Buffer.from(ed25519).toString('hex')}${Buffer.from(payload).toString('hex')}`;
}
