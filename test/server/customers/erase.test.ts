import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshNumber } from '../../support/phone-numbers.ts';
import { type InvoiceLab, withInvoices } from '../invoices/invoice-lab.ts';
import { type KycLab, startKycLab } from '../kyc/kyc-lab.ts';
import { instructionsOf, refusal } from '../payments/payment-lab.ts';

let lab: KycLab & InvoiceLab;
/** Answers each webhook with its body, which the log of attempts keeps. */
const echo = createServer((request, response) => void request.pipe(response));
beforeAll(async () => {
  lab = withInvoices(await startKycLab());
  await new Promise<void>(resolve => echo.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
  expect((await lab.request('POST /v1/webhook-endpoints', { body: { url, events: ['*'] } })).status).toBe(201);
});
afterAll(async () => {
  await lab.close();
  echo.closeAllConnections();
  await new Promise(resolve => echo.close(resolve));
});

const email = 'Eve.Personal@example.com';
const eve = {
  email,
  name: 'Eve Personal',
  phone: '+44 20 7946 0321',
  address: { line1: '9 Hidden Street', city: 'Whitby', country: 'GB' },
  tax_id: 'GB-EVE-4711',
  description: 'The sister of Eve Personal',
  metadata: { nickname: 'Evie' },
};
/** What must not be found after the erasure, in any case of the letters. */
const personal = [
  ...['eve.personal@', 'eve personal', '7946 0321', 'hidden street', 'whitby', 'gb-eve-4711', 'evie', '772123987'],
  ...['personalia', 'id-of-eve'],
];

const erase = (id: string, key?: string) => lab.request(`DELETE /v1/customers/${id}`, key === undefined ? {} : { key });
const customerOf = async (address: string): Promise<string> =>
  (await lab.request('POST /v1/customers', { body: { email: address } })).body.id;

/** The tables of the database in which a text of the customer is found, and the first found text. */
async function placesOf(texts: readonly string[]): Promise<Record<string, string>> {
  const tables = await lab.database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const query = tables.rows.map(
    ({ name }) => `select '${name}' as name, lower(string_agg(t::text, ' ')) as text from ${name} t`,
  );
  const { rows } = await lab.database.pool.query<{ name: string; text: string | null }>(query.join(' union all '));
  expect(rows.length).toBeGreaterThan(80);
  const found = rows.map(({ name, text }) => [name, texts.find(one => text?.includes(one))] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function ledger(): Promise<unknown> {
  const { rows } = await lab.database.pool.query(
    `select account, currency, sum(amount)::text as sum, count(*)::int as entries from ledger_entries group by 1, 2 order by 1, 2`,
  );
  return rows;
}

async function payByBank(): Promise<string> {
  const payment = await lab.createForBank({ customer: { email, name: eve.name } });
  const { reference } = instructionsOf(payment);
  await lab.credit({ reference, amount: payment.amount, sender_name: eve.name });
  return payment.id;
}

async function payByPhone(): Promise<string> {
  const changes = { amount: 150_000, currency: 'UGX', payment_methods: ['mobile_money'] };
  const { id } = await lab.create({ ...changes, customer: { email } });
  await lab.act(id, 'confirm', { method: 'mobile_money', provider: 'mtn', number: '+256772123987' });
  await lab.database.pool.query(
    `update sandbox.mobile_prompts set code = null, answered_at = $2 where payment_id = $1`,
    [id, lab.clock.now()],
  );
  lab.clock.advance(30);
  await lab.sweep('payments.attempts');
  expect((await lab.read(id)).status).toBe('completed');
  return id;
}

const creation = {
  headers: { 'idempotency-key': 'of-eve' },
  body: {
    amount: 5000,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email, name: eve.name },
    description: 'A present for Eve Personal',
    metadata: { note: 'Personalia' },
    reference: 'order-77',
    receipts: true,
    redirect_url: 'http://localhost:4242/thanks?for=Evie',
  },
};

describe('the erasure of a customer', () => {
  it('removes personal data from all tables, and keeps legal records, amounts and the ledger', async () => {
    const { body: customer } = await lab.request('POST /v1/customers', { body: eve });
    const { id } = customer;
    const made = await lab.request('POST /v1/payments', creation);
    expect(made.status, made.text).toBe(201);
    const card = (await lab.payByCard(made.body.id)).body;
    await lab.refund(card.id, { amount: 1000, metadata: { to: 'Eve Personal' } });
    const bank = await payByBank();
    await lab.refund(bank, { amount: 100, destination: { iban: 'DE89370400440532013000', account_holder: eve.name } });
    const phone = await payByPhone();
    const kyc = { first_name: 'Eve', last_name: 'Personal', birth_date: '1990-12-10', address: eve.address.line1 };
    expect((await lab.put(id, { ...kyc, id_number: 'id-of-eve' })).status).toBe(200);
    const party = { name: eve.name, email, address: eve.address, tax_id: eve.tax_id };
    const draft = await lab.draft({ customer: party });
    const issued = await lab.sent({ customer: party });
    await lab.payInvoice(issued.id);
    await lab.sweep();
    expect(Object.keys(await placesOf(personal))).toEqual(
      expect.arrayContaining([
        'customers',
        'payments',
        'invoices',
        'mails',
        'transfers',
        'payment_attempts',
        'refunds',
        'events',
        'webhook_deliveries',
      ]),
    );
    const books = await ledger();
    const before = await lab.read(card.id);

    const erased = await erase(id);
    expect([erased.status, erased.body], erased.text).toMatchObject([
      200,
      { id, object: 'customer', deleted: true, kept: [{ object: 'invoice', count: 1 }], livemode: false },
    ]);
    expect(await placesOf(personal)).toEqual({ invoices: expect.any(String) });
    expect(await ledger()).toEqual(books);
    await lab.expectSoundBooks();
    expect(lab.logs.filter(line => personal.some(text => line.toLowerCase().includes(text)))).toEqual([]);

    expect((await lab.request(`GET /v1/customers/${id}`)).status).toBe(404);
    expect((await lab.request(`GET /v1/invoices/${draft.id}`)).status).toBe(404);
    expect((await lab.readInvoice(issued.id)).customer).toMatchObject(party);
    expect(await lab.read(card.id)).toMatchObject({
      amount: before.amount,
      amount_refunded: before.amount_refunded,
      status: before.status,
      reference: 'order-77',
      customer: { id, email: 'erased@customer.invalid', name: null },
      metadata: {},
      description: null,
    });
    expect((await lab.read(phone)).status).toBe('completed');
    expect(refusal(await lab.request(`POST /v1/payments/${phone}/refunds`, { body: {} }))[1]).toBe('illegal_state');
    expect((await lab.refund(card.id, { amount: 1000 })).status).toBe('completed');
    const again = await lab.request('POST /v1/payments', creation);
    expect([again.status, again.body], again.text).toMatchObject([201, { id: card.id, deleted: true }]);
    const events = (await lab.request(`GET /v1/events?limit=100&resource=${card.id}`)).body.data;
    expect(events[0].data).toMatchObject({ object: { id: card.id, amount: 5000, currency: 'EUR' }, previous: null });
    expect(events[0].data.object).not.toHaveProperty('customer');

    expect((await erase(id)).body).toEqual(erased.body);
    expect(await customerOf(email.toLowerCase())).toBe(id);
    expect((await lab.request(`GET /v1/customers/${id}`)).body).toMatchObject({ name: null, phone: null });
  });

  it.each<[string, RegExp, (email: string) => Promise<unknown>]>([
    ['a payment is pending', /payment pay_\w+ is pending/, address => lab.create({ customer: { email: address } })],
    ['an invoice is open', /invoice \S+ is sent/, address => lab.sent({ customer: { name: 'Open', email: address } })],
    [
      'a phone may still approve a prompt',
      /payment pay_\w+ has an open prompt/,
      async address => {
        const methods = { amount: 150_000, currency: 'UGX', payment_methods: ['card', 'mobile_money'] };
        const { id } = await lab.create({ ...methods, customer: { email: address } });
        const number = freshNumber('000');
        await lab.act(id, 'confirm', { method: 'mobile_money', provider: 'mtn', number });
        expect((await lab.payByCard(id)).body.status).toBe('completed');
      },
    ],
    [
      'a refund is on its way',
      /refund re_\w+ is pending/,
      async address => {
        const { id } = await lab.createPaid({ customer: { email: address } });
        return await lab.request(`POST /v1/payments/${id}/refunds`, { body: {} });
      },
    ],
    [
      'credit is unused',
      /unused credit in EUR/,
      async address => {
        const { id } = await lab.sent({ customer: { name: 'Open', email: address } });
        return await lab.invoice(id, 'record-payment', { amount: 21_900 });
      },
    ],
    [
      'a recurring invoice is active',
      /recurring invoice rinv_\w+ is active/,
      address =>
        lab.request('POST /v1/recurring-invoices', {
          body: {
            rrule: 'FREQ=MONTHLY;BYMONTHDAY=1',
            starts_on: '2027-01-01',
            invoice: {
              customer: { name: 'Open', email: address },
              currency: 'EUR',
              lines: [{ description: 'Rent', unit_amount: 50_000 }],
              days_until_due: 14,
            },
          },
        }),
    ],
  ])('is refused while %s', async (name, message, prepare) => {
    const address = `${name.replaceAll(' ', '.')}@example.com`;
    const id = await customerOf(address);
    await prepare(address);
    const answer = await erase(id);
    expect(refusal(answer)).toEqual([409, 'illegal_state', null]);
    expect(answer.body.error.message).toMatch(message);
    expect((await lab.request(`GET /v1/customers/${id}`)).body.email).toBe(address);
  });

  it('is unknown to other merchants, and for customers that never were', async () => {
    const other = await lab.addMerchant();
    const id = await customerOf('stays@example.com');
    expect(refusal(await erase(id, other.secretKey))).toEqual([404, 'resource_missing', 'id']);
    expect(refusal(await erase('cus_0000000000000000000000'))).toEqual([404, 'resource_missing', 'id']);
    expect((await lab.request(`GET /v1/customers/${id}`)).status).toBe(200);
  });
});
