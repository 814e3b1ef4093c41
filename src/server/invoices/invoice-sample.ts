import { CreditNote, type InvoiceEvents } from '../../api/invoice/invoice-money.ts';
import { Invoice } from '../../api/invoice/invoice-view.ts';
import { newId } from '../../core/id.ts';
import { type Changes, type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';

const total = 119_00;
const tax = { name: 'VAT', percent: '19', inclusive: false, compound: false };
const numbered = (now: Date): Partial<Invoice> => ({
  status: 'sent',
  number: 'INV-0001',
  issue_date: now.toISOString().slice(0, 10),
  sent_at: now.toISOString(),
});
const paid = (now: Date): Partial<Invoice> => ({
  ...numbered(now),
  status: 'paid',
  amount_paid: total,
  amount_remaining: 0,
  paid_at: now.toISOString(),
});

/** For each event of an invoice, what it changes in a draft just made. */
const invoiceChanges: Changes<Invoice, Exclude<keyof InvoiceEvents, 'credit_note.created'>> = {
  'invoice.created': () => ({}),
  'invoice.sent': numbered,
  'invoice.viewed': now => ({ ...numbered(now), status: 'viewed', viewed_at: now.toISOString() }),
  'invoice.partially_paid': now => ({
    ...numbered(now),
    ...{ status: 'partially_paid', amount_paid: 50_00, amount_remaining: total - 50_00 },
  }),
  'invoice.paid': paid,
  'invoice.overdue': now => ({ ...numbered(now), status: 'overdue' }),
  'invoice.reminder_sent': numbered,
  'invoice.mail_failed': numbered,
  'invoice.voided': now => ({ ...numbered(now), status: 'void', voided_at: now.toISOString() }),
  'invoice.uncollectible': now => ({ ...numbered(now), status: 'uncollectible' }),
  'invoice.overpaid': now => ({ ...paid(now), amount_overpaid: 5_00 }),
  'invoice.updated': numbered,
};

/** A draft that was just made. */
function sampleInvoice({ caller: { merchant, livemode, now } }: SampleContext): Invoice {
  return {
    ...{ id: newId('invoice'), object: 'invoice', status: 'draft', number: null },
    customer: { id: newId('customer'), name: 'A customer', email: 'customer@example.com', address: null, tax_id: null },
    currency: 'EUR',
    lines: [
      {
        ...{ description: 'A thing that nobody bought', quantity: '2', unit: null, unit_amount: 50_00, discount: null },
        taxes: [{ ...tax, amount: 19_00 }],
        ...{ subtotal: 100_00, discount_total: 0, tax_total: 19_00, total },
      },
    ],
    ...{ discount: null, subtotal: 100_00, discount_total: 0, taxes: [{ ...tax, base: 100_00, amount: 19_00 }] },
    ...{ tax_total: 19_00, tax_included: 0, total, amount_paid: 0, amount_credited: 0, amount_remaining: total },
    ...{ amount_overpaid: 0, amount_refunded: 0, exchange_difference: null },
    ...{ due_date: null, days_until_due: 30, issue_date: null, deposit: null, installments: [], allow_partial: false },
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    ...{ settlement_asset: merchant.settlementAsset, number_prefix: 'INV-', reference: null, exchange: null },
    ...{ memo: null, footer: null, reminders: { enabled: true, offsets_days: [-3, 0, 3] }, locale: merchant.locale },
    ...{ hosted_invoice_url: null, pdf_url: null, metadata: {}, livemode, created_at: now.toISOString() },
    ...{ sent_at: null, viewed_at: null, paid_at: null, voided_at: null },
  };
}

/** A credit note upon an invoice. */
function sampleCreditNote({ caller: { livemode, now }, publicUrl }: SampleContext): CreditNote {
  const id = newId('creditNote');
  return {
    ...{ id, object: 'credit_note', number: 'CN-0001', invoice: newId('invoice'), currency: 'EUR', amount: total },
    ...{ taxes: [{ ...tax, base: 100_00, amount: 19_00 }], tax_total: 19_00, amount_to_credit: 0 },
    ...{ reason: 'requested_by_customer', memo: null, pdf_url: `${publicUrl}/v1/credit-notes/${id}/pdf` },
    ...{ metadata: {}, livemode, created_at: now.toISOString() },
  };
}

/** Events of invoices and credit notes, with samples. */
export const invoiceEvents: EventDefinitions<InvoiceEvents> = {
  ...sampleEvents(Invoice, sampleInvoice, invoiceChanges),
  ...sampleEvents(CreditNote, sampleCreditNote, { 'credit_note.created': () => ({}) }),
};
