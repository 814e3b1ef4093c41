import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buyCoins, buyFor, convertDown, feeOf, needed, sellCoins, sellFor } from '../../../src/core/ramp/price.ts';

const rule = fc.record({ basisPoints: fc.integer({ min: 0, max: 5_000 }), fixed: fc.bigInt(0n, 10_000n) });
/** Prices from a millionth of a coin to a million coins for a minor unit. */
const rate = fc.record({ numerator: fc.bigInt(1n, 10n ** 12n), denominator: fc.bigInt(1n, 10n ** 6n) });

describe('buying coins', () => {
  it('for an amount: coins and fee never exceed it', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, rule, (gross, price, fee) => {
        const bought = buyFor(gross, price, fee);
        expect(bought.gross).toBe(gross);
        expect(bought.fee).toBe(feeOf(gross, fee));
        expect(bought.fee <= gross).toBe(true);
        // The coins cost no more than the amount after fees, and one coin more would cost more.
        expect(needed(bought.coins, price) <= gross - bought.fee).toBe(true);
        expect(needed(bought.coins + 1n, price) > gross - bought.fee).toBe(true);
      }),
    );
  });

  it('of a number: the smallest amount that buys them', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, rule, (coins, price, fee) => {
        const { gross, fee: taken } = buyCoins(coins, price, fee);
        expect(convertDown(gross - taken, price) >= coins).toBe(true);
        const less = gross - 1n;
        expect(convertDown(less - feeOf(less, fee), price) < coins).toBe(true);
      }),
    );
  });

  it.each([
    [100_00n, { basisPoints: 150, fixed: 30n }, { gross: 100_00n, fee: 1_80n, coins: 108_0200000n }],
    [1_00n, { basisPoints: 0, fixed: 5_00n }, { gross: 1_00n, fee: 1_00n, coins: 0n }],
    [100_00n, { basisPoints: 0, fixed: 0n }, { gross: 100_00n, fee: 0n, coins: 110_0000000n }],
  ])('%i cents at 1.10 with %o', (gross, fee, expected) => {
    expect(buyFor(gross, { numerator: 110_000n, denominator: 1n }, fee)).toEqual(expected);
  });
});

describe('selling coins', () => {
  it('brings money that they are worth, and never more', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 18n), rate, rule, (coins, { numerator, denominator }, fee) => {
        const price = { numerator: denominator, denominator: numerator };
        const sold = sellCoins(coins, price, fee);
        expect(sold).toEqual({ coins, gross: convertDown(coins, price), fee: feeOf(sold.gross, fee) });
        expect(needed(sold.gross, price) <= coins).toBe(true);
      }),
    );
  });

  it('for an amount: it is paid out exactly, by the fewest coins', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, rule, (net, { numerator, denominator }, fee) => {
        const price = { numerator: denominator, denominator: numerator };
        const { gross, fee: taken, coins } = sellFor(net, price, fee);
        expect(gross - taken).toBe(net);
        const { gross: less, fee: ofLess } = sellCoins(coins - 1n, price, fee);
        expect(less - ofLess < net).toBe(true);
      }),
    );
  });
});
