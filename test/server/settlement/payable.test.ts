import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payableOf } from '../../../src/server/settlement/fiat/settlement.ts';

const sum = (min: bigint, max: bigint) => fc.bigInt({ min, max });

/** A rail that pays at least one step, and perhaps no more than a limit of at least twice its least amount. */
const limits = fc
  .record({ step: fc.constantFrom(1n, 5n, 100n), least: sum(1n, 50_000n), more: sum(0n, 10n ** 8n), is: fc.boolean() })
  .map(({ step, least, more, is }) => ({ step, least, most: is ? 2n * least + 2n * step + more : null }));

it('pays an amount by transfers within the rail’s limits; less than a transfer is left', () => {
  fc.assert(
    fc.property(sum(0n, 10n ** 9n), limits, (amount, rail) => {
      const { step, least, most } = rail;
      let left = amount;
      let paid = 0n;
      for (let transfers = 0; transfers < 30; transfers++) {
        const payable = payableOf(left, rail);
        if (payable === null) {
          expect(left < least || left - (left % step) < least).toBe(true);
          break;
        }
        expect(payable >= least && payable % step === 0n && (most === null || payable <= most)).toBe(true);
        // Only the last transfer is smaller than the rail allows.
        const rest = left - payable;
        if (rest >= step) expect(most !== null && payable > most - step).toBe(true);
        paid += payable;
        left = rest;
      }
      expect(paid + left).toBe(amount);
    }),
  );
});
