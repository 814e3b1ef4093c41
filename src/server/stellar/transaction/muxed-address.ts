import { decodeStrkey, encodeStrkey } from '../../../core/stellar/strkey.ts';

/** A payment address: an account (G…), or a muxed address (M…, SEP-23), which adds an id. */
export interface PaymentAddress {
  readonly account: string;
  /** From 0 to 2^64 − 1. Null for a plain account. */
  readonly muxedId: bigint | null;
}

/** The muxed address (M…) of an account and an id. Throws RangeError for an invalid account or id. */
export function muxedAddress(account: string, muxedId: bigint): string {
  const key = decodeStrkey('G', account);
  if (key === null) throw new RangeError(`${account} is not an account`);
  if (muxedId < 0n || muxedId >= 2n ** 64n) throw new RangeError('the id of a muxed address has 64 bits');
  const payload = Buffer.alloc(40);
  payload.set(key);
  payload.writeBigUInt64BE(muxedId, 32);
  return encodeStrkey('M', payload);
}

/** Reads an address. Null for any other text. */
export function parsePaymentAddress(text: string): PaymentAddress | null {
  if (decodeStrkey('G', text) !== null) return { account: text, muxedId: null };
  const payload = decodeStrkey('M', text);
  if (payload === null) return null;
  return {
    account: encodeStrkey('G', payload.subarray(0, 32)),
    muxedId: Buffer.from(payload).readBigUInt64BE(32),
  };
}
