import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayoutLab, startPayoutLab } from './payout-lab.ts';

let lab: PayoutLab;
beforeAll(async () => {
  lab = await startPayoutLab();
  await lab.fund(10_000_00, 'USD');
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** An account for each bank rail of test mode. */
const accounts = {
  sepa: { iban: 'DE89370400440532013000' },
  ach: { routing: '021000021', account: '000123456789' },
  swift: { bic: 'NEDSZAJJ', account: '62001872440', country: 'ZA' },
};

/** A payout to an account holder of test mode. The holder's name decides the outcome. */
const to = (rail: keyof typeof accounts, account_holder: string) => ({
  ...{ amount: 2_500, currency: 'USD' },
  destination: { type: 'bank_account', ...accounts[rail], account_holder },
});

const available = async () => (await lab.balance())['available USD'] ?? 0;

describe.each(['sepa', 'ach', 'swift'] as const)('payouts by %s', rail => {
  it('arrive, fail or are returned as the bank reports in its files', async () => {
    const before = await available();
    const ends = { 'Ada Lovelace': 'completed', 'Closed Account': 'failed', 'Returned Later': 'returned' };
    const batch = await lab.pay(Object.keys(ends).map(holder => to(rail, holder)));
    const byHolder = async () => {
      const payouts = await lab.payoutsOf(batch.id);
      return new Map(
        payouts.map(one => [one.destination.type === 'bank_account' && one.destination.account_holder, one]),
      );
    };
    await lab.until('the bank has answered', async () => {
      const payouts = await byHolder();
      return Object.entries(ends).every(([holder, status]) => payouts.get(holder)?.status === status);
    });
    const payouts = await byHolder();
    expect(payouts.get('Ada Lovelace')?.trace.rail).toBe(rail);
    expect(payouts.get('Closed Account')?.failure?.code).toBe('account_closed');
    expect(payouts.get('Returned Later')?.failure?.code).toBe('account_closed');
    expect(before - (await available())).toBe(2_500);
  });
});
