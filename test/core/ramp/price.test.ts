import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buyCoins, buyFor, coinsFor, feeOf, netFor } from '../../../src/core/ramp/price.ts';

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
        expect(netFor(bought.coins, price) <= gross - bought.fee).toBe(true);
        expect(netFor(bought.coins + 1n, price) > gross - bought.fee).toBe(true);
      }),
    );
  });

  it('of a number: the smallest amount that buys them', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, rule, (coins, price, fee) => {
        const { gross, fee: taken } = buyCoins(coins, price, fee);
        expect(coinsFor(gross - taken, price) >= coins).toBe(true);
        const less = gross - 1n;
        expect(coinsFor(less - feeOf(less, fee), price) < coins).toBe(true);
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
