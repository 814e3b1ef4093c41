import type { CreateInvoice, UpdateInvoice } from '../../../api/invoice/invoice.ts';
import type { PostalAddress } from '../../../api/schema.ts';
import { addDays } from '../../../core/calendar.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dayIn, daysBetween } from '../../platform/local-day.ts';
import {
  type Actor,
  changeInvoice,
  deleteDraft,
  illegalInvoiceStep,
  insertInvoice,
  lockInvoice,
  newDraft,
  readInvoice,
} from '../invoice.store.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { draftInvoice } from './invoice-draft.ts';
import { lineInput, shareInput } from './invoice-terms.ts';

/** Creates a draft. Throws a PayError that names the wrong field. */
export async function createDraft(tx: Tx, deps: InvoiceDeps, actor: Actor, body: CreateInvoice): Promise<InvoiceRow> {
  return await insertInvoice(tx, deps, actor, draftInvoice({ ...deps, ...actor }, body));
}

/** The draft that `createDraft` would create. Writes nothing. */
export function previewDraft(deps: InvoiceDeps, actor: Actor, body: CreateInvoice): InvoiceRow {
  return newDraft(actor, draftInvoice({ ...deps, ...actor }, body));
}

/** The draft as it would be after `changeDraft`. Writes nothing. */
export async function previewChange(
  deps: InvoiceDeps,
  actor: Actor,
  invoiceId: string,
  changes: UpdateInvoice,
): Promise<InvoiceRow> {
  const row = await readInvoice(deps.db, actor, invoiceId);
  return { ...row, ...changedColumns(deps, actor, row, changes) };
}

/** Changes a draft. Throws `illegal_state` for a sent invoice, because the customer already has it. */
export async function changeDraft(
  tx: Tx,
  deps: InvoiceDeps,
  actor: Actor,
  invoiceId: string,
  changes: UpdateInvoice,
): Promise<InvoiceRow> {
  const { merchant, livemode, now } = actor;
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  return await changeInvoice(tx, deps, row, { set: changedColumns(deps, actor, row, changes), now });
}

function changedColumns(deps: InvoiceDeps, { merchant, livemode }: Actor, row: InvoiceRow, changes: UpdateInvoice) {
  if (row.status !== 'draft') throw illegalInvoiceStep(row.status, 'changed. Credit it, or duplicate it and void it');
  const usedCurrencies = [row.currency, ...(row.exchange === null ? [] : [row.exchange.currency])];
  return draftInvoice({ ...deps, merchant, livemode, usedCurrencies }, changedRequest(row, changes));
}

/** Removes a draft. Throws `illegal_state` for a sent invoice. */
export async function removeDraft(tx: Tx, { merchant, livemode }: Actor, invoiceId: string): Promise<void> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (row.status !== 'draft') throw illegalInvoiceStep(row.status, 'deleted. Void it');
  await deleteDraft(tx, row);
}

/** Creates a draft with the same content. The issue date becomes today, and other dates keep their distance from it. */
export async function duplicateInvoice(tx: Tx, deps: InvoiceDeps, actor: Actor, row: InvoiceRow): Promise<InvoiceRow> {
  const { timezone } = actor.merchant;
  const issued = row.issue_date ?? dayIn(timezone, row.created_at);
  const days = daysBetween(issued, dayIn(timezone, actor.now));
  return await createDraft(tx, deps, actor, movedRequest(requestOf(row), days));
}

/** The request that would create this invoice. Changes and duplicates start from it. */
function requestOf(row: InvoiceRow): CreateInvoice {
  const { name, email, address, tax_id: taxId } = row.customer;
  const { deposit, exchange } = row;
  return {
    customer: {
      ...(name !== null && { name }),
      ...(email !== null && { email }),
      ...(address !== null && { address: address as PostalAddress }),
      ...(taxId !== null && { tax_id: taxId }),
    },
    currency: row.currency,
    lines: row.lines.map(lineInput),
    discount: row.discount === null ? null : shareInput(row.discount),
    // No due date if the last instalment or a number of days determines it.
    due_date: row.days_until_due === null && row.due_date !== row.installments.at(-1)?.due_date ? row.due_date : null,
    days_until_due: row.days_until_due,
    deposit: deposit && { ...shareInput(deposit), ...(deposit.due_date !== null && { due_date: deposit.due_date }) },
    installments: row.installments,
    allow_partial: row.allow_partial,
    payment_methods: row.payment_methods,
    settlement_asset: row.settlement_asset,
    number_prefix: row.number_prefix,
    reference: row.reference,
    ...row.details,
    exchange: exchange && { currency: exchange.currency, ...(exchange.rate !== null && { rate: exchange.rate }) },
    memo: row.memo,
    footer: row.footer,
    reminders: row.reminders,
    locale: row.locale,
    metadata: row.metadata,
  };
}

/** Replaces the given fields of the request. A due date replaces a number of days, and the reverse. */
function changedRequest(row: InvoiceRow, changes: UpdateInvoice): CreateInvoice {
  const before = requestOf(row);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const timing =
    changes.due_date != null ? { days_until_due: null } : changes.days_until_due != null ? { due_date: null } : {};
  return { ...before, ...timing, ...given };
}

function movedRequest(request: CreateInvoice, days: number): CreateInvoice {
  const { due_date: dueDate, deposit, installments = [], delivery_date: deliveryDate, period } = request;
  const isMoved = deposit?.due_date !== undefined;
  const moved = (day: string) => addDays(day, days);
  return {
    ...request,
    ...(dueDate != null && { due_date: moved(dueDate) }),
    ...(isMoved && { deposit: { ...deposit, due_date: moved(deposit.due_date ?? '') } }),
    installments: installments.map(part => ({ ...part, due_date: moved(part.due_date) })),
    ...(deliveryDate != null && { delivery_date: moved(deliveryDate) }),
    ...(period != null && { period: { starts_on: moved(period.starts_on), ends_on: moved(period.ends_on) } }),
  };
}
