import { mostTextCharacters } from '../../src/api/invoice/invoice.ts';

const longestLine = 2000;

/**
 * Invoice lines that repeat no words. Their descriptions together have the maximum length for an invoice, plus `more`.
 * `letters` gives the text at an index.
 */
export function longestLines(letters: (index: number) => string, more = 0) {
  const lines: { description: string; unit_amount: number }[] = [];
  let index = 0;
  for (let left = mostTextCharacters + more; left > 0; left -= longestLine) {
    let description = '';
    while (description.length < Math.min(left, longestLine)) description += letters(index++);
    lines.push({ description: description.slice(0, Math.min(left, longestLine)), unit_amount: 1 });
  }
  return lines;
}

const characterOf = (first: number, count: number, index: number) => String.fromCodePoint(first + (index % count));
const wordOf = (first: number, count: number, index: number) =>
  [7919, 104_729, 15_485_863].map(prime => characterOf(first, count, index * prime + (index >> 3))).join('');

/** Scripts that take long to draw: their name, a locale, and the text at an index. */
export const scripts: readonly (readonly [name: string, locale: string, letters: (index: number) => string])[] = [
  ['Latin words', 'de', index => `${wordOf(97, 26, index)} `],
  ['Latin without a blank', 'en', index => characterOf(97, 26, index * 31 + (index >> 5))],
  ['lines of a letter', 'en', index => `${characterOf(97, 26, index)}\n`],
  ['letters under many marks', 'en', index => `a${'\u0301\u0323\u0308'.repeat(6)}${index % 7 === 0 ? ' ' : ''}`],
  ['ideographs', 'ja', index => characterOf(0x4e00, 20_900, index)],
  ['Korean syllables', 'ko', index => characterOf(0xac00, 11_172, index * 37)],
  ['Arabic words', 'ar', index => `${wordOf(0x62a, 17, index)} `],
  ['Arabic without a blank', 'ar', index => wordOf(0x62a, 17, index)],
  ['Arabic lines of a letter', 'ar', index => `${characterOf(0x62a, 17, index)}\n`],
  ['all scripts in turn', 'en', index => `a${characterOf(0x62a, 17, index)}${characterOf(0x4e00, 20_900, index)}한Ж`],
];
