import {
  AlphaNum4,
  AlphaNum12,
  Asset,
  ClaimPredicate as ClaimPredicateXdr,
  Memo,
  MuxedAccount,
  MuxedAccountMed25519,
  PublicKey,
  type XdrString,
} from '@stellar/stellar-sdk/xdr';
import { parseAsset } from '../../../core/asset.ts';
import { canonicalMemo } from '../../../core/stellar/memo.ts';
import { mostStroops } from '../../../core/stellar/stellar-amount.ts';
import { decodeStrkey, encodeStrkey } from '../../../core/stellar/strkey.ts';
import type { TransactionMemo } from '../network.ts';
import { muxedAddress, parsePaymentAddress } from './muxed-address.ts';
import type { ClaimPredicate } from './operation.ts';

/** Thrown when a transaction has a part that the service does not know, or that no ledger accepts. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

/** Checks an amount: stroops from `least` to 2^63 − 1. Needed because XDR also decodes negative amounts. */
export function soundAmount(amount: bigint, least: 0n | 1n = 1n): bigint {
  if (amount < least || amount > mostStroops) throw new EnvelopeError(`${amount} is not an amount`);
  return amount;
}

export function toAsset(text: string): Asset {
  const asset = parseAsset(text, {});
  if (asset === null) throw new EnvelopeError(`“${text.slice(0, 80)}” is not an asset`);
  if (asset.issuer === null) return Asset.assetTypeNative();
  const parts = { assetCode: asset.code, issuer: toAccount(asset.issuer) };
  return asset.code.length <= 4
    ? Asset.assetTypeCreditAlphanum4(new AlphaNum4(parts))
    : Asset.assetTypeCreditAlphanum12(new AlphaNum12(parts));
}

/** Converts an asset, or another union of the protocol with the same three cases, to its wire text. */
export function fromAsset(asset: Pick<Asset, 'type' | 'value'>): string {
  const { value } = asset;
  if (value === null) return 'XLM';
  const code = Buffer.from(value.assetCode.toBytes()).toString('latin1').replace(/\0+$/, '');
  const text = `${code}:${fromAccount(value.issuer)}`;
  const isShort = asset.type === 'assetTypeCreditAlphanum4';
  // A short code in the long form would look like another asset, so the ledger refuses this form.
  if (parseAsset(text, {}) === null || code.length <= 4 !== isShort) throw new EnvelopeError('an asset has a bad code');
  return text;
}

export function toAccount(address: string): PublicKey {
  const key = decodeStrkey('G', address);
  if (key === null) throw new EnvelopeError(`“${address.slice(0, 80)}” is not an account`);
  return PublicKey.publicKeyTypeEd25519(key);
}

export function fromAccount(key: PublicKey): string {
  return encodeStrkey('G', key.ed25519.toBytes());
}

export function toMuxedAccount(address: string): MuxedAccount {
  const parsed = parsePaymentAddress(address);
  const key = parsed === null ? null : decodeStrkey('G', parsed.account);
  if (parsed === null || key === null) throw new EnvelopeError(`“${address.slice(0, 80)}” is not an address`);
  if (parsed.muxedId === null) return MuxedAccount.keyTypeEd25519(key);
  return MuxedAccount.keyTypeMuxedEd25519(new MuxedAccountMed25519({ id: parsed.muxedId, ed25519: key }));
}

export function fromMuxedAccount(account: MuxedAccount): string {
  if (account.type === 'keyTypeEd25519') return encodeStrkey('G', account.ed25519.toBytes());
  const { id, ed25519 } = account.med25519;
  return muxedAddress(encodeStrkey('G', ed25519.toBytes()), id);
}

/** Reads an XDR string. Throws `EnvelopeError` if the string is not UTF-8. */
export function fromText(text: XdrString): string {
  const known = text.asStringOrBytes();
  if (typeof known !== 'string') throw new EnvelopeError('a text is not UTF-8');
  return known;
}

/** Converts a memo in canonical form. Throws `EnvelopeError` for another form. */
export function toMemo(memo: TransactionMemo | null): Memo {
  if (memo === null) return Memo.memoNone();
  const { type, value } = memo;
  if (canonicalMemo(type, value) !== value) {
    throw new EnvelopeError(`“${value.slice(0, 80)}” is not a memo of type ${type} in canonical form`);
  }
  if (type === 'id') return Memo.memoId(BigInt(value));
  if (type === 'text') return Memo.memoText(value);
  return type === 'hash' ? Memo.memoHash(value) : Memo.memoReturn(value);
}

/** Converts a memo from XDR. Null: the transaction has no memo. */
export function fromMemo(memo: Memo): TransactionMemo | null {
  if (memo.type === 'memoNone') return null;
  if (memo.type === 'memoText') return { type: 'text', value: fromText(memo.text) };
  if (memo.type === 'memoId') return { type: 'id', value: memo.id.toString() };
  const type = memo.type === 'memoHash' ? 'hash' : 'return';
  return { type, value: Buffer.from(memo.value.toBytes()).toString('hex') };
}

export function toPredicate(predicate: ClaimPredicate): ClaimPredicateXdr {
  switch (predicate.type) {
    case 'unconditional':
      return ClaimPredicateXdr.claimPredicateUnconditional();
    case 'beforeRelativeTime':
      return ClaimPredicateXdr.claimPredicateBeforeRelativeTime(soundAmount(predicate.seconds, 0n));
    case 'not':
      return ClaimPredicateXdr.claimPredicateNot(toPredicate(predicate.predicate));
  }
}

/** Converts a predicate from XDR. Throws `EnvelopeError` for kinds that the service does not use. */
export function fromPredicate(predicate: ClaimPredicateXdr): ClaimPredicate {
  if (predicate.type === 'claimPredicateUnconditional') return { type: 'unconditional' };
  if (predicate.type === 'claimPredicateBeforeRelativeTime') {
    return { type: 'beforeRelativeTime', seconds: soundAmount(predicate.relBefore, 0n) };
  }
  if (predicate.type === 'claimPredicateNot' && predicate.notPredicate !== null) {
    return { type: 'not', predicate: fromPredicate(predicate.notPredicate) };
  }
  throw new EnvelopeError('a predicate has an unknown type');
}
