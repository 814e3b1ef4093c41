import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basisPointsOf, divideRounded, divideUp, formatUnits, parseUnits } from '../../src/core/money.ts';

const big = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 24n });

describe('rounding', () => {
  it.each([
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [5n, -2n, -3n],
    [4n, 3n, 1n],
    [0n, 7n, 0n],
    [149n, 100n, 1n],
    [150n, 100n, 2n],
  ])('divides %d by %d to %d, half away from zero', (numerator, denominator, expected) => {
    expect(divideRounded(numerator, denominator)).toBe(expected);
  });

  it('differs from the exact value by at most half a unit', () => {
    fc.assert(
      fc.property(big, positive, (numerator, denominator) => {
        const error = divideRounded(numerator, denominator) * denominator - numerator;
        return 2n * (error < 0n ? -error : error) <= denominator;
      }),
    );
  });

  it('rounds up to the next integer', () => {
    fc.assert(
      fc.property(positive, positive, (numerator, denominator) => {
        const up = divideUp(numerator, denominator);
        return up * denominator >= numerator && (up - 1n) * denominator < numerator;
      }),
    );
  });

  it.each([
    [12_840n, 50, 64n],
    [100n, 50, 1n],
    [99n, 50, 0n],
    [10_000n, 10_000, 10_000n],
  ])('calculates %d at %d basis points as %d', (amount, basisPoints, expected) => {
    expect(basisPointsOf(amount, basisPoints)).toBe(expected);
  });
});

describe('text', () => {
  it('is parsed to the formatted amount, for any number of decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
        return parseUnits(formatUnits(amount, decimals), decimals) === amount;
      }),
    );
  });

  it.each(['-1', '1e21', 'NaN', '1.001', ' 5', '5 ', '１２', '', '.5', '5.', '01', '+1', '0x10', '1_000'])(
    'refuses “%s” instead of guessing',
    text => {
      expect(parseUnits(text, 2)).toBeNull();
    },
  );
});
