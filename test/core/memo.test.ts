import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMemo, type WrittenMemo } from '../../src/core/stellar/memo.ts';
import { fromMemo, toMemo } from '../../src/server/stellar/transaction/xdr-values.ts';

const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));
const hex = bytes.toString('hex');

describe('a Stellar memo', () => {
  it.each<[WrittenMemo, string, string]>([
    [{ memo: hex.toUpperCase(), memo_type: 'hash' }, hex, 'hash'],
    [{ memo: bytes.toString('base64'), memo_type: 'return' }, hex, 'return'],
    [{ memo: hex }, '', ''],
    [{ memo: '42' }, '42', 'id'],
    [{ memo: '0' }, '0', 'id'],
    [{ memo: '0042', memo_type: 'id' }, '42', 'id'],
    [{ memo: '0042', memo_type: 'text' }, '0042', 'text'],
    [{ memo: '18446744073709551615', memo_type: 'id' }, '18446744073709551615', 'id'],
    [{ memo: ' order 66' }, ' order 66', 'text'],
    [{ memo: 'ü'.repeat(14) }, 'ü'.repeat(14), 'text'],
  ])('%j is read in canonical form', (given, memo, type) => {
    if (memo === '') expect(() => parseMemo(given)).toThrow('28 bytes');
    else expect(parseMemo(given)).toEqual({ memo, memo_type: type });
  });

  it.each<[WrittenMemo, string]>([
    [{ memo: '', memo_type: 'text' }, 'memo'],
    [{ memo: 'ü'.repeat(15), memo_type: 'text' }, 'memo'],
    [{ memo: 'a\0b', memo_type: 'text' }, 'memo'],
    [{ memo: '\ud800', memo_type: 'text' }, 'memo'],
    [{ memo: '-1', memo_type: 'id' }, 'memo'],
    [{ memo: '1.0', memo_type: 'id' }, 'memo'],
    [{ memo: '18446744073709551616', memo_type: 'id' }, 'memo'],
    [{ memo: hex.slice(1), memo_type: 'hash' }, 'memo'],
    [{ memo: `${hex}0`, memo_type: 'hash' }, 'memo'],
    [{ memo: `0x${hex.slice(2)}`, memo_type: 'hash' }, 'memo'],
    [{ memo: bytes.toString('base64url'), memo_type: 'hash' }, 'memo'],
    [{ memo: `${'A'.repeat(42)}B=`, memo_type: 'hash' }, 'memo'],
    [{ memo: '1', memo_type: 'destination_tag' }, 'memo_type'],
    [{ memo: '1', memo_type: 'constructor' }, 'memo_type'],
    [{ memo: '007' }, 'memo_type'],
    [{ memo_type: 'id' }, 'memo'],
  ])('%j is refused by name of the field', (given, param) => {
    expect(() => parseMemo(given)).toThrow(expect.objectContaining({ code: 'parameter_invalid', param }));
  });

  it('is absent where neither field is given', () => {
    expect(parseMemo({})).toBeNull();
  });

  it('that is accepted is accepted by the network, unchanged', () => {
    const memo = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.uint8Array({ minLength: 31, maxLength: 33 }).map(some => Buffer.from(some).toString('hex')),
      fc.uint8Array({ minLength: 31, maxLength: 33 }).map(some => Buffer.from(some).toString('base64')),
      fc.bigInt({ min: 0n, max: 2n ** 66n }).map(some => `0${some}`),
    );
    const memo_type = fc.constantFrom('text', 'id', 'hash', 'return', undefined, 'none');
    fc.assert(
      fc.property(memo, memo_type, (text, type) => {
        const read = errorless(() => parseMemo({ memo: text, memo_type: type }));
        if (read === null) return;
        expect(parseMemo(read)).toEqual(read);
        expect(fromMemo(toMemo({ type: read.memo_type, value: read.memo }))).toEqual({
          type: read.memo_type,
          value: read.memo,
        });
      }),
    );
  });
});

function errorless<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
