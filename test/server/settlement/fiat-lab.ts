import { expect } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import type { Settlement } from '../../../src/api/settlement.ts';
import { newId } from '../../../src/core/id.ts';
import type { TestAnswer } from '../../support/app.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

/** A bank account of test mode. The holder's name decides what happens to a payout. */
export const accountOf = (account_holder: string) => ({
  type: 'bank_account',
  iban: 'DE89370400440532013000',
  account_holder,
});

/** The service without a Stellar network, with a merchant that settles in a currency. */
export interface FiatLab extends PaymentLab {
  /** Changes the account's settlement; the second person confirms a changed destination. */
  settleTo(settlement: object): Promise<void>;
  /** Does all due work, until the bank has answered. */
  arrive(): Promise<void>;
  /** Moves the merchant's clock, and does what is due then. */
  pass(duration: string): Promise<void>;
  settlements(query?: string): Promise<Settlement[]>;
  /** The newest settlement. */
  newest(): Promise<Settlement>;
  /** A payment by card whose settlement has begun. */
  paid(amount: number, changes?: object): Promise<Payment>;
  /** Signed sums of all balance entries of an account, by currency. */
  entries(account: string): Promise<Record<string, number>>;
  retry(id: string): Promise<TestAnswer>;
  keep(id: string): Promise<TestAnswer>;
  /** Kinds of what waits for a person. */
  attention(): Promise<string[]>;
}

export async function startFiatLab(settlement: object): Promise<FiatLab> {
  const lab = await startPaymentLab();
  const second = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
  const settleTo = async (changes: object) => {
    const answer = await lab.request('PATCH /v1/account', { body: { settlement: changes } });
    expect(answer.status, answer.text).toBe(200);
    if (answer.body.settlement.destination_change === undefined) return;
    expect((await lab.request('PATCH /v1/account', { key: second, body: { settlement: changes } })).status).toBe(200);
  };
  const settlements = async (query = ''): Promise<Settlement[]> =>
    (await lab.request(`GET /v1/settlements?limit=100${query}`)).body.data;
  const arrive = async () => {
    for (let turn = 0; turn < 4; turn++) {
      lab.clock.advance(60);
      await lab.sweep();
    }
  };
  await settleTo(settlement);
  return {
    ...lab,
    settleTo,
    arrive,
    settlements,
    pass: async duration => {
      await lab.request('POST /v1/test_helpers/clock', { body: { advance: duration } });
      await arrive();
    },
    newest: async () => {
      const [first] = await settlements();
      if (first === undefined) throw new Error('there is no settlement');
      return first;
    },
    paid: async (amount, changes = {}) => {
      const payment = await lab.createPaid({ settlement_asset: 'EUR', amount, ...changes });
      await lab.sweep('settlements.fiat', 'settlements.close');
      return payment;
    },
    entries: async account => {
      const sums: Record<string, number> = {};
      let after = '';
      for (;;) {
        const { body } = await lab.request(`GET /v1/balance/entries?limit=100${after}`);
        for (const entry of body.data.filter((each: { account: string }) => each.account === account)) {
          sums[entry.currency] = (sums[entry.currency] ?? 0) + entry.amount;
        }
        if (!body.has_more) return sums;
        after = `&starting_after=${body.data.at(-1).id}`;
      }
    },
    retry: id => lab.request(`POST /v1/settlements/${id}/retry`),
    keep: id => lab.request(`POST /v1/settlements/${id}/keep`),
    attention: async () =>
      (await lab.request('GET /v1/reports/overview')).body.attention.map(({ kind }: { kind: string }) => kind),
  };
}
