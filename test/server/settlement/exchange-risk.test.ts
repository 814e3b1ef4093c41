import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { movedMarket } from '../../support/moved-market.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const market = movedMarket(systemClock);
let lab: SettlementLab;
let merchant: string;
beforeAll(async () => {
  lab = await startSettlementLab({ PAY_ASSETS: 'XLM,USDC' }, { rateSource: market.source });
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

it('a settlement asset that became dearer since the quote is not bought with the payer’s coins', async () => {
  // XLM is cheap when the payment is quoted. Its market returns before the settlement.
  await movePrice(90n);
  const order = { payment_methods: ['crypto'], settlement_asset: 'XLM', settlement_address: merchant };
  const { id } = await lab.create(order);
  const { body: payment } = await lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset: 'USDC' });
  const { address, asset, amount } = payment.next_action;
  await movePrice(100n);
  await lab.request('POST /v1/test_helpers/deposits', { body: { chain: 'stellar', address, asset, amount } });
  expect((await lab.settledPayment(id)).settlement.amount).toBe(payment.quote.settlement_amount);
  const open = await openAmounts(id);
  expect(open[asset]).toBe(Number(amount) * 1e7);
  expect(open['XLM']).toBeLessThan(0);
}, 60_000);

it('a settlement into an asset that is no longer listed waits, says why, and leaves when it is listed', async () => {
  await movePrice(100n);
  const { next_action: action, id } = await awaitTransfer();
  const settleIn = (asset: string) =>
    lab.database.pool.query('update payments set settlement_asset = $2 where id = $1', [id, asset]);
  // The operator listed the asset when the payment was created.
  await settleIn(sandboxAssets.NGNC);
  await lab.credit({ reference: action.reference, amount: 12_840 });
  await lab.until('it waits', async () => (await lab.read(id)).settlement.failure !== null);
  const { settlement } = await lab.read(id);
  expect(settlement).toMatchObject({ status: 'pending', tx_hash: null, failure: { code: 'asset_not_listed' } });
  expect(await lab.eventsOf(id)).toContain('payment.settlement_failed');
  await settleIn('XLM');
  await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
  expect((await lab.settledPayment(id)).settlement.failure).toBeNull();
}, 60_000);

/** Creates a payment of 128.40 EUR to settle in XLM, which waits for a bank transfer. */
async function awaitTransfer() {
  const order = { payment_methods: ['bank_transfer'], settlement_asset: 'XLM', settlement_address: merchant };
  const { id } = await lab.create(order);
  return (await lab.act(id, 'confirm', { method: 'bank_transfer', rail: 'sepa' })).body;
}

const rateStatus = async () => (await lab.request('GET /v1/rates?from=EUR&to=XLM')).status;
afterEach(() => market.open(true));

it.each([
  { arrives: 'within the grace after its quote', advance: 'PT20M', named: true, at: 'quote' },
  { arrives: 'later, with its reference', advance: 'PT26M', named: true, at: 'arrival' },
  { arrives: 'later, without a reference', advance: 'PT26M', named: false, at: 'arrival' },
  { arrives: 'later, without a known rate', advance: 'PT26M', named: true, at: 'quote', isOpen: false },
])(
  'a bank transfer that arrives $arrives counts in full and settles at the rate of its $at',
  async sent => {
    await movePrice(100n);
    const { next_action: action, quote, id } = await awaitTransfer();
    await movePrice(110n);
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: sent.advance } });
    market.open(sent.isOpen ?? true);
    if (sent.isOpen === false) await lab.until('no rate is known', async () => (await rateStatus()) === 503);
    await lab.credit({ ...(sent.named && { reference: action.reference }), amount: 12_840 });
    const { settlement, ...paid } = await lab.settledPayment(id);
    expect(paid).toMatchObject({ status: 'completed', exception: null, amount_received: 12_840 });
    const wanted = Number(quote.settlement_amount) / (sent.at === 'quote' ? 1 : 1.1);
    expect(Number(settlement.amount)).toBeCloseTo(wanted, 4);
    expect(settlement.amount).toBe(paid.quote.settlement_amount);
    const events = await lab.eventsOf(id);
    expect(events.includes('payment.quote_refreshed')).toBe(sent.at === 'arrival');
  },
  60_000,
);

it('an unmatched bank transfer that arrived after the quote settles at the rate of its assignment', async () => {
  await movePrice(100n);
  const { quote, id } = await awaitTransfer();
  await movePrice(110n);
  await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT26M' } });
  await lab.credit({ reference: 'rent of May', amount: 12_840 });
  const { data } = (await lab.request('GET /v1/transfers?status=unmatched')).body;
  const assigned = await lab.request(`POST /v1/transfers/${data[0].id}/assign`, { body: { payment_id: id } });
  expect(assigned.status, assigned.text).toBe(200);
  const { settlement } = await lab.settledPayment(id);
  expect(Number(settlement.amount)).toBeCloseTo(Number(quote.settlement_amount) / 1.1, 4);
}, 60_000);

it('a cent that arrives after the quote leaves the quote unchanged', async () => {
  const { next_action: action, quote, id } = await awaitTransfer();
  await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT26M' } });
  await lab.credit({ reference: action.reference, amount: 1 });
  expect(await lab.read(id)).toMatchObject({ amount_received: 1, quote: { id: quote.id } });
}, 60_000);
