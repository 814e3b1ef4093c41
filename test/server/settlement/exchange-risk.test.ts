import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { movedMarket } from '../../support/moved-market.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const market = movedMarket(systemClock);
let lab: SettlementLab;
let merchant: string;
beforeAll(async () => {
  lab = await startSettlementLab({}, { rateSource: market.source });
  merchant = (await lab.openAccount(sandboxAssets.USDC)).publicKey();
}, 60_000);
afterAll(async () => {
  await lab?.expectSoundBooks();
  await lab?.close();
});

/** Moves the price of XLM, and waits until the service has read it. */
async function movePrice(percent: bigint): Promise<void> {
  market.move(percent);
  await Promise.all(
    [
      ['EUR', 'XLM'],
      ['USDC', 'XLM'],
    ].map(async ([from, to]) => {
      const base = from === 'EUR' ? 1.09 / 0.12 : 1 / 0.12;
      const rate = async () => Number((await lab.request(`GET /v1/rates?from=${from}&to=${to}`)).body.rate);
      await lab.until('the price is read', async () => Math.abs((await rate()) * Number(percent) - base * 100) < 0.1);
    }),
  );
}

/** What the account `fx` holds of a payment, by currency. */
async function openAmounts(payment: string): Promise<Record<string, number>> {
  const { rows } = await lab.database.pool.query(
    `select e.currency, sum(e.amount)::int8 as amount from audit_entries e
     join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.tx_id
     where e.account = 'fx' and t.payment_id = $1 group by 1 having sum(e.amount) <> 0`,
    [payment],
  );
  return Object.fromEntries(rows.map(({ currency, amount }) => [currency, Number(amount)]));
}

it.each([
  ['falls', 110n, -1],
  ['rises', 90n, 1],
] as const)(
  'when the price of the paid coin %s against its quote, the rest in the account fx is the loss or gain',
  async (_, quoted, sign) => {
    await movePrice(quoted);
    const { id } = await lab.create({ payment_methods: ['crypto'], settlement_address: merchant });
    const { body: payment } = await lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset: 'XLM' });
    const { address, asset, amount } = payment.next_action;
    await movePrice(100n);
    await lab.request('POST /v1/test_helpers/deposits', { body: { chain: 'stellar', address, asset, amount } });
    const { settlement } = await lab.settledPayment(id);
    expect(settlement.amount).toBe(payment.quote.settlement_amount);
    const open = await openAmounts(id);
    expect(Object.keys(open)).toEqual(['XLM']);
    // The order book keeps the sandbox's price, with a spread of less than one percent.
    const share = (open['XLM'] ?? 0) / (Number(amount) * 1e7);
    expect(Math.abs(share - sign * 0.1)).toBeLessThan(0.03);
  },
  60_000,
);
