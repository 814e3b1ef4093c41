import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayClient, PayApiError, type PayClient } from '../../src/api/client.ts';
import { createPayProxy, type PayProxyOptions } from '../../src/proxy/index.ts';
import { listen, startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let url = '';
let pay: PayClient;

beforeAll(async () => {
  app = await startTestApp({ clock: { now: () => new Date() }, publicUrl: () => url });
  url = `http://127.0.0.1:${await listen(app)}`;
  pay = createPayClient({ baseUrl: url, apiKey: app.merchant.secretKey, maxRetries: 0 });
});
afterAll(() => app?.close());

const body = {
  amount: 4200,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card' as const, 'bank_transfer' as const],
  customer: { email: 'ada@example.com' },
};

const anInvoice = {
  customer: { name: 'Lindqvist AB', email: 'accounts@lindqvist.example' },
  currency: 'EUR',
  lines: [{ description: 'Design', unit_amount: 12_000 }],
};

const aPayout = {
  amount: 100,
  currency: 'EUR',
  destination: { type: 'mobile_money' as const, provider: 'mtn', number: '+233241234567' },
};
const payoutsCsv = 'amount,currency,type,provider,number\n-1,EUR,mobile_money,mtn,+233241234567';

it('reads the receipt of a completed payment as PDF', async () => {
  const { id } = await pay.payments.create({ ...body, amount: 500 });
  await pay.payments.confirm(id, { method: 'card', token: 'tok_visa' });
  const bytes = Buffer.from(await pay.payments.receipt(id));
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
});

it('creates a payment for a known customer by its id, and reads the credit of the customer', async () => {
  const customer = await pay.customers.create({ email: 'grace@example.com', name: 'Grace Hopper' });
  const payment = await pay.payments.create({ ...body, customer: { id: customer.id } });
  expect(payment.customer).toEqual({ id: customer.id, email: 'grace@example.com', name: 'Grace Hopper' });
  expect((await pay.customers.credits({ customer: customer.id })).data).toEqual([]);
});

it('reads the taxes of a period', async () => {
  const period = { from: '2026-01-01', to: '2026-03-31' };
  expect(await pay.reports.taxes(period)).toMatchObject({ object: 'tax_report', ...period, data: [] });
});

it('lists the types of events', async () => {
  expect(await pay.events.types()).toContain('payment.completed');
});

const calls: [string, (client: PayClient, id: string) => PromiseLike<unknown>][] = [
  ['payments.retrieve', (client, id) => client.payments.retrieve(id)],
  ['payments.update', (client, id) => client.payments.update(id, { metadata: { order: 7 } })],
  ['payments.list', client => client.payments.list({ status: 'pending', created_at: { gte: '2026-01-01T00:00:00Z' } })],
  [
    'payments.list with ranges and metadata',
    client => client.payments.list({ amount: { gte: 1, lt: 9 }, metadata: { 'order id': 'A-1' }, method: 'card' }),
  ],
  ['payments.options', (client, id) => client.payments.options(id)],
  ['payments.quote', (client, id) => client.payments.quote(id)],
  ['payments.confirm', (client, id) => client.payments.confirm(id, { method: 'bank_transfer', rail: 'sepa' })],
  ['payments.refunds', (client, id) => client.payments.refunds(id)],
  ['refunds.list', client => client.refunds.list({ status: 'completed', currency: 'EUR' })],
  ['events.list', client => client.events.list()],
  ['webhookEndpoints.list', client => client.webhookEndpoints.list()],
  ['account.retrieve', client => client.account.retrieve()],
  ['account.update', client => client.account.update({ name: 'Nordlys' })],
  ['apiKeys.list', client => client.apiKeys.list()],
  ['apiKeys.create', client => client.apiKeys.create({ type: 'publishable' })],
  ['balance.retrieve', client => client.balance.retrieve()],
  ['balance.entries', client => client.balance.entries()],
  ['transfers.list', client => client.transfers.list()],
  ['rates.retrieve', client => client.rates.retrieve({ from: 'EUR', to: 'USDC' })],
  ['testHelpers.clock', client => client.testHelpers.clock()],
  ['testHelpers.advanceClock', client => client.testHelpers.advanceClock({ advance: 'PT1S' })],
  ['testHelpers.fund', client => client.testHelpers.fund({ currency: 'EUR', amount: 100 })],
  ['testHelpers.triggerEvent', client => client.testHelpers.triggerEvent({ type: 'payment.completed' })],
  [
    'testHelpers.bankTransfer',
    client => client.testHelpers.bankTransfer({ reference: 'unknown', amount: 5, currency: 'EUR' }),
  ],
  ['paymentLinks.create', client => client.paymentLinks.create({ currency: 'EUR', amount: 500 })],
  ['paymentLinks.list', client => client.paymentLinks.list({ status: 'active' })],
  ['payouts.dryRun', client => client.payouts.dryRun({ payouts: [aPayout] })],
  ['payouts.bulkCsv', client => client.payouts.bulkCsv(payoutsCsv, { on_error: 'skip_invalid' })],
  ['payouts.list', client => client.payouts.list({ status: 'queued' })],
  ['payoutBatches.list', client => client.payoutBatches.list({ status: 'processing' })],
  ['invoices.create', client => client.invoices.create(anInvoice)],
  ['invoices.list', client => client.invoices.list({ status: 'draft' })],
  [
    'recurringInvoices.create',
    client => client.recurringInvoices.create({ rrule: 'FREQ=MONTHLY', starts_on: '2030-01-31', invoice: anInvoice }),
  ],
  ['recurringInvoices.list', client => client.recurringInvoices.list()],
  ['payments.cancel', (client, id) => client.payments.cancel(id)],
];

describe('the client and the real service agree about', () => {
  let id = '';
  beforeAll(async () => {
    ({ id } = await pay.payments.create(body));
  });
  it.each(calls)('%s', async (_name, call) => {
    expect(await call(pay, id)).toMatchObject({ object: expect.any(String) });
  });

  it.each<[string, (client: PayClient, id: string) => PromiseLike<unknown>, string]>([
    ['payments.refund', (client, id) => client.payments.refund(id), 'illegal_state'],
    ['payments.capture', (client, id) => client.payments.capture(id, { amount: 5 }), 'illegal_state'],
    ['refunds.retrieve', client => client.refunds.retrieve('re_0'), 'resource_missing'],
    ['payments.resolve', (client, id) => client.payments.resolve(id, { action: 'accept' }), 'illegal_state'],
    ['testHelpers.dispute', (client, id) => client.testHelpers.dispute({ payment: id }), 'illegal_state'],
    ['payouts.retrieve', client => client.payouts.retrieve('po_0'), 'resource_missing'],
    ['payouts.cancel', client => client.payouts.cancel('po_0'), 'resource_missing'],
    ['payouts.hold', client => client.payouts.hold('po_0'), 'resource_missing'],
    ['payouts.resume', client => client.payouts.resume('po_0'), 'resource_missing'],
    ['payouts.retry', client => client.payouts.retry('po_0'), 'resource_missing'],
    ['settlements.keep', client => client.settlements.keep('set_0'), 'resource_missing'],
    ['payoutBatches.retrieve', client => client.payoutBatches.retrieve('pbat_0'), 'resource_missing'],
    ['payoutBatches.payouts', client => client.payoutBatches.payouts('pbat_0'), 'resource_missing'],
    ['payoutBatches.approve', client => client.payoutBatches.approve('pbat_0'), 'resource_missing'],
    ['payoutBatches.cancel', client => client.payoutBatches.cancel('pbat_0'), 'resource_missing'],
    ['invoices.retrieve', client => client.invoices.retrieve('inv_0'), 'resource_missing'],
    ['invoices.payments', client => client.invoices.payments('inv_0'), 'resource_missing'],
    ['invoices.transactions', client => client.invoices.transactions('inv_0'), 'resource_missing'],
    ['invoices.reminders', client => client.invoices.reminders('inv_0'), 'resource_missing'],
    ['invoices.creditNotes', client => client.invoices.creditNotes('inv_0'), 'resource_missing'],
    ['invoices.update', client => client.invoices.update('inv_0', { memo: 'x' }), 'resource_missing'],
    ['invoices.delete', client => client.invoices.delete('inv_0'), 'resource_missing'],
    ['invoices.send', client => client.invoices.send('inv_0'), 'resource_missing'],
    ['invoices.duplicate', client => client.invoices.duplicate('inv_0'), 'resource_missing'],
    ['invoices.pay', client => client.invoices.pay('inv_0'), 'resource_missing'],
    ['invoices.recordPayment', client => client.invoices.recordPayment('inv_0'), 'resource_missing'],
    ['invoices.void', client => client.invoices.void('inv_0'), 'resource_missing'],
    ['invoices.markUncollectible', client => client.invoices.markUncollectible('inv_0'), 'resource_missing'],
    ['invoices.remind', client => client.invoices.remind('inv_0'), 'resource_missing'],
    ['invoices.createCreditNote', client => client.invoices.createCreditNote('inv_0'), 'resource_missing'],
    ['recurringInvoices.retrieve', client => client.recurringInvoices.retrieve('rinv_0'), 'resource_missing'],
    ['recurringInvoices.pause', client => client.recurringInvoices.pause('rinv_0'), 'resource_missing'],
    ['recurringInvoices.resume', client => client.recurringInvoices.resume('rinv_0'), 'resource_missing'],
    ['recurringInvoices.end', client => client.recurringInvoices.end('rinv_0'), 'resource_missing'],
    ['paymentLinks.retrieve', client => client.paymentLinks.retrieve('plink_0'), 'resource_missing'],
    ['paymentLinks.payments', client => client.paymentLinks.payments('plink_0'), 'resource_missing'],
    [
      'paymentLinks.update',
      client => client.paymentLinks.update('plink_0', { status: 'disabled' }),
      'resource_missing',
    ],
    [
      'paymentLinks.pay',
      client => client.paymentLinks.pay('plink_0', { customer: { email: 'ada@example.com' } }),
      'resource_missing',
    ],
    ['events.retrieve', client => client.events.retrieve('evt_0000000000000000000000'), 'resource_missing'],
    ['events.redeliver', client => client.events.redeliver('evt_0000000000000000000000'), 'resource_missing'],
    ['webhookEndpoints.retrieve', client => client.webhookEndpoints.retrieve('we_0'), 'resource_missing'],
    ['webhookEndpoints.rotateSecret', client => client.webhookEndpoints.rotateSecret('we_0'), 'resource_missing'],
    ['webhookEndpoints.deliveries', client => client.webhookEndpoints.deliveries('we_0'), 'resource_missing'],
    ['webhookEndpoints.test', client => client.webhookEndpoints.test('we_0'), 'resource_missing'],
    ['webhookEndpoints.delete', client => client.webhookEndpoints.delete('we_0'), 'resource_missing'],
    ['transfers.assign', (client, id) => client.transfers.assign('tr_0', { payment_id: id }), 'resource_missing'],
    ['transfers.return', client => client.transfers.return('tr_0'), 'resource_missing'],
    ['apiKeys.delete', client => client.apiKeys.delete('key_0'), 'resource_missing'],
    [
      'webhookEndpoints.create',
      client => client.webhookEndpoints.create({ url: 'http://10.0.0.1/', events: ['*'] }),
      'forbidden_url',
    ],
  ])('%s, and the error', async (_name, call, code) => {
    const error = await Promise.resolve(call(pay, id)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PayApiError);
    expect(error).toMatchObject({ code, requestId: expect.stringMatching(/^req_/) });
  });
});

describe('lists and streams of the real service', () => {
  it('iterate over each element once', async () => {
    for (let n = 0; n < 7; n++) await pay.payments.create({ ...body, reference: 'walk' });
    const seen = new Set<string>();
    for await (const payment of pay.payments.list({ limit: 3, reference: 'walk' })) seen.add(payment.id);
    expect(seen.size).toBe(7);
    const backwards: string[] = [];
    const oldest = [...seen].at(-1) ?? '';
    for await (const payment of pay.payments.list({ limit: 2, reference: 'walk', ending_before: oldest })) {
      backwards.push(payment.id);
    }
    expect(backwards).toEqual([...seen].slice(0, -1).reverse());
  });

  it('follow a payment until it is completed, with its client secret only', async () => {
    const { id, client_secret: clientSecret = '' } = await pay.payments.create(body);
    const payer = createPayClient({ baseUrl: url, apiKey: clientSecret });
    const phases: string[] = [];
    for await (const payment of payer.payments.stream(id)) {
      phases.push(payment.phase);
      if (phases.length === 1) await payer.payments.confirm(id, { method: 'card', token: 'tok_visa' });
      if (payment.status !== 'pending') break;
    }
    expect([phases[0], phases.at(-1)]).toEqual(['awaiting_payer', 'paid']);
  });
});

describe('the proxy before the real service', () => {
  const shop = 'https://shop.example';
  const proxy = (authorize: PayProxyOptions['authorize'] = () => true) =>
    createPayProxy({
      baseUrl: url,
      secretKey: app.merchant.secretKey,
      authorize,
      price: () => ({ ...body, metadata: { margin: 40 } }),
    });
  const ask = (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) =>
    new Request(`${shop}/v1${path}`, {
      method,
      headers: { Origin: shop, 'Content-Type': 'application/json', ...headers },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });

  it('takes a payment at the shop’s price, and returns the payer’s view of it', async () => {
    const created = await proxy()(ask('POST', '/payments', { ...body, amount: 1 }));
    const payment = (await created.json()) as Record<string, unknown>;
    expect(created.status).toBe(201);
    expect(payment).toMatchObject({ amount: 4200, status: 'pending' });
    expect(payment).not.toHaveProperty('metadata');
    expect(payment).not.toHaveProperty('customer');
    const payer = { 'Pay-Client-Secret': String(payment['client_secret']) };
    const read = await proxy()(ask('GET', `/payments/${payment['id']}`, undefined, payer));
    expect(read.headers.get('pay-server-time')).toMatch(/Z$/);
    expect(await read.json()).not.toHaveProperty('metadata');
  });

  it('passes the documents of an invoice, as the client reads them', async () => {
    await pay.account.update({ tax_id: 'DE123456789', address: { country: 'DE' } });
    const customer = { name: 'Ada Lovelace', address: { country: 'GB' } };
    const { id } = await pay.invoices.create({ ...anInvoice, customer });
    await pay.invoices.send(id);
    const text = (bytes: ArrayBuffer) => Buffer.from(bytes).toString();
    expect(text(await pay.invoices.pdf(id))).toMatch(/^%PDF-/);
    const xml = text(await pay.invoices.xml(id));
    expect(xml).toMatch(/^<\?xml/);
    const shopProxy = proxy(() => ({}));
    expect(await (await shopProxy(ask('GET', `/invoices/${id}/xml`))).text()).toBe(xml);
    const refused = await pay.invoices.xml(id, { format: 'xrechnung' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'einvoice_unavailable' });
    expect((await shopProxy(ask('GET', `/invoices/${id}/xml?format=xrechnung`))).status).toBe(409);
  });

  it('refuses to read another payer’s payment, in any way', async () => {
    const [mine, other] = await Promise.all([pay.payments.create(body), pay.payments.create(body)]);
    const mineSecret = mine.client_secret ?? '';
    for (const secret of [mineSecret, mineSecret.replace(mine.id, other.id), `${other.id}_secret_`, '']) {
      const answer = await proxy()(ask('GET', `/payments/${other.id}`, undefined, { 'Pay-Client-Secret': secret }));
      expect(answer.status).toBe(403);
    }
  });
});
