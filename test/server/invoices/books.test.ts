import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const query = async (sql: string, values: readonly unknown[] = []) =>
  (await lab.database.pool.query(sql, [...values])).rows;
const differences = () => query('select * from audit_invoice_differences');

/** The balances of an invoice's accounts in the ledger, without zeros. */
async function books(id: string): Promise<Record<string, number>> {
  const rows = await query(
    `select account || ' ' || currency as name, ledger_amount::int as amount, invoice_amount::int as asked
     from audit_invoice_accounts where invoice_id = $1 and (ledger_amount <> 0 or invoice_amount <> 0)`,
    [id],
  );
  for (const { name, amount, asked } of rows) expect([name, asked]).toEqual([name, amount]);
  return Object.fromEntries(rows.map(({ name, amount }) => [name.replace('invoices.', ''), amount]));
}

/** Its revenue is 100.00, its tax 19.00. */
const issued = { 'revenue EUR': 10_000, 'tax EUR': 1_900 };
let customers = 0;
const newCustomer = () => ({ name: 'Ada', email: `books${customers++}@example.com` });

describe('in the ledger, an invoice', () => {
  it('is owed from its sending on, and not before', async () => {
    const draft = await lab.draft();
    expect(await books(draft.id)).toEqual({});
    expect((await lab.invoice(draft.id, 'send')).status).toBe(200);
    expect(await books(draft.id)).toEqual({ ...issued, 'receivable EUR': -11_900 });
    await lab.invoice(draft.id, 'send');
    expect(await books(draft.id)).toEqual({ ...issued, 'receivable EUR': -11_900 });
  });

  it('is owed in its currency', async () => {
    const { id } = await lab.sent({ currency: 'JPY' });
    expect(await books(id)).toEqual({ 'revenue JPY': 10_000, 'tax JPY': 1_900, 'receivable JPY': -11_900 });
  });

  it('is paid by payments, and by money received elsewhere; an excess is owed to the customer', async () => {
    const { id } = await lab.sent({ customer: newCustomer() });
    await lab.payInvoice(id, 1_900);
    expect(await books(id)).toEqual({ ...issued, 'receivable EUR': -10_000, 'received EUR': -1_900 });
    await lab.invoice(id, 'record-payment', { amount: 10_500 });
    expect(await books(id)).toEqual({ ...issued, 'received EUR': -12_400, 'credit EUR': 500 });
  });

  it('is reversed by a credit note: what is owed first, then as credit, which another invoice spends', async () => {
    const customer = newCustomer();
    const { id } = await lab.sent({ customer });
    await lab.payInvoice(id, 8_900);
    await lab.invoice(id, 'credit-notes', { amount: 5_950 });
    const half = { 'revenue EUR': 5_000, 'tax EUR': 950 };
    expect(await books(id)).toEqual({ ...half, 'received EUR': -8_900, 'credit EUR': 2_950 });
    const other = await lab.sent({ customer });
    expect(await books(other.id)).toEqual({ ...issued, 'receivable EUR': -8_950, 'credit EUR': -2_950 });
    expect(await query('select * from audit_customer_credit_differences')).toEqual([]);
  });

  it('pays credit out with a refund, and other refunds wait for their credit note', async () => {
    const { id } = await lab.sent({ customer: newCustomer() });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id);
    await lab.invoice(id, 'credit-notes', { amount: 1_190 });
    await lab.refund(payment.id, { amount: 2_380 });
    expect(await books(id)).toEqual({
      'revenue EUR': 9_000,
      'tax EUR': 1_710,
      'received EUR': -9_520,
      'refunded EUR': -1_190,
    });
    await lab.invoice(id, 'credit-notes', { amount: 1_190 });
    expect(await books(id)).toEqual({ 'revenue EUR': 8_000, 'tax EUR': 1_520, 'received EUR': -9_520 });
  });

  it('leaves nothing when it is void', async () => {
    const { id } = await lab.sent();
    await lab.invoice(id, 'void');
    expect(await books(id)).toEqual({});
  });

  it('is a loss when it is uncollectible, which later money and credit notes reduce', async () => {
    const { id } = await lab.sent({ customer: newCustomer() });
    await lab.invoice(id, 'mark-uncollectible');
    expect(await books(id)).toEqual({ ...issued, 'losses EUR': -11_900 });
    await lab.invoice(id, 'record-payment', { amount: 900 });
    await lab.invoice(id, 'credit-notes', { amount: 1_190 });
    const rest = { 'revenue EUR': 9_000, 'tax EUR': 1_710, 'received EUR': -900 };
    expect(await books(id)).toEqual({ ...rest, 'losses EUR': -9_810 });
  });
});

it('a changed invoice and a changed credit show as differences', async () => {
  const { id } = await lab.sent({ customer: newCustomer() });
  await lab.invoice(id, 'record-payment', { amount: 12_000 });
  const credits = () => query('select holder from audit_customer_credit_differences');
  const [{ customer_id: holder }] = (await query('select customer_id from invoices where id = $1', [id])) as [
    { customer_id: string },
  ];
  await query('update invoices set amount_paid = amount_paid - 1 where id = $1', [id]);
  await query('update customer_credits set amount = amount + 1 where holder = $1', [holder]);
  expect((await differences()).map(({ invoice_id: each }) => each)).toContain(id);
  expect(await credits()).toEqual([{ holder }]);
  await query('update invoices set amount_paid = amount_paid + 1 where id = $1', [id]);
  await query('update customer_credits set amount = amount - 1 where holder = $1', [holder]);
  expect(await differences()).toEqual([]);
  expect(await credits()).toEqual([]);
});
