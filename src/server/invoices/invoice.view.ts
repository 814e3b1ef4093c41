import type { InvoiceMail } from '../../api/invoice/invoice-mail.ts';
import {
  CreditNote,
  type CreditNoteLine,
  type InvoiceEvents,
  type InvoiceTransaction,
} from '../../api/invoice/invoice-money.ts';
import { type Installment, Invoice } from '../../api/invoice/invoice-view.ts';
import { newId } from '../../core/id.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import { type Changes, type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import { dayIn } from '../platform/local-day.ts';
import type { MailRow } from '../platform/mail/mail.store.ts';
import type { Secrets } from '../platform/secrets.ts';
import { installmentsOf, remainingOf } from './invoice.ts';
import type { CreditNoteRow, InvoiceRow, KeptCreditLine, TransactionRow } from './tables.ts';

export type { CreditNoteRow, InvoiceRow, TransactionRow } from './tables.ts';

/** Dependencies of the invoices module. They are those of payments. */
export type InvoiceDeps = PaymentRouteDeps;

/** Dependencies of rendering an invoice. */
export interface InvoiceViewContext {
  readonly secrets: Pick<Secrets, 'objectToken'>;
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: () => string;
  readonly hosts: Pick<PageHosts, 'baseUrl'>;
}

/** URL of the page where the customer sees and pays the invoice. */
export function hostedInvoiceUrl(context: InvoiceViewContext, row: Pick<InvoiceRow, 'merchant_id' | 'id'>): string {
  const base = context.hosts.baseUrl(row.merchant_id);
  return `${base}/i/${context.secrets.objectToken('invoice', row.merchant_id, row.id)}`;
}

/** The current date in the time zone that the merchant had when sending. Null for a draft. */
export function todayOf(row: Pick<InvoiceRow, 'seller'>, now: Date): string | null {
  return row.seller === null ? null : dayIn(row.seller.timezone, now);
}

/** The invoice in its wire form. `now` (the merchant's clock) decides which instalments are overdue. */
export function invoiceToWire(context: InvoiceViewContext, row: InvoiceRow, now: Date): Invoice {
  const url = row.status === 'draft' ? null : hostedInvoiceUrl(context, row);
  return {
    id: row.id,
    object: 'invoice',
    status: row.status,
    number: row.number,
    customer: { id: row.customer_id, ...row.customer },
    currency: row.currency,
    lines: row.lines.map(line => ({ ...line, vat: line.vat ?? null })),
    discount: row.discount,
    taxes: row.taxes,
    ...amountsOf(row),
    due_date: row.due_date,
    days_until_due: row.days_until_due,
    issue_date: row.issue_date,
    deposit: row.deposit,
    installments: installmentsToWire(row, todayOf(row, now)),
    allow_partial: row.allow_partial,
    payment_methods: row.payment_methods,
    settlement_asset: row.settlement_asset,
    number_prefix: row.number_prefix,
    reference: row.reference,
    buyer_reference: row.details.buyer_reference ?? null,
    order_number: row.details.order_number ?? null,
    delivery_date: row.details.delivery_date ?? null,
    period: row.details.period ?? null,
    exchange: row.exchange,
    memo: row.memo,
    footer: row.footer,
    reminders: row.reminders,
    locale: row.locale,
    hosted_invoice_url: url,
    pdf_url: url === null ? null : `${url}/pdf`,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    viewed_at: row.viewed_at?.toISOString() ?? null,
    paid_at: row.paid_at?.toISOString() ?? null,
    voided_at: row.voided_at?.toISOString() ?? null,
  };
}

function amountsOf(row: InvoiceRow) {
  return {
    subtotal: Number(row.subtotal),
    discount_total: Number(row.discount_total),
    tax_total: Number(row.tax_total),
    tax_included: Number(row.tax_included),
    total: Number(row.total),
    amount_paid: Number(row.amount_paid),
    amount_credited: Number(row.amount_credited),
    amount_remaining: Number(remainingOf(row)),
    amount_overpaid: Number(row.amount_overpaid),
    amount_refunded: Number(row.amount_refunded),
    exchange_difference: row.exchange_difference === null ? null : Number(row.exchange_difference),
  };
}

function installmentsToWire(row: InvoiceRow, today: string | null): Installment[] {
  return installmentsOf(row, today).map(({ kind, dueDate, amount, amountPaid, amountCredited, status }, index) => ({
    kind,
    due_date: dueDate,
    percent: row.plan[index]?.percent ?? null,
    amount: Number(amount),
    amount_paid: Number(amountPaid),
    amount_credited: Number(amountCredited),
    status,
  }));
}

export function transactionToWire(row: TransactionRow): InvoiceTransaction {
  return {
    id: row.id,
    object: 'invoice_transaction',
    invoice: row.invoice_id,
    type: row.type,
    amount: Number(row.amount),
    amount_overpaid: Number(row.amount_overpaid),
    currency: row.currency,
    payment: row.payment_id,
    credit_note: row.credit_note_id,
    method: row.method,
    reference: row.reference,
    exchange_difference: row.exchange_difference === null ? null : Number(row.exchange_difference),
    livemode: row.livemode,
    paid_at: row.paid_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}

export function creditNoteToWire(context: InvoiceViewContext, row: CreditNoteRow): CreditNote {
  return {
    id: row.id,
    object: 'credit_note',
    number: row.number,
    invoice: row.invoice_id,
    currency: row.currency,
    amount: Number(row.amount),
    lines: (row.lines ?? []).map(creditLineToWire),
    taxes: row.taxes,
    tax_total: Number(row.tax_total),
    amount_to_credit: Number(row.amount_to_credit),
    reason: row.reason,
    memo: row.memo,
    pdf_url: `${context.publicUrl()}/v1/credit-notes/${row.id}/pdf`,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

/** A credited line in its wire form. */
export function creditLineToWire({ line, quantity, net, taxes }: KeptCreditLine): CreditNoteLine {
  const tax = taxes.reduce((sum, each) => sum + each, 0);
  return { line, quantity, tax_total: tax, amount: net + tax };
}

/** A mail about the invoice in its wire form. */
export function invoiceMailToWire(row: MailRow, invoiceId: string): InvoiceMail {
  return {
    id: row.id,
    object: 'invoice_mail',
    invoice: invoiceId,
    kind: row.attachments[0]?.kind ?? 'invoice',
    to: row.to_email,
    subject: row.subject,
    status: row.status,
    error: row.status === 'sent' ? null : row.last_error,
    sent_at: row.status === 'sent' ? (row.ended_at?.toISOString() ?? null) : null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

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

/** The fields of a new draft that each event changes. */
const invoiceChanges: Changes<Invoice, Exclude<keyof InvoiceEvents, 'credit_note.created'>> = {
  'invoice.created': () => ({}),
  'invoice.sent': numbered,
  'invoice.viewed': now => ({ ...numbered(now), status: 'viewed', viewed_at: now.toISOString() }),
  'invoice.partially_paid': now => ({
    ...numbered(now),
    status: 'partially_paid',
    amount_paid: 50_00,
    amount_remaining: total - 50_00,
  }),
  'invoice.paid': paid,
  'invoice.reopened': numbered,
  'invoice.overdue': now => ({ ...numbered(now), status: 'overdue' }),
  'invoice.reminder_sent': numbered,
  'invoice.mail_failed': numbered,
  'invoice.voided': now => ({ ...numbered(now), status: 'void', voided_at: now.toISOString() }),
  'invoice.uncollectible': now => ({ ...numbered(now), status: 'uncollectible' }),
  'invoice.overpaid': now => ({ ...paid(now), amount_overpaid: 5_00 }),
  'invoice.updated': numbered,
};

const sampleLine: Invoice['lines'][number] = {
  description: 'A sample item',
  quantity: '2',
  unit: null,
  unit_amount: 50_00,
  discount: null,
  taxes: [{ ...tax, amount: 19_00 }],
  vat: null,
  subtotal: 100_00,
  discount_total: 0,
  tax_total: 19_00,
  total,
};

/** The terms and details that a merchant may leave out. */
const noTerms = {
  deposit: null,
  installments: [],
  exchange: null,
  buyer_reference: null,
  order_number: null,
  delivery_date: null,
  period: null,
  memo: null,
  footer: null,
};

/** The fields of an invoice that was not sent yet. */
const notSent = {
  hosted_invoice_url: null,
  pdf_url: null,
  sent_at: null,
  viewed_at: null,
  paid_at: null,
  voided_at: null,
};

function sampleInvoice({ caller: { merchant, livemode, now } }: SampleContext): Invoice {
  return {
    id: newId('invoice'),
    object: 'invoice',
    status: 'draft',
    number: null,
    customer: { id: newId('customer'), name: 'A customer', email: 'customer@example.com', address: null, tax_id: null },
    currency: 'EUR',
    lines: [sampleLine],
    discount: null,
    subtotal: 100_00,
    discount_total: 0,
    taxes: [{ ...tax, base: 100_00, amount: 19_00 }],
    tax_total: 19_00,
    tax_included: 0,
    total,
    amount_paid: 0,
    amount_credited: 0,
    amount_remaining: total,
    amount_overpaid: 0,
    amount_refunded: 0,
    exchange_difference: null,
    due_date: null,
    days_until_due: 30,
    issue_date: null,
    ...noTerms,
    allow_partial: false,
    payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
    settlement_asset: merchant.settlementAsset,
    number_prefix: 'INV-',
    reference: null,
    reminders: { enabled: true, offsets_days: [-3, 0, 3] },
    locale: merchant.locale,
    metadata: {},
    livemode,
    created_at: now.toISOString(),
    ...notSent,
  };
}

function sampleCreditNote({ caller: { livemode, now }, publicUrl }: SampleContext): CreditNote {
  const id = newId('creditNote');
  return {
    id,
    object: 'credit_note',
    number: 'CN-0001',
    invoice: newId('invoice'),
    currency: 'EUR',
    amount: total,
    lines: [],
    taxes: [{ ...tax, base: 100_00, amount: 19_00 }],
    tax_total: 19_00,
    amount_to_credit: 0,
    reason: 'requested_by_customer',
    memo: null,
    pdf_url: `${publicUrl}/v1/credit-notes/${id}/pdf`,
    metadata: {},
    livemode,
    created_at: now.toISOString(),
  };
}

/** Events of invoices and credit notes, with samples. */
export const invoiceEvents: EventDefinitions<InvoiceEvents> = {
  ...sampleEvents(Invoice, sampleInvoice, invoiceChanges),
  ...sampleEvents(CreditNote, sampleCreditNote, { 'credit_note.created': () => ({}) }),
};
