import { expect } from 'vitest';
import type { InvoiceTransaction } from '../../../src/api/invoice/invoice-money.ts';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { Payment } from '../../../src/api/payment.ts';
import type { TestAnswer, TestAppOptions } from '../../support/app.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

/** EUR 100.00 net plus 19 % VAT, with a due date. */
export const order = {
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  currency: 'EUR',
  lines: [{ description: 'Consulting', quantity: '2', unit_amount: 5000, tax: { name: 'VAT', percent: 19 } }],
  due_date: '2026-11-30',
};

/** A merchant and a customer with the data that an e-invoice needs. */
export const eInvoiceMerchant = { address: { country: 'DE' }, taxId: 'DE123456789' };
export const eInvoiceCustomer = { name: 'Ada Lovelace', email: 'ada@example.com', address: { country: 'GB' } };

/** The real app, with the actions of merchants and customers on invoices, over HTTP. */
export interface InvoiceLab extends PaymentLab {
  /** A new draft of `order` with these changes. */
  draft(changes?: object): Promise<Invoice>;
  /** A new invoice, sent. */
  sent(changes?: object): Promise<Invoice>;
  invoice(id: string, action: string, body?: object): Promise<TestAnswer>;
  readInvoice(id: string): Promise<Invoice>;
  start(id: string, amount?: number): Promise<Payment>;
  /** Starts a payment of the invoice and pays it by card. */
  payInvoice(id: string, amount?: number): Promise<Invoice>;
  /** The changes of the amount owed, oldest first. */
  transactions(id: string): Promise<InvoiceTransaction[]>;
  /** The customer's credit in EUR, by its e-mail address. */
  creditOf(email?: string): Promise<number>;
}

/** Starts the real app with actions on invoices. */
export async function startInvoiceLab(options: TestAppOptions = {}): Promise<InvoiceLab> {
  return withInvoices(await startPaymentLab(options));
}

export function withInvoices<Lab extends PaymentLab>(lab: Lab): Lab & InvoiceLab {
  const invoice: InvoiceLab['invoice'] = (id, action, body) =>
    lab.request(`POST /v1/invoices/${id}/${action}`, body === undefined ? {} : { body });
  const readInvoice = async (id: string): Promise<Invoice> => (await lab.request(`GET /v1/invoices/${id}`)).body;
  const draft = async (changes: object = {}): Promise<Invoice> => {
    const answer = await lab.request('POST /v1/invoices', { body: { ...order, ...changes } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const start = async (id: string, amount?: number): Promise<Payment> => {
    const answer = await invoice(id, 'payments', amount === undefined ? {} : { amount });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  return {
    ...lab,
    invoice,
    readInvoice,
    draft,
    start,
    sent: async changes => {
      const answer = await invoice((await draft(changes)).id, 'send');
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
    payInvoice: async (id, amount) => {
      const payment = (await lab.payByCard((await start(id, amount)).id)).body;
      expect(payment.status).toBe('completed');
      return await readInvoice(id);
    },
    transactions: async id => (await lab.request(`GET /v1/invoices/${id}/transactions?limit=100`)).body.data.reverse(),
    creditOf: async (email = order.customer.email) => {
      const { data } = (await lab.request(`GET /v1/customer-credits?customer=${encodeURIComponent(email)}`)).body;
      return data.find((credit: { currency: string }) => credit.currency === 'EUR')?.amount ?? 0;
    },
  };
}
