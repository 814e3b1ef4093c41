import { afterAll, beforeAll, expect, it } from 'vitest';
import { instructionsOf } from '../payments/payment-lab.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const creditsOf = async (holder: string) =>
  (await lab.request(`GET /v1/customer-credits?customer=${holder}`)).body.data;
const unknown = { customer: { name: 'Somebody' } };

it('belongs to the invoice when the customer is unknown, and no other invoice can spend it', async () => {
  const { id } = await lab.sent(unknown);
  expect((await lab.invoice(id, 'record-payment', { amount: 21_900 })).body.amount_overpaid).toBe(10_000);
  expect((await lab.invoice(id, 'credit-notes', { amount: 5000 })).body.amount_to_credit).toBe(5000);
  const held = {
    id: `${id}EUR`,
    object: 'customer_credit',
    customer: null,
    invoice: id,
    currency: 'EUR',
    amount: 15_000,
    livemode: false,
  };
  expect(await creditsOf(id)).toEqual([held]);
  expect((await lab.request('GET /v1/customer-credits')).body.data).toContainEqual(held);
  expect((await lab.sent(unknown)).amount_paid).toBe(0);
});

it('is reduced by a refund of the payment that created it', async () => {
  const { id } = await lab.sent(unknown);
  const start = async () => {
    const customer = { email: 'somebody@example.com' };
    return (await lab.invoice(id, 'payments', { customer })).body.id as string;
  };
  const [first, second] = [await start(), await start()];
  const { reference } = instructionsOf((await lab.payByBank(second)).body);
  await lab.payByCard(first);
  await lab.credit({ reference, amount: 11_900 });
  expect(await creditsOf(id)).toMatchObject([{ amount: 11_900 }]);
  await lab.refund(first, { amount: 4000 });
  expect(await creditsOf(id)).toMatchObject([{ amount: 7900 }]);
  expect(await lab.readInvoice(id)).toMatchObject({ amount_overpaid: 7900, amount_refunded: 4000 });
});

it('is listed in pages, also of an invoice, forwards and backwards', async () => {
  for (const [currency, customer] of [
    ['EUR', { email: 'list@example.com' }],
    ['USD', { email: 'list@example.com' }],
    ['EUR', { name: 'Nobody’s address' }],
  ] as const) {
    const { id, amount_remaining } = await lab.sent({ currency, customer });
    await lab.invoice(id, 'record-payment', { amount: amount_remaining + 100 });
  }
  const list = async (query: string) => (await lab.request(`GET /v1/customer-credits?${query}`)).body;
  const all = (await list('limit=100')).data;
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(all.filter((credit: { invoice: string | null }) => credit.invoice !== null).length).toBeGreaterThanOrEqual(1);
  const pages = [await list('limit=1')];
  while (pages.at(-1).has_more) pages.push(await list(`limit=1&starting_after=${pages.at(-1).data[0].id}`));
  expect(pages.flatMap(({ data }) => data)).toEqual(all);
  const before = await list(`limit=2&ending_before=${all.at(-1).id}`);
  expect([before.data, before.has_more]).toEqual([all.slice(-3, -1), all.length > 3]);
  const mine = await list('limit=1&customer=list@example.com');
  expect([mine.data.length, mine.has_more]).toEqual([1, true]);
  const rest = await list(`customer=list@example.com&starting_after=${mine.data[0].id}`);
  expect([rest.data.length, rest.has_more]).toEqual([1, false]);
});

it('accepts only cursors of the same list', async () => {
  for (const cursor of ['cus_0000000000000000000000EUR', 'nothing', `${(await lab.sent(unknown)).id}`]) {
    const { status, body } = await lab.request(`GET /v1/customer-credits?starting_after=${cursor}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_cursor', 'starting_after']);
  }
  expect((await lab.request('GET /v1/customer-credits?limit=101')).status).toBe(400);
});
