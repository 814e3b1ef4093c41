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
import { mostStroops } from '../../../core/money.ts';
import { decodeStrkey, encodeStrkey } from '../../../core/stellar/strkey.ts';
import type { TransactionMemo } from '../network.ts';
import { muxedAddress, parsePaymentAddress } from './muxed-address.ts';
import type { ClaimPredicate } from './operation.ts';

/** A transaction holds, or would hold, what the service does not know or the ledger cannot take. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

/** An amount as the ledger takes it: stroops from `least` to 2^63 − 1. Both ways, since a decoded one can be negative. */
export function soundAmount(amount: bigint, least: 0n | 1n = 1n): bigint {
  if (amount < least || amount > mostStroops) throw new EnvelopeError(`${amount} is no amount`);
  return amount;
}

/** The asset of a wire text. */
export function toAsset(text: string): Asset {
  const asset = parseAsset(text, {});
  if (asset === null) throw new EnvelopeError(`“${text.slice(0, 80)}” is no asset`);
  if (asset.issuer === null) return Asset.assetTypeNative();
  const parts = { assetCode: asset.code, issuer: toAccount(asset.issuer) };
  return asset.code.length <= 4
    ? Asset.assetTypeCreditAlphanum4(new AlphaNum4(parts))
    : Asset.assetTypeCreditAlphanum12(new AlphaNum12(parts));
}

/** The wire text of an asset. Any union of the protocol with these three cases will do. */
export function fromAsset(asset: Pick<Asset, 'type' | 'value'>): string {
  const { value } = asset;
  if (value === null) return 'XLM';
  const code = Buffer.from(value.assetCode.toBytes()).toString('latin1').replace(/\0+$/, '');
  const text = `${code}:${fromAccount(value.issuer)}`;
  const isShort = asset.type === 'assetTypeCreditAlphanum4';
  // A code is written in one way only: a short one in the long form is not what it seems.
  if (parseAsset(text, {}) === null || code.length <= 4 !== isShort) throw new EnvelopeError('an asset has a bad code');
  return text;
}

/** The key of an account (G…). */
export function toAccount(address: string): PublicKey {
  const key = decodeStrkey('G', address);
  if (key === null) throw new EnvelopeError(`“${address.slice(0, 80)}” is no account`);
  return PublicKey.publicKeyTypeEd25519(key);
}

/** The address (G…) of an account’s key. */
export function fromAccount(key: PublicKey): string {
  return encodeStrkey('G', key.ed25519.toBytes());
}

/** An address that is paid or that pays: G… or M…. */
export function toMuxedAccount(address: string): MuxedAccount {
  const parsed = parsePaymentAddress(address);
  const key = parsed === null ? null : decodeStrkey('G', parsed.account);
  if (parsed === null || key === null) throw new EnvelopeError(`“${address.slice(0, 80)}” is no address`);
  if (parsed.muxedId === null) return MuxedAccount.keyTypeEd25519(key);
  return MuxedAccount.keyTypeMuxedEd25519(new MuxedAccountMed25519({ id: parsed.muxedId, ed25519: key }));
}

/** The text of an address that is paid or that pays. */
export function fromMuxedAccount(account: MuxedAccount): string {
  if (account.type === 'keyTypeEd25519') return encodeStrkey('G', account.ed25519.toBytes());
  const { id, ed25519 } = account.med25519;
  return muxedAddress(encodeStrkey('G', ed25519.toBytes()), id);
}

/** Text of the protocol, which holds any bytes: only UTF-8 is understood. */
export function fromText(text: XdrString): string {
  const known = text.asStringOrBytes();
  if (typeof known !== 'string') throw new EnvelopeError('a text is not UTF-8');
  return known;
}

/** A memo, or none. */
export function toMemo(memo: TransactionMemo | null): Memo {
  if (memo === null) return Memo.memoNone();
  const { type, value } = memo;
  if (type === 'id') {
    const isId = /^(0|[1-9][0-9]{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;
    if (!isId) throw new EnvelopeError(`“${value.slice(0, 40)}” is no memo id`);
    return Memo.memoId(BigInt(value));
  }
  if (type === 'text') {
    if (Buffer.byteLength(value) > 28) throw new EnvelopeError('a memo text has at most 28 bytes');
    return Memo.memoText(value);
  }
  if (!/^[0-9a-f]{64}$/.test(value)) throw new EnvelopeError('a memo hash has 64 hex digits');
  return type === 'hash' ? Memo.memoHash(value) : Memo.memoReturn(value);
}

/** The memo that a transaction has, or null. */
export function fromMemo(memo: Memo): TransactionMemo | null {
  if (memo.type === 'memoNone') return null;
  if (memo.type === 'memoText') return { type: 'text', value: fromText(memo.text) };
  if (memo.type === 'memoId') return { type: 'id', value: memo.id.toString() };
  const type = memo.type === 'memoHash' ? 'hash' : 'return';
  return { type, value: Buffer.from(memo.value.toBytes()).toString('hex') };
}

/** When a balance may be claimed. */
export function toPredicate(predicate: ClaimPredicate): ClaimPredicateXdr {
  switch (predicate.type) {
    case 'unconditional':
      return ClaimPredicateXdr.claimPredicateUnconditional();
    case 'beforeAbsoluteTime':
      return ClaimPredicateXdr.claimPredicateBeforeAbsoluteTime(soundAmount(predicate.seconds, 0n));
    case 'beforeRelativeTime':
      return ClaimPredicateXdr.claimPredicateBeforeRelativeTime(soundAmount(predicate.seconds, 0n));
    case 'not':
      return ClaimPredicateXdr.claimPredicateNot(toPredicate(predicate.predicate));
    case 'and':
      return ClaimPredicateXdr.claimPredicateAnd(predicate.predicates.map(toPredicate));
    case 'or':
      return ClaimPredicateXdr.claimPredicateOr(predicate.predicates.map(toPredicate));
  }
}

/** As `toPredicate`, the way back. */
export function fromPredicate(predicate: ClaimPredicateXdr): ClaimPredicate {
  switch (predicate.type) {
    case 'claimPredicateUnconditional':
      return { type: 'unconditional' };
    case 'claimPredicateBeforeAbsoluteTime':
      return { type: 'beforeAbsoluteTime', seconds: soundAmount(predicate.absBefore, 0n) };
    case 'claimPredicateBeforeRelativeTime':
      return { type: 'beforeRelativeTime', seconds: soundAmount(predicate.relBefore, 0n) };
    case 'claimPredicateNot':
      if (predicate.notPredicate === null) throw new EnvelopeError('a predicate is empty');
      return { type: 'not', predicate: fromPredicate(predicate.notPredicate) };
    case 'claimPredicateAnd':
    case 'claimPredicateOr': {
      const [first, second] = predicate.value;
      if (first === undefined || second === undefined) throw new EnvelopeError('a predicate lacks a half');
      const type = predicate.type === 'claimPredicateAnd' ? 'and' : 'or';
      return { type, predicates: [fromPredicate(first), fromPredicate(second)] };
    }
  }
}
