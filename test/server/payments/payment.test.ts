import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOfStep, judgeReceived, paymentMachine, statusOf } from '../../../src/server/payments/payment.ts';
import { type RefundableTransfer, shareRefund } from '../../../src/server/payments/refunds/refund.ts';

const tolerance = { basisPoints: 50, units: 1n };

describe('the effect of a received amount', () => {
  it.each([
    [12_840n, 12_840n, 'paid', null, 0n],
    [12_840n, 12_776n, 'paid', null, 0n],
    [12_840n, 12_775n, 'partially_paid', 'underpaid', 0n],
    [12_840n, 12_904n, 'paid', null, 64n],
    [12_840n, 12_905n, 'paid', 'overpaid', 65n],
    [12_840n, 8_000n, 'partially_paid', 'underpaid', 0n],
    [10n, 9n, 'paid', null, 0n],
    [10n, 8n, 'partially_paid', 'underpaid', 0n],
    [1n, 1n, 'paid', null, 0n],
    [10n, 1n, null, null, 0n],
    [10n, 2n, 'partially_paid', 'underpaid', 0n],
    [1n, 0n, null, null, 0n],
    [1n, 2n, 'paid', null, 1n],
    [1n, 3n, 'paid', 'overpaid', 2n],
    [2n, 1n, 'paid', null, 0n],
  ] as const)('of %d due, %d received is %s (%s), %d surplus', (amount, received, phase, exception, excess) => {
    expect(judgeReceived(amount, received, tolerance)).toEqual({ phase, exception, excess });
  });
});

describe('the state machine', () => {
  it('changes the status only together with an event', () => {
    for (const from of paymentMachine.states) {
      for (const to of paymentMachine.states.filter(state => paymentMachine.can(from, state))) {
        if (statusOf[from] === statusOf[to]) continue;
        const isRefundBack = from === 'refunded';
        const event = isRefundBack ? undefined : `payment.${statusOf[to]}`;
        expect([from, to, eventOfStep(from, to)]).toEqual([from, to, event]);
      }
    }
  });

  it('never returns to waiting after a dispute', () => {
    const reach = (from: string, seen = new Set<string>()): Set<string> => {
      for (const to of paymentMachine.states.filter(state => paymentMachine.can(from as never, state))) {
        if (!seen.has(to)) reach(to, seen.add(to));
      }
      return seen;
    };
    for (const state of reach('paid')) expect(statusOf[state as 'paid']).not.toBe('pending');
  });
});

describe('the distribution of a refund over transfers', () => {
  const transfer = fc
    .record({ value: fc.bigInt({ min: 1n, max: 10n ** 6n }), amount: fc.bigInt({ min: 1n, max: 10n ** 7n }) })
    .map(
      (money): RefundableTransfer => ({
        ...money,
        id: 'tr',
        rail: 'sepa',
        currency: 'EUR',
        valueTaken: 0n,
        amountTaken: 0n,
        isOnChain: false,
        reference: 'r',
        sender: null,
      }),
    );

  it('is exact, and never above the amount of a transfer', () => {
    fc.assert(
      fc.property(fc.array(transfer, { minLength: 1, maxLength: 5 }), fc.nat(1_000_000), (transfers, part) => {
        const total = transfers.reduce((sum, { value }) => sum + value, 0n);
        const amount = 1n + (total * BigInt(part)) / 1_000_001n;
        const shares = shareRefund(amount, transfers);
        if (shares === null) return transfers.some(({ amount: a, value }) => a < value);
        return (
          shares.reduce((sum, share) => sum + share.amount, 0n) === amount &&
          shares.every(share => share.railAmount <= 10n ** 7n)
        );
      }),
    );
  });

  it('leaves no unit undistributed when a transfer is refunded in parts', () => {
    fc.assert(
      fc.property(transfer, fc.integer({ min: 1, max: 99 }), (first, percent) => {
        fc.pre(first.amount >= first.value);
        const part = 1n + ((first.value - 1n) * BigInt(percent)) / 100n;
        const one = shareRefund(part, [first])?.[0];
        fc.pre(one !== undefined && part < first.value);
        const rest = { ...first, valueTaken: part, amountTaken: one?.railAmount ?? 0n };
        const two = shareRefund(first.value - part, [rest])?.[0];
        return (one?.railAmount ?? 0n) + (two?.railAmount ?? 0n) === first.amount;
      }),
    );
  });

  it('sends whole steps, and no more than the share', () => {
    fc.assert(
      fc.property(transfer, fc.constantFrom(1n, 100n), fc.integer({ min: 1, max: 99 }), (first, step, percent) => {
        const part = 1n + ((first.value - 1n) * BigInt(percent)) / 100n;
        fc.pre(part < first.value);
        const sent = shareRefund(part, [first], () => step)?.[0]?.railAmount ?? 0n;
        // Half a minor unit is rounded up.
        return sent % step === 0n && 2n * sent * first.value <= 2n * part * first.amount + first.value;
      }),
    );
  });

  it('refuses more than the total', () => {
    const full = {
      id: 'tr',
      rail: 'sepa',
      currency: 'EUR',
      amount: 100n,
      value: 100n,
      valueTaken: 40n,
      amountTaken: 40n,
      isOnChain: false,
      reference: 'r',
      sender: null,
    };
    expect(shareRefund(61n, [full])).toBeNull();
  });
});
