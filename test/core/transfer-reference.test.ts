import { describe, expect, test } from 'vitest';
import { findTransferReferences, transferReferenceOf } from '../../src/core/bank/transfer-reference.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const reference = transferReferenceOf(Uint8Array.from([7, 15, 3, 19, 9, 2, 23, 29, 4, 20, 26, 31]));
const bare = reference.replaceAll('-', '');

function someReferences(count: number): string[] {
  return Array.from({ length: count }, () => transferReferenceOf(crypto.getRandomValues(new Uint8Array(12))));
}

test('a reference has three groups of unambiguous characters and carries all 60 bits', () => {
  expect(reference).toMatch(/^7F3K-92QX-4MTZ[0-9A-HJKMNP-TV-Z]$/);
  expect(new Set(someReferences(2000)).size).toBe(2000);
  expect(() => transferReferenceOf(new Uint8Array(11))).toThrow(RangeError);
});

describe('findTransferReferences', () => {
  test.each([
    ['as it was shown', reference],
    ['without hyphens', bare],
    ['in small letters with blanks', bare.toLowerCase().replace(/(.{4})/g, '$1 ')],
    ['between other words', `Order 17, ${reference}. Thank you!`],
    ['joined with other words', `RFB${bare}NOTPROVIDED`],
    ['wrapped by the bank', `/ROC/${bare.slice(0, 6)}\n${bare.slice(6)}//`],
    ['in typographic dress', `‘${reference.replaceAll('-', '–')}’`],
  ])('finds it %s', (_, text) => {
    expect(findTransferReferences(text)).toContain(reference);
  });

  test('reads the letters O, I and L as the digits that they resemble', () => {
    const [withDigits = ''] = someReferences(400).filter(one => /[01].*[01]/.test(one));
    const typed = withDigits.replaceAll('0', 'O').replace('1', 'l').replaceAll('1', 'I');
    expect(findTransferReferences(typed)).toEqual([withDigits]);
  });

  test('prefers a separate word', () => {
    const others = someReferences(40).join('');
    expect(findTransferReferences(`X${bare} ${reference}`)[0]).toBe(reference);
    expect(findTransferReferences(others + others).length).toBeLessThanOrEqual(20);
  });

  test('never returns one with a wrong character', () => {
    for (const one of someReferences(20).map(text => text.replaceAll('-', ''))) {
      for (let at = 0; at < one.length; at++) {
        for (const character of alphabet.replace(one[at] ?? '', '')) {
          expect(findTransferReferences(one.slice(0, at) + character + one.slice(at + 1))).toEqual([]);
        }
      }
    }
  });

  test('never returns one with two transposed characters', () => {
    for (const one of someReferences(50).map(text => text.replaceAll('-', ''))) {
      for (let a = 0; a < one.length; a++) {
        for (let b = a + 1; b < one.length; b++) {
          const characters = [...one];
          [characters[a], characters[b]] = [one[b] ?? '', one[a] ?? ''];
          const typed = characters.join('');
          expect(findTransferReferences(typed)).toEqual(typed === one ? [expect.any(String)] : []);
        }
      }
    }
  });

  test.each(['', 'Invoice', '7F3K-92QX-4MT', 'Überweisung für die Bestellung', '付款'])(
    'finds nothing in "%s"',
    text => {
      expect(findTransferReferences(text)).toEqual([]);
    },
  );
});
