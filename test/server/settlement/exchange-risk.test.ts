import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
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

it.each([
  ['an asset that is no longer listed', sandboxAssets.NGNC],
  ['a code that stands for another asset now', `USDC:${sandboxAssets.NGNC.split(':')[1]}`],
])(
  'a settlement into %s waits, says why, and leaves when it is listed',
  async (_, unlisted) => {
    await movePrice(100n);
    const { next_action: action, id } = await awaitTransfer();
    const settleIn = (asset: string) =>
      lab.database.pool.query('update payments set settlement_asset = $2 where id = $1', [id, asset]);
    // The operator listed the asset when the payment was created.
    await settleIn(unlisted);
    await lab.credit({ reference: action.reference, amount: 12_840 });
    await lab.until('it waits', async () => (await lab.read(id)).settlement.failure !== null);
    const { settlement } = await lab.read(id);
    expect(settlement).toMatchObject({ status: 'pending', tx_hash: null, failure: { code: 'asset_not_listed' } });
    expect(await lab.eventsOf(id)).toContain('payment.settlement_failed');
    await settleIn('XLM');
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
    expect((await lab.settledPayment(id)).settlement.failure).toBeNull();
  },
  60_000,
);

/** Creates a payment of 128.40 EUR to settle in XLM, which waits for a bank transfer. */
async function awaitTransfer() {
  const order = { payment_methods: ['bank_transfer'], settlement_asset: 'XLM', settlement_address: merchant };
  const { id } = await lab.create(order);
  return (await lab.act(id, 'confirm', { method: 'bank_transfer', rail: 'sepa' })).body;
}

const rateStatus = async (to = 'XLM') => (await lab.request(`GET /v1/rates?from=EUR&to=${to}` as 'GET /')).status;
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

const advance = (by: string) => lab.request('POST /v1/test_helpers/clock', { body: { advance: by } });

/** Creates a card payment of 128.40 EUR to settle in XLM. */
async function payLater(token: string, capture_method: string): Promise<Payment> {
  const order = { payment_methods: ['card'], settlement_asset: 'XLM', settlement_address: merchant, capture_method };
  return (await lab.payByCard((await lab.create(order)).id, token)).body;
}

interface CardCase {
  readonly card: string;
  readonly token: string;
  readonly method: string;
  readonly finish: (payment: Payment) => Promise<void>;
  readonly after: string;
  readonly part: number;
  readonly at: 'quote' | 'capture';
  readonly isOpen?: boolean;
}

const captures = (amount?: number) => ({
  token: 'tok_visa',
  method: 'manual',
  finish: async ({ id }: Payment) => {
    const { status, text } = await lab.act(id, 'capture', amount === undefined ? {} : { amount });
    expect(status, text).toBe(200);
  },
});
const confirms = {
  token: 'tok_3ds',
  method: 'automatic',
  finish: async (payment: Payment) => void (await lab.answerChallenge(payment, 'approve')),
};

it.each<CardCase>([
  { card: 'captured within its quote', after: 'PT10M', ...captures(), part: 1, at: 'quote' },
  { card: 'captured just after its quote', after: 'PT16M', ...captures(), part: 1, at: 'capture' },
  { card: 'captured in part days after its quote', after: 'P3D', ...captures(6_420), part: 0.5, at: 'capture' },
  { card: 'captured later, without a known rate', after: 'P3D', ...captures(), part: 1, at: 'quote', isOpen: false },
  { card: 'confirmed by 3-D Secure after its quote', after: 'PT16M', ...confirms, part: 1, at: 'capture' },
])(
  'a card $card settles at the rate of its $at',
  async ({ token, method, finish, after, part, at, isOpen = true }) => {
    await movePrice(100n);
    const payment = await payLater(token, method);
    await movePrice(110n);
    await advance(after);
    market.open(isOpen);
    if (!isOpen) await lab.until('no rate is known', async () => (await rateStatus()) === 503);
    await finish(payment);
    const { settlement, quote, ...paid } = await lab.settledPayment(payment.id);
    expect(paid).toMatchObject({ status: 'completed', exception: null, amount_received: 12_840 * part });
    const wanted = Number(payment.quote.settlement_amount) / (at === 'quote' ? 1 : 1.1);
    expect(Number(quote.settlement_amount)).toBeCloseTo(wanted, 4);
    expect(Number(settlement.amount)).toBeCloseTo(wanted * part, 4);
    const refreshed = (await lab.request(`GET /v1/events?resource=${payment.id}&type=payment.quote_refreshed`)).body
      .data;
    expect(refreshed.map(({ data }: { data: { object: Payment } }) => data.object.quote)).toEqual(
      at === 'quote' ? [] : [quote],
    );
  },
  60_000,
);

/** Moves the price of the dollar, and waits until the service has read it. */
async function moveDollar(percent: bigint): Promise<void> {
  market.move(percent, 'USD');
  const rate = async () => Number((await lab.request('GET /v1/rates?from=EUR&to=USD')).body.rate);
  await lab.until('the price is read', async () => Math.abs((await rate()) * Number(percent) - 109) < 0.1);
}

/** Creates a payment of 128.40 EUR that waits for dollars, and lets the dollar fall by a tenth. */
async function awaitDollars() {
  await moveDollar(100n);
  const { id } = await lab.create({ payment_methods: ['bank_transfer'], settlement_asset: 'USDC' });
  const asked = (await lab.payByBank(id, 'ach')).body.next_action;
  await moveDollar(90n);
  return { id, asked };
}

const atQuote = 12_840;
const atArrival = 11_556;
it.each([
  { arrives: 'within the grace after its quote', after: 'PT20M', value: atQuote },
  { arrives: 'later, with its reference', after: 'PT26M', value: atArrival },
  { arrives: 'later, and is assigned by hand', after: 'PT26M', value: atArrival, reference: 'rent of June' },
  { arrives: 'after the end of the payment', after: 'P9D', value: atArrival },
  { arrives: 'under a newer quote for another bank', after: 'PT26M', value: atArrival, isRequoted: true },
  { arrives: 'later, without a known rate', after: 'PT26M', value: atQuote, isOpen: false },
])(
  'a bank transfer in another currency that arrives $arrives counts $value',
  async sent => {
    const { id, asked } = await awaitDollars();
    if (sent.isRequoted) await lab.payByBank(id, 'sepa');
    await advance(sent.after);
    if (sent.isRequoted) expect((await lab.act(id, 'quotes')).status).toBe(200);
    market.open(sent.isOpen ?? true);
    if (sent.isOpen === false) await lab.until('no rate is known', async () => (await rateStatus('USD')) === 503);
    const transfer = { reference: sent.reference ?? asked.reference, amount: asked.amount, currency: 'USD' };
    const { body } = await lab.credit(transfer);
    if (sent.reference) await lab.request(`POST /v1/transfers/${body.id}/assign`, { body: { payment_id: id } });
    expect((await lab.read(id)).amount_received).toBe(sent.value);
  },
  60_000,
);

it('after a late part in another currency, the rest is asked for at the rate of that part', async () => {
  const { id, asked } = await awaitDollars();
  await advance('PT26M');
  await lab.credit({ reference: asked.reference, amount: asked.amount, currency: 'USD' });
  const { next_action: rest } = await lab.read(id);
  // 12.84 EUR at 1.09 / 0.9 USD.
  expect(rest).toMatchObject({ reference: asked.reference, currency: 'USD', amount: 1_556 });
  await lab.credit({ reference: asked.reference, amount: 1_556, currency: 'USD' });
  expect(await lab.read(id)).toMatchObject({ status: 'completed', exception: null, amount_received: 12_840 });
}, 60_000);

it.each([
  { counted: 'at the market rate by the account', late_money: 'market', after: 'PT26M' },
  { counted: 'by the merchant', late_money: 'wait', after: 'PT26M' },
  { counted: 'by the merchant after the end of the payment', late_money: 'wait', after: 'P2D' },
])(
  'crypto that arrives after its price, counted $counted, has the value of its arrival',
  async sent => {
    await movePrice(100n);
    await lab.request('PATCH /v1/account', { body: { late_money: sent.late_money } });
    const { id } = await lab.create({
      payment_methods: ['crypto'],
      settlement_asset: 'XLM',
      settlement_address: merchant,
    });
    const { body: asked } = await lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset: 'XLM' });
    const { address, asset, amount } = asked.next_action;
    await movePrice(90n);
    await advance(sent.after);
    await lab.request('POST /v1/test_helpers/deposits', { body: { chain: 'stellar', address, asset, amount } });
    await lab.until('the crypto has arrived', async () => (await lab.read(id)).exception !== null);
    const accepted = await lab.act(id, 'resolve', { action: 'accept' });
    expect(accepted.body).toMatchObject({ status: 'completed', amount_received: 11_556 });
    expect(Number(accepted.body.quote.settlement_amount)).toBeCloseTo(Number(asked.quote.settlement_amount) / 0.9, 3);
    await lab.request('PATCH /v1/account', { body: { late_money: 'wait' } });
  },
  60_000,
);
