import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount } from '../../src/core/typed-amount.ts';

describe('a typed amount', () => {
  it.each([
    ['12.50', 2, '.', 1250],
    ['12,50', 2, '.', 1250],
    ['12.50', 2, ',', 1250],
    ['1.234,50', 2, ',', 123_450],
    ['1,234.50', 2, '.', 123_450],
    ['1.234', 2, ',', 123_400],
    ['1 234,5', 2, ',', 123_450],
    ['1’234.50', 2, '.', 123_450],
    ['1,234,567.5', 2, '.', 123_456_750],
    ['5.', 2, '.', 500],
    ['12.345', 3, '.', 12_345],
    ['1,234', 0, '.', 1234],
    ['１２３', 0, '.', 123],
    ['١٬٢٣٤٫٥', 2, '٫', 123_450],
    ['۱۲٫۵', 2, '٫', 1250],
  ] as const)('parses %s (%i decimals, separator “%s”) as %i', (text, decimals, decimalSeparator, amount) => {
    expect(parseAmount(text, decimals, decimalSeparator)).toBe(amount);
  });

  it.each([
    '',
    ' ',
    '-5',
    '+5',
    '1e3',
    '0x10',
    '1.2.3',
    '1,23,456',
    '1.234',
    '12.345',
    'twelve',
    '99999999999999999',
    '.5',
  ])('%s is null, and is never rounded', text => {
    expect(parseAmount(text, 2, '.')).toBe(null);
  });

  it('is parsed in the number format of every locale', () => {
    const locales = ['en', 'de', 'fr', 'ja', 'ar-EG', 'de-CH', 'hi'];
    const property = fc.property(
      fc.constantFrom(...locales),
      fc.integer({ min: 0, max: 10 ** 12 }),
      (locale, minor) => {
        const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
        const decimalSeparator = format.formatToParts(1.1).find(({ type }) => type === 'decimal')?.value ?? '.';
        // Locales with groups of two (1,23,456) are tested without groups.
        const text = (
          locale === 'hi' ? new Intl.NumberFormat(locale, { minimumFractionDigits: 2, useGrouping: false }) : format
        ).format(minor / 100);
        expect(parseAmount(text, 2, decimalSeparator), `${locale} ${text}`).toBe(minor);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
