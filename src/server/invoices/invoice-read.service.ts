import type { CreateInvoice, UpdateInvoice } from '../../api/invoice/invoice.ts';
import { newId } from '../../core/id.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import {
  changeInvoice,
  deleteDraft,
  findInvoice,
  illegalInvoiceStep,
  insertInvoice,
  invoiceMissing,
  lockInvoice,
} from './invoice.store.ts';
import type { InvoiceRow } from './invoice.view.ts';
import { dayIn, daysBetween } from './invoice-day.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { draftInvoice } from './invoice-draft.ts';
import { changedRequest, movedRequest, requestOf } from './invoice-request.ts';

/** Who asks, and when: the merchant's clock. */
type Asker = Pick<Caller, 'merchant' | 'livemode' | 'now'>;

/** The invoice. Throws `resource_missing` for one of another merchant or mode. */
export async function readInvoice(
  { db }: { readonly db: Db },
  { merchant, livemode }: Pick<Asker, 'merchant' | 'livemode'>,
  invoiceId: string,
): Promise<InvoiceRow> {
  const row = await findInvoice(db, { merchantId: merchant.id, invoiceId });
  if (row === null || row.livemode !== livemode) throw invoiceMissing(invoiceId);
  return row;
}

/** Makes a draft. Throws PayError naming the wrong field. */
export async function createDraft(tx: Tx, deps: InvoiceDeps, asker: Asker, body: CreateInvoice): Promise<InvoiceRow> {
  const { merchant, livemode, now } = asker;
  return await insertInvoice(tx, deps, {
    ...{ merchant_id: merchant.id, id: newId('invoice'), livemode, status: 'draft', created_at: now },
    ...draftInvoice({ ...deps, merchant, livemode }, body),
  });
}

/** Changes a draft. Throws `illegal_state` for what was sent: it stays as its reader has it. */
export async function changeDraft(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Asker,
  invoiceId: string,
  changes: UpdateInvoice,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (row.status !== 'draft') throw illegalInvoiceStep(row.status, 'changed. Credit it, or duplicate it and void it');
  const columns = draftInvoice({ ...deps, merchant, livemode }, changedRequest(row, changes));
  return await changeInvoice(tx, deps, row, { set: columns, now });
}

/** Removes a draft. Throws `illegal_state` for what was sent: void it. */
export async function removeDraft(tx: Tx, { merchant, livemode }: Asker, invoiceId: string): Promise<void> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (row.status !== 'draft') throw illegalInvoiceStep(row.status, 'deleted. Void it');
  await deleteDraft(tx, row);
}

/** A new draft of the same content, whose days are as far from today as those of the other were from its own day. */
export async function duplicateInvoice(tx: Tx, deps: InvoiceDeps, asker: Asker, row: InvoiceRow): Promise<InvoiceRow> {
  const { timezone } = asker.merchant;
  const issued = row.issue_date ?? dayIn(timezone, row.created_at);
  const days = daysBetween(issued, dayIn(timezone, asker.now));
  return await createDraft(tx, deps, asker, movedRequest(requestOf(row), days));
}
