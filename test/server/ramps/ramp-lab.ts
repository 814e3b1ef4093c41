import { expect } from 'vitest';
import type { CreateRamp, Ramp } from '../../../src/api/ramps/ramp.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import type { TestAnswer } from '../../support/app.ts';
import { accountOf } from '../settlement/fiat-lab.ts';
import { type SettlementLab, startSettlementLab } from '../settlement/settlement-lab.ts';

export const { USDC } = sandboxAssets;

/** The account's rules in these tests: 1.5 % and 0.30 EUR, and nothing for cards in US dollars. */
export const terms = {
  enabled: true,
  assets: ['USDC', 'XLM'],
  methods: ['card', 'bank_transfer', 'mobile_money'],
  fees: [
    { method: 'card', currency: 'USD', percent: 0 },
    { currency: 'EUR', percent: 1.5, fixed: 30 },
  ],
};

/** The service with ramps, and the actions of merchants and their customers. */
export interface RampLab extends SettlementLab {
  /** Changes the account's rules for ramps. */
  setTerms(changes: object): Promise<TestAnswer>;
  quote(changes?: object): Promise<TestAnswer>;
  begin(wallet: string, changes?: Partial<CreateRamp>): Promise<TestAnswer>;
  /** Begins a sale of 50 USDC for euros to a bank account, or other terms. */
  sell(changes?: Partial<CreateRamp>): Promise<TestAnswer>;
  /** The seller's coins arrive at the address of the sale, by default all of them. */
  send(ramp: Ramp, changes?: { readonly asset?: string; readonly amount?: string }): Promise<void>;
  ramp(id: string): Promise<Ramp>;
  /** Waits until the ramp has the status. */
  reach(id: string, status: Ramp['status']): Promise<Ramp>;
  /** The customer pays the ramp's payment by a good card. */
  pay(ramp: Ramp): Promise<void>;
  /** The sandbox's operator of mobile money returns what a refund paid. */
  giveBack(refundId: string): Promise<void>;
}

export async function startRampLab(): Promise<RampLab> {
  const lab = await startSettlementLab();
  const setTerms: RampLab['setTerms'] = changes => lab.request('PATCH /v1/account', { body: { ramps: changes } });
  const set = await setTerms(terms);
  expect(set.status, set.text).toBe(200);
  const ramp = async (id: string): Promise<Ramp> => (await lab.request(`GET /v1/ramps/${id}`)).body;
  let count = 0;
  return {
    ...lab,
    setTerms,
    ramp,
    quote: changes => {
      const body = {
        direction: 'on',
        sell: { currency: 'EUR', amount: 100_00 },
        buy: { asset: 'USDC' },
        method: 'card',
        ...changes,
      };
      return lab.request('POST /v1/ramps/quotes', { body });
    },
    begin: (address, changes) => {
      const body = {
        direction: 'on',
        ...(changes?.quote_id === undefined && {
          fiat_currency: 'EUR',
          ...(changes?.asset_amount === undefined && { fiat_amount: 100_00 }),
          asset: 'USDC',
          method: 'card',
        }),
        wallet: { address },
        ...(changes?.customer_id === undefined && { customer: { email: `ramper-${++count}@example.com` } }),
        ...changes,
      };
      return lab.request('POST /v1/ramps', { body });
    },
    sell: changes => {
      const body = {
        direction: 'off',
        ...(changes?.quote_id === undefined && {
          fiat_currency: 'EUR',
          ...(changes?.fiat_amount === undefined && { asset_amount: '50.0000000' }),
          asset: 'USDC',
          method: 'bank_transfer',
        }),
        payout_destination: accountOf('Ada Lovelace'),
        ...(changes?.customer_id === undefined && { customer: { email: `seller-${++count}@example.com` } }),
        ...changes,
      };
      return lab.request('POST /v1/ramps', { body });
    },
    send: async ({ deposit }, changes) => {
      if (deposit === null || !('address' in deposit)) throw new Error('the ramp waits for no coins');
      const { chain, address, asset, amount } = deposit;
      const body = { chain, address, asset, amount, ...changes };
      const answer = await lab.request('POST /v1/test_helpers/deposits', { body });
      expect(answer.status, answer.text).toBe(201);
    },
    reach: async (id, status) => {
      await lab.until(`the ramp is ${status}`, async () => (await ramp(id)).status === status);
      return await ramp(id);
    },
    pay: async ({ payment }) => {
      const paid = await lab.payByCard(payment ?? '');
      expect(paid.status, paid.text).toBe(200);
    },
    giveBack: async refundId => {
      await lab.database.pool.query(
        `with sent as (
           select t.rail, t.order_id, t.amount from sandbox.mobile_transfers t
           join outbound_transfers o on o.id = t.order_id join refund_parts p on p.id = o.resource_id
           where p.refund_id = $1
         ), next as (
           insert into sandbox.bank_feeds (rail, position) select rail, 1 from sent
           on conflict (rail) do update set position = bank_feeds.position + 1 returning position
         ) insert into sandbox.mobile_returns (rail, position, order_id, amount)
           select rail, position, order_id, amount from sent, next`,
        [refundId],
      );
      await lab.sweep('payouts.returns');
    },
  };
}
