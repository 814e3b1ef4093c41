const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Kinds of keys. `G`: an account. `M`: a muxed account (an account and a 64-bit id). `C`: a contract. `S`: the secret
 * seed of an account. Signers of an account: `T` (hash of a transaction), `X` (hash of a secret), `P` (a key with a
 * payload of up to 64 bytes).
 */
export type StrkeyKind = 'G' | 'M' | 'C' | 'S' | 'T' | 'X' | 'P';

/** Version bytes and lengths of SEP-23. `payload`: the number of bytes, or its minimum if there is `most`. */
const versions: Readonly<Record<string, { readonly byte: number; readonly payload: number; readonly most?: number }>> =
  {
    G: { byte: 6 << 3, payload: 32 },
    M: { byte: 12 << 3, payload: 40 },
    C: { byte: 2 << 3, payload: 32 },
    S: { byte: 18 << 3, payload: 32 },
    T: { byte: 19 << 3, payload: 32 },
    X: { byte: 23 << 3, payload: 32 },
    P: { byte: 15 << 3, payload: 36, most: 100 },
  };

const fits = ({ payload, most = payload }: { payload: number; most?: number }, length: number): boolean =>
  length >= payload && length <= most;

/** Whether the text is a Stellar account (G…) or muxed account (M…) with a valid checksum (SEP-23). */
export function isStellarAddress(text: string): boolean {
  return decodeStrkey('G', text) !== null || decodeStrkey('M', text) !== null;
}

/** The bytes of a key text of this kind. Null if the text or its checksum is wrong. */
export function decodeStrkey(kind: StrkeyKind, text: string): Uint8Array | null {
  const version = versions[kind];
  if (!version || !text.startsWith(kind) || !/^[A-Z2-7]+$/.test(text)) return null;
  const bytes = decodeBase32(text);
  if (bytes === null || !fits(version, bytes.length - 3) || bytes[0] !== version.byte) return null;
  const body = bytes.subarray(0, -2);
  const checksum = (bytes[bytes.length - 2] ?? 0) | ((bytes[bytes.length - 1] ?? 0) << 8);
  return crc16(body) === checksum ? body.subarray(1) : null;
}

/** The text of a key. Throws RangeError if the number of bytes does not fit the kind. */
export function encodeStrkey(kind: StrkeyKind, payload: Uint8Array): string {
  const version = versions[kind];
  if (!version || !fits(version, payload.length))
    throw new RangeError(`a key of kind ${kind} must have another length`);
  const bytes = new Uint8Array(payload.length + 3);
  bytes[0] = version.byte;
  bytes.set(payload, 1);
  const checksum = crc16(bytes.subarray(0, -2));
  bytes[bytes.length - 2] = checksum & 0xff;
  bytes[bytes.length - 1] = checksum >>> 8;
  return encodeBase32(bytes);
}

/** Bytes of unpadded base32. Null for a wrong length or wrong unused bits, so each address has one spelling. */
function decodeBase32(text: string): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let value = 0;
  let index = 0;
  for (const letter of text) {
    value = (value << 5) | base32.indexOf(letter);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[index++] = (value >>> bits) & 0xff;
      value &= (1 << bits) - 1;
    }
  }
  return bits < 5 && value === 0 ? bytes : null;
}

function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32.charAt(value >>> bits);
      value &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + base32.charAt(value << (5 - bits));
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let i = 0; i < 8; i++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}
