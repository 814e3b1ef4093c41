import { expect } from 'vitest';
import type { CreatePayout, Payout, PayoutBatch } from '../../../src/api/payout.ts';
import { type SettlementLab, startSettlementLab } from '../settlement/settlement-lab.ts';

/** The usual payout by SEPA. */
export const row: CreatePayout = {
  amount: 12_500,
  currency: 'EUR',
  destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' },
};

/** The sandbox's USDC, and a wallet that can hold it. */
export const usdc = 'USDC';

/** A service with a Stellar network, with merchants' actions on payouts. */
export interface PayoutLab extends SettlementLab {
  fund(amount: number, currency?: string): Promise<void>;
  /** Sends rows, which must be accepted. */
  pay(rows: readonly object[], options?: object): Promise<PayoutBatch & { readonly id: string }>;
  /** All payouts of a batch, in the order of its rows. */
  payoutsOf(batchId: string): Promise<Payout[]>;
  readBatch(id: string): Promise<PayoutBatch>;
  ended(id: string): Promise<PayoutBatch>;
}

/** Starts the service with its sweeps. */
export async function startPayoutLab(settings: Readonly<Record<string, string>> = {}): Promise<PayoutLab> {
  const lab = await startSettlementLab(settings);
  const readBatch: PayoutLab['readBatch'] = async id => (await lab.request(`GET /v1/payout-batches/${id}`)).body;
  return {
    ...lab,
    readBatch,
    fund: async (amount, currency = 'EUR') => {
      const answer = await lab.request('POST /v1/test_helpers/fund', { body: { currency, amount } });
      expect(answer.status, answer.text).toBe(200);
    },
    pay: async (rows, options = {}) => {
      const answer = await lab.request('POST /v1/payouts/bulk', { body: { payouts: rows, ...options } });
      expect(answer.status, answer.text).toBe(202);
      return answer.body;
    },
    payoutsOf: async batchId => {
      const payouts: Payout[] = [];
      let after = '';
      for (let more = true; more; ) {
        const { body } = await lab.request(`GET /v1/payout-batches/${batchId}/payouts?limit=100${after}`);
        payouts.push(...body.data);
        more = body.has_more;
        after = `&starting_after=${payouts.at(-1)?.id}`;
      }
      return payouts;
    },
    ended: async id => {
      await lab.until(`${id} has ended`, async () => (await readBatch(id)).completed_at !== null);
      return await readBatch(id);
    },
  };
}
