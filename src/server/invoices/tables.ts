import type { ColumnType, Generated, Selectable } from 'kysely';
import type { InstallmentInput, ServicePeriod } from '../../api/invoice/invoice.ts';
import type { Installment, InvoiceLine, InvoiceStatus, InvoiceTaxTotal } from '../../api/invoice/invoice-view.ts';
import type { InvoiceTemplate } from '../../api/invoice/recurring.ts';
import type { PaymentMethod } from '../../api/payment.ts';
import type { Metadata, PostalAddress } from '../../api/schema.ts';
import type { XmlFormat } from '../documents/documents.ts';
import type { PrintedSeller } from '../merchants/document-party.ts';
import type { Json, JsonOrNull, Moment, MomentOrNull } from '../platform/db/tables.ts';

export interface BilledCustomer {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: PostalAddress | null;
  readonly tax_id: string | null;
}

/** A discount: its percentage as text or null, and its amount in minor units. */
export interface KeptDiscount {
  readonly percent: string | null;
  readonly amount: number;
}

/** The requested deposit: a percentage or an amount. */
export interface KeptDeposit {
  readonly percent: string | null;
  readonly amount: number | null;
  readonly due_date: string | null;
}

/** The second currency of the document. Its null fields are set when the invoice is sent. */
export interface KeptExchange {
  readonly currency: string;
  /** Decimal text. Null: the market rate is used. */
  readonly rate: string | null;
  readonly date: string | null;
  readonly total: number | null;
  readonly tax_total: number | null;
}

/** Further details of the invoice, for its PDF and its e-invoice. Absent fields are null. */
export interface KeptDetails {
  readonly buyer_reference?: string | null;
  readonly order_number?: string | null;
  readonly delivery_date?: string | null;
  readonly period?: ServicePeriod | null;
}

/** An XML as it was issued. */
export interface IssuedXmlTable {
  merchant_id: string;
  document_id: string;
  format: XmlFormat;
  xml: string;
  created_at: Moment;
}

/** The merchant's details on an invoice. Due dates use the merchant's time zone. */
export interface KeptSeller extends PrintedSeller {
  readonly timezone: string;
}

/** A part of the payment plan, before any payment. */
export type PlannedPart = Pick<Installment, 'kind' | 'due_date' | 'percent' | 'amount'>;

export interface InvoicesTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: InvoiceStatus;
  number: string | null;
  number_prefix: string;
  customer_id: string | null;
  customer: Json<BilledCustomer>;
  currency: string;
  lines: Json<InvoiceLine[]>;
  taxes: Json<InvoiceTaxTotal[]>;
  discount: JsonOrNull<KeptDiscount>;
  subtotal: bigint;
  discount_total: bigint;
  tax_total: bigint;
  tax_included: bigint;
  total: bigint;
  amount_paid: Generated<bigint>;
  amount_credited: Generated<bigint>;
  amount_overpaid: Generated<bigint>;
  amount_refunded: Generated<bigint>;
  exchange_difference: bigint | null;
  due_date: string | null;
  days_until_due: number | null;
  issue_date: string | null;
  deposit: JsonOrNull<KeptDeposit>;
  installments: Json<InstallmentInput[]>;
  plan: Json<PlannedPart[]>;
  allow_partial: boolean;
  payment_methods: PaymentMethod[];
  settlement_asset: string;
  reference: string | null;
  details: Json<KeptDetails>;
  exchange: JsonOrNull<KeptExchange>;
  memo: string | null;
  footer: string | null;
  reminders: Json<{ enabled: boolean; offsets_days: number[] }>;
  locale: string;
  metadata: Json<Metadata>;
  seller: JsonOrNull<KeptSeller>;
  sent_to: string | null;
  overdue_at: MomentOrNull;
  closing_at: MomentOrNull;
  views: Generated<number>;
  sent_at: MomentOrNull;
  viewed_at: MomentOrNull;
  paid_at: MomentOrNull;
  voided_at: MomentOrNull;
  event_sequence: Generated<number>;
  version: Generated<number>;
  created_at: Moment;
}

export interface InvoiceCountersTable {
  merchant_id: string;
  livemode: boolean;
  prefix: string;
  last: number;
}

export interface InvoiceTransactionsTable {
  merchant_id: string;
  id: string;
  invoice_id: string;
  livemode: boolean;
  type: 'payment' | 'recorded_payment' | 'credit_note' | 'credit_applied' | 'refund' | 'dispute';
  amount: bigint;
  amount_overpaid: bigint;
  currency: string;
  payment_id: string | null;
  credit_note_id: string | null;
  method: string | null;
  reference: string | null;
  exchange_due_at: MomentOrNull;
  exchange_difference: bigint | null;
  paid_at: Moment;
  created_at: Moment;
}

/** A line that a credit note names. `net` and `taxes` are the credited amounts, in minor units. */
export interface KeptCreditLine {
  /** Index of the line in the invoice. */
  readonly line: number;
  /** Decimal text. Null if the note credits an amount of the line. */
  readonly quantity: string | null;
  readonly net: number;
  readonly taxes: readonly number[];
}

export interface CreditNotesTable {
  merchant_id: string;
  id: string;
  invoice_id: string;
  livemode: boolean;
  number: string;
  currency: string;
  amount: bigint;
  /** Null for a note over an amount, which is divided over all lines. */
  lines: JsonOrNull<KeptCreditLine[]>;
  taxes: Json<InvoiceTaxTotal[]>;
  tax_total: bigint;
  amount_to_credit: bigint;
  reason: string | null;
  memo: string | null;
  metadata: Json<Metadata>;
  issue_date: string;
  created_at: Moment;
}

export interface CustomerCreditsTable {
  merchant_id: string;
  livemode: boolean;
  holder: string;
  currency: string;
  amount: bigint;
}

export interface InvoiceViewsTable {
  merchant_id: string;
  invoice_id: string;
  viewer: Buffer;
  viewed_at: Moment;
}

export interface TransferRatesTable {
  merchant_id: string;
  transfer_id: string;
  currency: string;
  rate_numerator: bigint;
  rate_denominator: bigint;
  as_of: Moment;
}

export interface InvoiceRemindersTable {
  merchant_id: string;
  id: string;
  invoice_id: string;
  livemode: boolean;
  due_date: string;
  offset_days: number | null;
  status: 'planned' | 'paused' | 'sent' | 'skipped' | 'dropped';
  remind_at: Moment;
  sent_at: MomentOrNull;
  amount: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  sent_to: ColumnType<string | null, string | null | undefined, string | null>;
  failures: Generated<number>;
  due_at: Date;
}

export interface RecurringInvoicesTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: 'active' | 'paused' | 'ended';
  rrule: string;
  timezone: string;
  starts_on: string;
  ends_on: string | null;
  count: number | null;
  template: Json<InvoiceTemplate>;
  auto_send: boolean;
  metadata: ColumnType<Metadata, string | undefined, string>;
  occurrences: Generated<number>;
  next_on: string | null;
  next_at: MomentOrNull;
  last_error: ColumnType<string | null, string | null | undefined, string | null>;
  created_at: Moment;
}

export interface RecurringOccurrencesTable {
  merchant_id: string;
  recurring_id: string;
  day: string;
  invoice_id: string;
  livemode: boolean;
  send_at: MomentOrNull;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    invoices: InvoicesTable;
    invoice_counters: InvoiceCountersTable;
    invoice_transactions: InvoiceTransactionsTable;
    credit_notes: CreditNotesTable;
    customer_credits: CustomerCreditsTable;
    invoice_views: InvoiceViewsTable;
    transfer_rates: TransferRatesTable;
    invoice_reminders: InvoiceRemindersTable;
    recurring_invoices: RecurringInvoicesTable;
    recurring_occurrences: RecurringOccurrencesTable;
    issued_xml: IssuedXmlTable;
  }
}

export type InvoiceRow = Selectable<InvoicesTable>;
export type TransactionRow = Selectable<InvoiceTransactionsTable>;
export type CreditNoteRow = Selectable<CreditNotesTable>;
export type ReminderRow = Selectable<InvoiceRemindersTable>;
export type RecurringRow = Selectable<RecurringInvoicesTable>;
export type OccurrenceRow = Selectable<RecurringOccurrencesTable>;
