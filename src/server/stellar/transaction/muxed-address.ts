import { decodeStrkey, encodeStrkey } from '../../../core/stellar/strkey.ts';

/** An address as payments name it: an account (G…), and in a muxed one (M…, SEP-23) the id beside it. */
export interface PaymentAddress {
  readonly account: string;
  /** From 0 to 2^64 − 1; null in an address that names the account alone. */
  readonly muxedId: bigint | null;
}

const largestId = 2n ** 64n - 1n;

/** The muxed address (M…) of an account and an id. Throws RangeError when either cannot be one. */
export function muxedAddress(account: string, muxedId: bigint): string {
  const key = decodeStrkey('G', account);
  if (key === null) throw new RangeError(`${account} is no account`);
  if (muxedId < 0n || muxedId > largestId) throw new RangeError('the id of a muxed address has 64 bits');
  const payload = Buffer.alloc(40);
  payload.set(key);
  payload.writeBigUInt64BE(muxedId, 32);
  return encodeStrkey('M', payload);
}

/** The account, and the id if there is one, behind an address; null when the text is none. */
export function parsePaymentAddress(text: string): PaymentAddress | null {
  if (decodeStrkey('G', text) !== null) return { account: text, muxedId: null };
  const payload = decodeStrkey('M', text);
  if (payload === null) return null;
  return {
    account: encodeStrkey('G', payload.subarray(0, 32)),
    muxedId: Buffer.from(payload).readBigUInt64BE(32),
  };
}
