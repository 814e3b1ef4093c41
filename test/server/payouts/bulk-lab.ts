import { expect } from 'vitest';
import type { CreatePayout, PayoutBatch } from '../../../src/api/payout.ts';
import type { TestAnswer, TestAppOptions, TestRequest } from '../../support/app.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

/** The service without a Stellar network, with a merchant's actions on bulk payouts. */
export interface BulkLab extends PaymentLab {
  /** Puts test money into the available balance of the key's merchant. */
  fund(amount: number, currency?: string, key?: string): Promise<void>;
  bulk(payouts: unknown, options?: object, request?: TestRequest): Promise<TestAnswer>;
  /** Sends rows, which must be accepted. */
  accept(payouts: readonly object[], options?: object): Promise<PayoutBatch & { readonly id: string }>;
  /** Sends payouts, and waits for their outcomes. */
  arrive(): Promise<void>;
  /** The merchant's number of batches and payouts, and the newest payout. */
  written(): Promise<{ readonly batches: number; readonly payouts: number; readonly newest: string | null }>;
}

/** The usual payout by mobile money. */
export const phone: CreatePayout = {
  amount: 100,
  currency: 'EUR',
  destination: { type: 'mobile_money', provider: 'mtn', number: '+256772123456' },
};

export const phones = (count: number): CreatePayout[] => Array.from({ length: count }, () => phone);

/** Starts the service; sweeps run only when a test asks for them. */
export async function startBulkLab(options: TestAppOptions = {}): Promise<BulkLab> {
  const lab = await startPaymentLab(options);
  const bulk: BulkLab['bulk'] = (payouts, options = {}, request = {}) =>
    lab.request('POST /v1/payouts/bulk', { body: { payouts, ...options }, ...request });
  return {
    ...lab,
    bulk,
    fund: async (amount, currency = 'EUR', key = lab.merchant.secretKey) => {
      const answer = await lab.request('POST /v1/test_helpers/fund', { key, body: { currency, amount } });
      expect(answer.status, answer.text).toBe(200);
    },
    accept: async (payouts, options) => {
      const answer = await bulk(payouts, options);
      expect(answer.status, answer.text).toBe(202);
      return answer.body;
    },
    arrive: async () => {
      for (let turn = 0; turn < 4; turn++) {
        lab.clock.advance(60);
        await lab.sweep();
      }
    },
    written: async () => {
      const batches = await allOf<PayoutBatch>(lab, '/v1/payout-batches');
      const [newest] = (await lab.request('GET /v1/payouts?limit=1')).body.data;
      const payouts = batches.reduce((sum, { counts }) => sum + counts.accepted, 0);
      return { batches: batches.length, payouts, newest: newest?.id ?? null };
    },
  };
}

/** All objects of a list, page by page. */
export async function allOf<T extends { readonly id: string | null }>(
  lab: PaymentLab,
  path: `/${string}`,
): Promise<T[]> {
  const all: T[] = [];
  for (let after = ''; ; after = `&starting_after=${all.at(-1)?.id}`) {
    const { body } = await lab.request(`GET ${path}?limit=100${after}`);
    all.push(...body.data);
    if (!body.has_more) return all;
  }
}
