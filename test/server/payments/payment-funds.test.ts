import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Funds,
  keptOf,
  pendingFunds,
  returnOwned,
  settlementShare,
  takeOwned,
  unsettled,
} from '../../../src/server/payments/payment-funds.ts';

/** A payment's columns, and the amounts that the books should show for it. */
interface Model {
  funds: Funds;
  pending: bigint;
  /** The merchant's available balance from this payment. */
  balance: bigint;
  receivable: bigint;
}

type Step = readonly [
  (
    | 'receive'
    | 'refund'
    | 'refund_fails'
    | 'refund_sent'
    | 'dispute'
    | 'dispute_won'
    | 'settle'
    | 'settled'
    | 'settlement_fails'
    | 'keep'
    | 'spend'
  ),
  number,
];

const nothing: Funds = {
  amount_received: 0n,
  amount_refunded: 0n,
  amount_refunding: 0n,
  amount_suspense: 0n,
  amount_disputed: 0n,
  amount_settling: 0n,
  amount_settled: 0n,
  amount_receivable: 0n,
  amount_available: 0n,
};

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** Each step changes the columns and the expected books as the services do. */
const steps: Readonly<Record<Step[0], (model: Model, amount: bigint) => void>> = {
  receive: (model, amount) => {
    model.funds = { ...model.funds, amount_received: model.funds.amount_received + amount };
    model.pending += amount;
  },
  refund: (model, wanted) => {
    const { funds } = model;
    const amount = least(wanted, keptOf(funds));
    const taken = takeOwned(funds, amount, model.balance);
    expect(taken.pending + taken.available + taken.receivable).toBe(amount);
    model.pending -= taken.pending;
    model.balance -= taken.available;
    model.receivable += taken.receivable;
    model.funds = {
      ...funds,
      amount_available: funds.amount_available - taken.available,
      amount_refunding: funds.amount_refunding + amount,
      amount_receivable: funds.amount_receivable + taken.receivable,
    };
  },
  refund_fails: (model, wanted) => {
    const amount = least(wanted, model.funds.amount_refunding);
    const returned = returnOwned(model.funds, amount);
    model.pending += returned.pending;
    model.receivable -= returned.receivable;
    model.funds = {
      ...model.funds,
      amount_refunding: model.funds.amount_refunding - amount,
      amount_receivable: model.funds.amount_receivable - returned.receivable,
    };
  },
  refund_sent: (model, wanted) => {
    const amount = least(wanted, model.funds.amount_refunding);
    model.funds = {
      ...model.funds,
      amount_refunding: model.funds.amount_refunding - amount,
      amount_refunded: model.funds.amount_refunded + amount,
    };
  },
  dispute: (model, wanted) => {
    const { funds } = model;
    const amount = least(wanted, keptOf(funds));
    const taken = takeOwned(funds, amount, model.balance);
    model.pending -= taken.pending;
    model.balance -= taken.available;
    model.receivable += taken.receivable;
    model.funds = {
      ...funds,
      amount_disputed: funds.amount_disputed + amount,
      amount_available: funds.amount_available - taken.available,
      amount_receivable: funds.amount_receivable + taken.receivable,
    };
  },
  dispute_won: (model, wanted) => {
    const { funds } = model;
    const amount = least(wanted, funds.amount_disputed);
    const returned = returnOwned(funds, amount);
    model.pending += returned.pending;
    model.receivable -= returned.receivable;
    model.funds = {
      ...funds,
      amount_disputed: funds.amount_disputed - amount,
      amount_receivable: funds.amount_receivable - returned.receivable,
    };
  },
  settle: model => {
    const value = unsettled(model.funds);
    if (value <= 0n || model.funds.amount_settling > 0n) return;
    model.pending -= value + model.funds.amount_receivable;
    model.receivable -= model.funds.amount_receivable;
    model.funds = { ...model.funds, amount_settling: value, amount_receivable: 0n };
  },
  keep: model => {
    const { funds } = model;
    if (funds.amount_settling > 0n) return;
    const left = unsettled(funds);
    const value = left > 0n ? left : 0n;
    const offset = pendingFunds(funds) - value;
    expect(offset).toBeLessThanOrEqual(funds.amount_receivable);
    model.pending = 0n;
    model.balance += value;
    model.receivable -= offset;
    model.funds = {
      ...funds,
      amount_available: funds.amount_available + value,
      amount_receivable: funds.amount_receivable - offset,
    };
  },
  spend: (model, wanted) => {
    model.balance -= least(wanted, model.balance);
  },
  settled: model => {
    const { funds } = model;
    model.funds = { ...funds, amount_settled: funds.amount_settled + funds.amount_settling, amount_settling: 0n };
  },
  settlement_fails: model => {
    const returned = returnOwned(model.funds, model.funds.amount_settling);
    model.pending += returned.pending;
    model.receivable -= returned.receivable;
    model.funds = {
      ...model.funds,
      amount_settling: 0n,
      amount_receivable: model.funds.amount_receivable - returned.receivable,
    };
  },
};

const step = fc.tuple(fc.constantFrom(...(Object.keys(steps) as Step[0][])), fc.integer({ min: 1, max: 1_000 }));

describe('the funds of a payment', () => {
  it('equal its columns, in any order of receipts, refunds, disputes, settlements and moves to the balance', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), taken => {
        const model: Model = { funds: nothing, pending: 0n, balance: 0n, receivable: 0n };
        for (const [name, amount] of taken) {
          steps[name](model, BigInt(amount));
          expect(model.pending).toBeGreaterThanOrEqual(0n);
          expect(model.balance).toBeGreaterThanOrEqual(0n);
          expect(model.funds.amount_available).toBeGreaterThanOrEqual(0n);
          expect(model.receivable).toBeGreaterThanOrEqual(0n);
          expect(model.funds.amount_receivable).toBe(model.receivable);
          expect(pendingFunds(model.funds)).toBe(model.pending);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are never settled above the amount kept at that moment', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), taken => {
        const model: Model = { funds: nothing, pending: 0n, balance: 0n, receivable: 0n };
        for (const [name, amount] of taken) {
          const settledBefore = model.funds.amount_settled + model.funds.amount_settling;
          steps[name](model, BigInt(amount));
          const { funds } = model;
          const settled = funds.amount_settled + funds.amount_settling;
          const kept = funds.amount_received - funds.amount_refunded - funds.amount_refunding;
          if (settled > settledBefore) expect(settled).toBeLessThanOrEqual(kept);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the shares of a payment in its settlement asset', () => {
  it('add up to the quote, however the payment is divided', () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10_000n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.bigInt({ min: 1n, max: 10n ** 15n }), (sizes, quote) => {
        const amount = sizes.reduce((sum, size) => sum + size, 0n);
        let before = 0n;
        let total = 0n;
        for (const size of sizes) {
          const share = settlementShare({ amount, quote_amount: quote }, before, size);
          expect(share).toBeGreaterThanOrEqual(0n);
          total += share;
          before += size;
        }
        expect(total).toBe(quote);
      }),
    );
  });
});
