import { sql } from 'kysely';
import type { Invoice, InvoiceStatus } from '../../api/invoice/invoice-view.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { closingOf } from '../payments/payment-owner.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type DueWork, findDue } from '../platform/db/lease.ts';
import { findRow } from '../platform/db/rows.ts';
import { type Change, changeRow, createRows, type Resource } from '../platform/events/change.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { eventOfStep, invoiceMachine } from './invoice.ts';
import { type InvoiceRow, type InvoiceViewContext, invoiceToWire } from './invoice.view.ts';

/** The id of an invoice and of its merchant. */
export interface InvoiceKey {
  readonly merchantId: string;
  readonly invoiceId: string;
}

/** The merchant and mode of a request or sweep, and the time on the merchant's clock. */
export type Actor = Pick<Caller, 'merchant' | 'livemode' | 'now'>;

/** The invoice, or null if the merchant has no invoice with this id. */
export async function findInvoice(db: Executor, key: InvoiceKey): Promise<InvoiceRow | null> {
  return await findRow(db, 'invoices', { merchant_id: key.merchantId, id: key.invoiceId });
}

/** The invoice. Throws `resource_missing` for an invoice of another merchant or mode. */
export async function readInvoice(
  db: Executor,
  { merchant, livemode }: Pick<Actor, 'merchant' | 'livemode'>,
  invoiceId: string,
): Promise<InvoiceRow> {
  const row = await findInvoice(db, { merchantId: merchant.id, invoiceId });
  if (row?.livemode !== livemode) throw invoiceMissing(invoiceId);
  return row;
}

/** Locks the invoice until the transaction ends. Throws `resource_missing`. */
export async function lockInvoice(tx: Tx, key: InvoiceKey & { readonly livemode?: boolean }): Promise<InvoiceRow> {
  const row = await findRow(tx, 'invoices', { merchant_id: key.merchantId, id: key.invoiceId }, 'lock');
  if (row === null || (key.livemode ?? row.livemode) !== row.livemode) throw invoiceMissing(key.invoiceId);
  return row;
}

/** The error for an unknown id. Another merchant's id gives the same error. */
export function invoiceMissing(invoiceId: string): PayError {
  const message = `No invoice ${invoiceId.slice(0, 64)} exists. Check the id and the mode of the key.`;
  return new PayError('resource_missing', message, { param: 'id' });
}

export function illegalInvoiceStep(status: InvoiceStatus, what: string): PayError {
  return new PayError('illegal_state', `The invoice is ${status.replaceAll('_', ' ')} and cannot be ${what}.`);
}

/** Columns with the same values in all new drafts. */
const newColumns = {
  status: 'draft',
  number: null,
  issue_date: null,
  seller: null,
  sent_to: null,
  exchange_difference: null,
  amount_paid: 0n,
  amount_credited: 0n,
  amount_overpaid: 0n,
  amount_refunded: 0n,
  overdue_at: null,
  closing_at: null,
  sent_at: null,
  viewed_at: null,
  paid_at: null,
  voided_at: null,
  views: 0,
  event_sequence: 1,
  version: 1,
} as const satisfies Partial<InvoiceRow>;

/** The columns that depend on the request for a draft. */
export type DraftColumns = Omit<InvoiceRow, keyof typeof newColumns | 'merchant_id' | 'id' | 'livemode' | 'created_at'>;

/** The row of a new draft, with a new id. Does not write the row. */
export function newDraft({ merchant, livemode, now }: Actor, columns: DraftColumns): InvoiceRow {
  const id = newId('invoice');
  return { ...newColumns, ...columns, merchant_id: merchant.id, id, livemode, created_at: now };
}

/** Inserts a new draft with its event. */
export async function insertInvoice(
  tx: Tx,
  context: InvoiceViewContext,
  actor: Actor,
  columns: DraftColumns,
): Promise<InvoiceRow> {
  const row = newDraft(actor, columns);
  await createRows(tx, invoiceResource, context, 'invoice.created', [row]);
  return row;
}

/** States, steps and events of an invoice. */
export const invoiceResource: Resource<InvoiceRow, InvoiceStatus, InvoiceViewContext, Invoice> = {
  table: 'invoices',
  machine: invoiceMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => illegalInvoiceStep(status, to.replaceAll('_', ' ')),
  eventOf: eventOfStep,
  toWire: invoiceToWire,
  keepsTransitions: false,
};

/** Changes a locked invoice and records the events. Throws `illegal_state` for an illegal step. */
export async function changeInvoice(
  tx: Tx,
  context: InvoiceViewContext,
  before: InvoiceRow,
  change: Change<InvoiceRow, InvoiceStatus>,
): Promise<InvoiceRow> {
  return await changeRow(tx, invoiceResource, context, before, change);
}

export async function deleteDraft(tx: Tx, { merchant_id: merchantId, id }: InvoiceRow): Promise<void> {
  await tx
    .deleteFrom('invoices')
    .where(eb => eb.and({ merchant_id: merchantId, id }))
    .where('status', '=', 'draft')
    .execute();
}

/** Records a view of the invoice. Returns false if the viewer has already seen it. */
export async function insertView(tx: Tx, invoice: InvoiceRow, viewer: Buffer, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('invoice_views')
    .values({ merchant_id: invoice.merchant_id, invoice_id: invoice.id, viewer, viewed_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export const overdueInvoices: DueWork = {
  table: 'invoices',
  key: ['merchant_id', 'id'],
  dueAt: 'overdue_at',
  clock: 'merchant',
  where: sql`t.overdue_at is not null`,
};

/** Finds invoices with an unpaid part that was due before today. Today is the date on their merchant's clock. */
export async function findOverdue(db: Db, now: Date, limit: number) {
  const columns = sql`t.merchant_id as "merchantId", t.id as "invoiceId"`;
  return await findDue<InvoiceKey>(db, overdueInvoices, { now, limit }, columns);
}

/** The schedule that ends the open payments of a paid or void invoice. */
export const invoiceClosing = closingOf<InvoiceRow>('invoices');

/**
 * Schedules a paid or void invoice for closing again, because one of its payments waits for its payer again. The caller
 * must have locked that payment, so that a concurrent change of the invoice is visible here.
 */
export async function closeAgain(tx: Tx, { merchantId, invoiceId }: InvoiceKey, now: Date): Promise<void> {
  const { status } = await lockInvoice(tx, { merchantId, invoiceId });
  if (status !== 'paid' && status !== 'void') return;
  await invoiceClosing.schedule(tx, merchantId, invoiceId, now);
}
