import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instructionsOf, type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
/** Texts to search for, by name. */
const texts: Record<string, string> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  lab = await startPaymentLab();
  const customer = { email: 'grace@example.com', name: 'Grace Hopper' };
  const paid = await lab.createPaid({ customer, reference: 'ORDER-9', description: 'Compiler' });
  const refund = await lab.refund(paid.id, { amount: 100 });
  const byBank = await lab.createForBank({ customer: { email: 'ada@example.com' } });
  await lab.credit({ reference: 'unknown words', amount: 900 });
  const post = async (path: string, body: object) => {
    const { status, body: made, text } = await lab.request(`POST /v1/${path}`, { body });
    expect(status, text).toBeLessThan(300);
    return made;
  };
  const link = await post('payment-links', { amount: 500, currency: 'EUR', description: 'Tea', reference: 'TEA' });
  const draft = {
    customer,
    currency: 'EUR',
    lines: [{ description: 'Work', unit_amount: 5_000 }],
    reference: 'WORK-1',
  };
  const { id: invoice } = await post('invoices', draft);
  const sent = await post(`invoices/${invoice}/send`, {});
  const recipient = await post('recipients', {
    name: 'Alan Turing',
    email: 'alan@example.com',
    type: 'individual',
    reference: 'Staff-7',
  });
  const endpoint = await post('webhook-endpoints', { url: 'https://shop.example/hooks', events: ['*'] });
  await post('test_helpers/cards/disputes', { payment: paid.id, amount: 50 });
  await lab.sweep('payments.disputes');
  await lab.sweep('events.dispatch');
  const first = async (path: string) => (await lab.request(`GET /v1/${path}` as 'GET /')).body.data[0].id;
  const dispute = await first('disputes');
  const delivery = await first(`webhook-endpoints/${endpoint.id}/deliveries`);
  const [mail, key] = [await first('mails'), await first('api-keys')];
  const event = (await lab.request(`GET /v1/events?resource=${paid.id}`)).body.data[0].id;
  const transfer = (await lab.request('GET /v1/transfers?status=unmatched')).body.data[0].id;
  Object.assign(ids, { payment: paid.id, refund: refund.id, bank: byBank.id, link: link.id, invoice, event, transfer });
  Object.assign(ids, { recipient: recipient.id, endpoint: endpoint.id, customer: paid.customer?.id });
  Object.assign(ids, { dispute, delivery, mail, key });
  Object.assign(texts, { checkout: paid.checkout_url, linkUrl: link.url, invoiceUrl: sent.hosted_invoice_url });
  Object.assign(texts, { number: sent.number, smallNumber: sent.number.toLowerCase() });
  Object.assign(texts, { bankReference: instructionsOf(byBank).reference });
});
afterAll(() => lab.close());

const search = async (q: string, key?: string) => {
  const { status, body, text } = await lab.request(`GET /v1/search?${new URLSearchParams({ q })}`, key ? { key } : {});
  expect(status, text).toBe(200);
  return body.data as {
    object: string;
    type: string;
    id: string;
    title: string;
    subtitle: string;
    url: string | null;
    parent: string | null;
  }[];
};
const found = async (q: string, key?: string) => (await search(q, key)).map(({ type, id }) => [type, id]);

describe('GET /v1/search', () => {
  it.each([
    ['payment', 'payment'],
    ['refund', 'refund'],
    ['customer', 'customer'],
    ['link', 'payment_link'],
    ['invoice', 'invoice'],
    ['recipient', 'recipient'],
    ['endpoint', 'webhook_endpoint'],
    ['event', 'event'],
    ['transfer', 'transfer'],
    ['dispute', 'dispute'],
    ['delivery', 'webhook_delivery'],
    ['mail', 'mail'],
    ['key', 'api_key'],
  ])('finds the %s by its id, and its URL works', async (name, type) => {
    const [result, ...others] = await search(` ${ids[name]} `);
    expect([result?.object, result?.type, result?.id, others]).toEqual(['search_result', type, ids[name], []]);
    if (result?.url != null) expect((await lab.request(`GET ${result.url as '/'}`)).body.id).toBe(ids[name]);
  });

  it.each([
    ['ORDER-9', [['payment', 'payment']]],
    ['number', [['invoice', 'invoice']]],
    ['smallNumber', [['invoice', 'invoice']]],
    ['WORK-1', [['invoice', 'invoice']]],
    ['TEA', [['payment_link', 'link']]],
    ['bankReference', [['payment', 'bank']]],
    ['unknown words', [['transfer', 'transfer']]],
    ['checkout', [['payment', 'payment']]],
    ['linkUrl', [['payment_link', 'link']]],
    ['invoiceUrl', [['invoice', 'invoice']]],
    ['grace h', [['customer', 'customer']]],
    ['Alan', [['recipient', 'recipient']]],
    ['alan@example.com', [['recipient', 'recipient']]],
    ['alan@', [['recipient', 'recipient']]],
    ['TURI', [['recipient', 'recipient']]],
    ['hopp', [['customer', 'customer']]],
    ['staff-7', [['recipient', 'recipient']]],
    [
      'Grace@Example.com',
      [
        ['payment', 'payment'],
        ['invoice', 'invoice'],
        ['customer', 'customer'],
      ],
    ],
    ['no such thing', []],
    ['%', []],
    ["'; drop table payments; --", []],
  ])('finds %s', async (text, expected) => {
    expect(await found(texts[text] ?? text)).toEqual(expected.map(([type, name]) => [type, ids[name ?? '']]));
  });

  it.each([
    ['refund', 'payment'],
    ['dispute', 'payment'],
    ['event', 'payment'],
    ['delivery', 'endpoint'],
    ['mail', 'invoice'],
    ['transfer', null],
    ['payment', null],
  ])('names what the %s belongs to: %s', async (name, parent) => {
    expect((await search(ids[name] ?? ''))[0]?.parent).toBe(parent && ids[parent]);
  });

  it('leaves out mails that give access to the dashboard', async () => {
    const { rows } = await lab.database.pool.query(
      "update mails set resource_type = 'person' where id = $1 returning id",
      [ids['mail']],
    );
    expect([rows.length, await found(ids['mail'] ?? '')]).toEqual([1, []]);
  });

  it('names what it found', async () => {
    const [payment] = await search('ORDER-9');
    expect(payment).toMatchObject({
      title: '128.40 EUR',
      subtitle: 'partially_refunded · grace@example.com · ORDER-9',
    });
  });

  it('finds up to 20 objects of one type', async () => {
    const people = Array.from({ length: 21 }, (_, at) => ({ name: `Bulk ${at}`, type: 'individual' }));
    await Promise.all(people.map(body => lab.request('POST /v1/recipients', { body })));
    const of = async (query: object) =>
      (await lab.request(`GET /v1/search?${new URLSearchParams({ q: 'bulk', ...query })}`)).body.data.length;
    expect([await of({}), await of({ type: 'recipient' }), await of({ type: 'customer' })]).toEqual([5, 20, 0]);
  });

  it('leaves out other merchants, and what the key may not read', async () => {
    const other = await lab.addMerchant();
    expect(await found(ids['payment'] ?? '', other.secretKey)).toEqual([]);
    const invoicesOnly = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['invoices:read'] });
    expect((await found('grace@example.com', invoicesOnly)).map(([type]) => type)).toEqual(['invoice']);
    expect((await lab.request('GET /v1/search?q=a', { key: lab.merchant.publishableKey })).status).toBe(403);
  });

  it.each(['', `q=${'a'.repeat(301)}`])('refuses the query "%s"', async query => {
    expect((await lab.request(`GET /v1/search?${query}`)).status).toBe(400);
  });
});
