const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Version bytes of SEP-23: `G` is an account, `M` a muxed account (an account and a 64-bit id). */
const versions: Readonly<Record<string, { byte: number; payload: number }>> = {
  G: { byte: 6 << 3, payload: 32 },
  M: { byte: 12 << 3, payload: 40 },
};

/** Whether the text is a Stellar account (G…) or muxed account (M…) with a right checksum (SEP-23). */
export function isStellarAddress(text: string): boolean {
  const version = versions[text.charAt(0)];
  if (!version || !/^[A-Z2-7]+$/.test(text)) return false;
  const bytes = decodeBase32(text);
  if (bytes === null || bytes.length !== version.payload + 3 || bytes[0] !== version.byte) return false;
  const body = bytes.subarray(0, -2);
  const checksum = (bytes[bytes.length - 2] ?? 0) | ((bytes[bytes.length - 1] ?? 0) << 8);
  return crc16(body) === checksum;
}

/** Bytes of unpadded base32, or null when the length or the unused bits are wrong: one address has one spelling. */
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

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let i = 0; i < 8; i++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}
