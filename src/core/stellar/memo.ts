import { PayError } from '../error.ts';

/** The types of a Stellar memo. */
export const memoTypes = ['text', 'id', 'hash', 'return'] as const;
export type MemoType = (typeof memoTypes)[number];

/** A memo in canonical form: equal memos are equal texts. */
export interface StellarMemo {
  readonly memo: string;
  readonly memo_type: MemoType;
}

/** A memo as a person or another program wrote it. */
export interface WrittenMemo {
  readonly memo?: string | undefined;
  readonly memo_type?: string | undefined;
}

const largestId = 2n ** 64n - 1n;
const digest = { takes: '32 bytes, in hexadecimal or base64', canonical: canonicalDigest } as const;

/** The allowed values of each type, and their canonical form. Null: the value does not fit. */
const forms: Readonly<Record<MemoType, { takes: string; canonical: (memo: string) => string | null }>> = {
  text: { takes: '1 to 28 bytes of text, none of them NUL', canonical: canonicalText },
  id: { takes: `a whole number from 0 to ${largestId}`, canonical: canonicalId },
  hash: digest,
  return: digest,
};

/**
 * Reads a memo. Without a type, digits are an `id`, and other texts are `text`. Returns ids without leading zeros, and
 * hashes as 64 lower-case hexadecimal digits: Stellar tools also write base64. Throws `parameter_invalid` with the field
 * (`memo` or `memo_type`) as param. Null without a memo. Source of the limits: CAP-0 and SEP-7.
 */
export function parseMemo({ memo, memo_type: type }: WrittenMemo): StellarMemo | null {
  if (memo === undefined) {
    if (type === undefined) return null;
    throw wrong('memo', 'memo_type is given, and memo is missing.');
  }
  const isNumber = /^[0-9]+$/.test(memo);
  if (type === undefined && isNumber && memo.length > 1 && memo.startsWith('0')) {
    throw wrong('memo_type', 'A memo of digits with a leading zero needs memo_type: text or id.');
  }
  const kind = memoTypes.find(each => each === (type ?? (isNumber ? 'id' : 'text')));
  if (kind === undefined) throw wrong('memo_type', `memo_type takes ${memoTypes.join(', ')}.`);
  const value = memo === '' ? null : canonicalMemo(kind, memo);
  if (value === null) throw wrong('memo', `A memo of type ${kind} takes ${forms[kind].takes}.`);
  return { memo: value, memo_type: kind };
}

/** The canonical form of a value of this type. Null: the value does not fit. */
export function canonicalMemo(type: MemoType, memo: string): string | null {
  return forms[type].canonical(memo);
}

function wrong(param: 'memo' | 'memo_type', message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}

/** PostgreSQL cannot store NUL, and a lone surrogate has no UTF-8. */
function canonicalText(memo: string): string | null {
  const fits = new TextEncoder().encode(memo).length <= 28;
  return fits && memo.isWellFormed() && !memo.includes('\0') ? memo : null;
}

function canonicalId(memo: string): string | null {
  return /^[0-9]{1,20}$/.test(memo) && BigInt(memo) <= largestId ? String(BigInt(memo)) : null;
}

function canonicalDigest(memo: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(memo)) return memo.toLowerCase();
  // 43 digits have 258 bits; the last digit of a text that some encoder wrote has two zero bits at its end.
  if (!/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(memo)) return null;
  return [...atob(memo)].map(byte => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
