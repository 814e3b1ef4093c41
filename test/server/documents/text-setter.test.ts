import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentFonts } from '../../../src/server/documents/fonts/document-fonts.ts';
import { drawn, printable } from '../../../src/server/documents/fonts/printable.ts';
import { openFile } from '../../../src/server/documents/layout/sheet.ts';
import { TextSetter } from '../../../src/server/documents/layout/text-setter.ts';

const style = { weight: 'regular', size: 10 } as const;

function setterFor(direction: 'ltr' | 'rtl', locale = 'en'): TextSetter {
  const document = openFile({ title: 't', author: 'a', locale, date: new Date(0) });
  document.addPage();
  return new TextSetter(new DocumentFonts(document), locale, direction);
}

const lines = (text: string, width: number, direction: 'ltr' | 'rtl' = 'ltr') =>
  setterFor(direction)
    .lines(text, style, width)
    .map(line => line.pieces.map(piece => piece.text).join(''));

describe('line breaks', () => {
  it.each<[string, string, number, string[]]>([
    ['are after spaces', 'one two three', 40, ['one two', 'three']],
    ['are where the text has them', 'one\ntwo\n\nthree', 400, ['one', 'two', '', 'three']],
    ['are after hyphens', 'well-known', 35, ['well-', 'known']],
    ['are inside a word only if it does not fit on a line', 'abcdefghij', 30, ['abcde', 'fghij']],
    ['are between ideographs', '請求書番号', 25, ['請求', '書番', '号']],
    ['are not before a full stop', '請求書。', 30, ['請求', '書。']],
    ['are not after an opening bracket', '請求（書）', 30, ['請求', '（書）']],
    ['are not at a no-break space', 'a 10\u00a0000', 36, ['a', '10 000']],
    ['are inside a word with very wide glyphs', 'ԱԲسЖ', 25, ['ԱԲ', 'سЖ']],
    ['do not exist in an empty text', '', 30, []],
  ])('%s', (_, text, width, expected) => {
    expect(lines(text, width)).toEqual(expected);
  });
});

it('a character that no font has is printed as its code, never as a question mark', () => {
  expect(lines('Ada ᚠ, 𐌰', 400)).toEqual(['Ada [U+16A0], [U+10330]']);
});

describe('the visual order of characters', () => {
  it.each<[string, string, 'ltr' | 'rtl', string[]]>([
    ['is from left to right for Latin', 'abc (1)', 'ltr', ['abc (1)']],
    ['is from left to right for Latin within Arabic', 'abc (1)', 'rtl', ['abc (1)']],
    ['is from right to left for Arabic', 'سلام abc', 'rtl', ['abc', 'سلام ']],
    ['is from left to right for numbers within Arabic', 'سلام 123', 'rtl', ['123', 'سلام ']],
    ['is reversed for Arabic digits, which the font reverses again', '٣٠', 'rtl', ['٠٣']],
    ['mirrors brackets', 'سلام (abc) سلام', 'rtl', [' سلام', '(', 'abc', ')', 'سلام ']],
  ])('%s', (_, text, direction, expected) => {
    const [line] = setterFor(direction).lines(text, style, 500);
    expect(line?.pieces.map(piece => piece.text.trim()).filter(part => part !== '')).toEqual(
      expected.map(part => part.trim()),
    );
  });

  it('keeps the logical text for copying and screen readers', () => {
    const [line] = setterFor('rtl').lines('سلام (abc) ١٢', style, 500);
    expect(line?.reading).toBe('سلام (abc) ١٢');
  });
});

describe('any text', () => {
  const letters = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...' \n\t-.,()%€abcXYZ0189äñßΩЖあ漢。「한سلام٣لا\u00a0\u00ad\u200b\u200f\u202e\u2066'),
      fc.constantFrom('👩‍👩‍👧', '\ud800', 'e\u0301', 'ﷺ', '𠮷', '\u0000', 'אב', 'ไ'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 80,
  });

  it('fits its lines, each of which consists of its adjacent pieces', () => {
    const setters = { ltr: setterFor('ltr'), rtl: setterFor('rtl') };
    fc.assert(
      fc.property(
        letters,
        fc.constantFrom('ltr' as const, 'rtl' as const),
        fc.integer({ min: 40, max: 300 }),
        (text, direction, width) => {
          const set = setters[direction].lines(text, style, width);
          for (const { pieces, width: used } of set) {
            // Kerning between the parts of a broken word may add a fraction of a point.
            expect(used).toBeLessThanOrEqual(width + 0.5);
            for (const [index, piece] of pieces.entries())
              expect(piece.x).toBeGreaterThanOrEqual(pieces[index - 1]?.x ?? 0);
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it('loses no character that a font has', () => {
    const known = fc.string({ unit: fc.constantFrom(...'abc 09.-(漢字かな)한글سلامΩЖ'), maxLength: 60 });
    fc.assert(
      fc.property(known, fc.constantFrom('ltr' as const, 'rtl' as const), (text, direction) => {
        const letterCounts = (of: string) => [...of.replace(/[\s()]/g, '')].sort().join('');
        expect(letterCounts(lines(text, 70, direction).join(''))).toBe(letterCounts(drawn(printable(text))));
      }),
      { numRuns: 200 },
    );
  });
});
