import type { Selectable } from 'kysely';
import type { CreditNote, InvoiceTransaction } from '../../api/invoice/invoice-money.ts';
import type { Installment, Invoice } from '../../api/invoice/invoice-view.ts';
import type { Secrets } from '../platform/secrets.ts';
import { dayIn, installmentsOf, remainingOf } from './invoice.ts';
import type { CreditNotesTable, InvoiceRow, InvoiceTransactionsTable } from './tables.ts';

export type { InvoiceRow } from './tables.ts';

/** A credit note as the database holds it. */
export type CreditNoteRow = Selectable<CreditNotesTable>;

/** What rendering needs besides the row. */
export interface InvoiceViewContext {
  readonly secrets: Pick<Secrets, 'invoiceToken'>;
  /** Base address of the service, without a slash at the end. */
  readonly publicUrl: () => string;
}

/** Address of the page on which the customer sees and pays the invoice. */
export function hostedInvoiceUrl(context: InvoiceViewContext, row: Pick<InvoiceRow, 'merchant_id' | 'id'>): string {
  return `${context.publicUrl()}/i/${context.secrets.invoiceToken(row.merchant_id, row.id)}`;
}

/** The merchant's day, by the time zone the invoice was sent in; null for a draft. */
export function todayOf(row: Pick<InvoiceRow, 'seller'>, now: Date): string | null {
  return row.seller === null ? null : dayIn(row.seller.timezone, now);
}

/** The invoice in its wire form: what answers and events carry. `now` is the merchant's clock: it says which instalments are overdue. */
export function invoiceToWire(context: InvoiceViewContext, row: InvoiceRow, now: Date): Invoice {
  const url = row.status === 'draft' ? null : hostedInvoiceUrl(context, row);
  return {
    id: row.id,
    object: 'invoice',
    status: row.status,
    number: row.number,
    customer: { id: row.customer_id, ...row.customer },
    currency: row.currency,
    ...{ lines: row.lines, discount: row.discount, taxes: row.taxes },
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

/** What changed what is owed, in its wire form. */
export function transactionToWire(row: Selectable<InvoiceTransactionsTable>): InvoiceTransaction {
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

/** A credit note in its wire form. */
export function creditNoteToWire(context: InvoiceViewContext, row: CreditNoteRow): CreditNote {
  return {
    id: row.id,
    object: 'credit_note',
    number: row.number,
    invoice: row.invoice_id,
    currency: row.currency,
    amount: Number(row.amount),
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
