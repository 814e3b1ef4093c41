import fc from 'fast-check';
import { expect, it } from 'vitest';
import { divideRounded } from '../../../src/core/money.ts';
import { deductDebt, type Indebted } from '../../../src/server/payments/settling/deduction.ts';

const most = 10n ** 9n;
const sum = (min = 0n) => fc.bigInt({ min, max: most });

/** A payment whose money was handed over in part, and whose payer got some of it back. */
const indebted = fc
  .record({ amount: sum(1n), quote: sum(1n), settled: sum(), settling: sum(), owed: sum(), isOwn: fc.boolean() })
  .map(({ amount, quote, settled, settling, owed, isOwn }): Indebted => {
    const [first, second] = [settled % (amount + 1n), settling % (amount - (settled % (amount + 1n)) + 1n)];
    const upTo = (part: bigint) => divideRounded(quote * part, amount);
    return {
      amount,
      quote_amount: quote,
      amount_settled: first,
      amount_settling: isOwn ? second : 0n,
      // A payment that was refunded and disputed in full owes twice its amount.
      amount_receivable: owed % (2n * amount + 1n),
      settlement_amount: upTo(first),
      settling_amount: isOwn ? upTo(first + second) - upTo(first) : 0n,
      settlement_id: isOwn ? 'set_own' : 'set_earlier',
    };
  });

const gotBy = (payment: Indebted) => payment.settlement_amount + payment.settling_amount;
const paidOf = (payment: Indebted) => payment.amount_settled + payment.amount_settling;

it('deducts no more than is owed or is there, at the quote, and never twice', () => {
  fc.assert(
    fc.property(indebted, fc.array(sum(), { minLength: 1, maxLength: 6 }), (start, rooms) => {
      let payment = start;
      let deducted = 0n;
      for (const room of rooms) {
        const deduction = deductDebt(payment, 'set_own', room);
        if (deduction === null) continue;
        const { value, share, columns } = deduction;
        expect(share <= room && share >= 0n && value > 0n).toBe(true);
        const after = { ...payment, ...columns };
        const { amount_settled: _, settlement_amount: __, ...others } = columns;
        for (const left of Object.values(others)) expect(typeof left === 'bigint' && left >= 0n).toBe(true);
        expect(payment.amount_receivable - after.amount_receivable).toBe(value);
        expect(paidOf(payment) - paidOf(after)).toBe(value);
        expect(gotBy(payment) - gotBy(after)).toBe(share);
        payment = after;
        deducted += share;
      }
      // What is left is the quoted share of what was kept, however many times something was deducted.
      const kept = divideRounded(start.quote_amount * paidOf(payment), start.amount);
      expect(gotBy(payment)).toBe(kept);
      expect(deducted).toBe(gotBy(start) - kept);
    }),
  );
});

it('deducts the whole debt at once where there is room', () => {
  fc.assert(
    fc.property(indebted, payment => {
      const deduction = deductDebt(payment, 'set_own', 2n * most);
      expect(deduction?.value ?? 0n).toBe(payment.amount_receivable);
      expect(deductDebt({ ...payment, ...deduction?.columns }, 'set_own', 2n * most)).toBeNull();
    }),
  );
});
