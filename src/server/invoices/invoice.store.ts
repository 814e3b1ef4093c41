import { type Insertable, sql, type Updateable } from 'kysely';
import type { EventType } from '../../api/event.ts';
import type { Invoice, InvoiceStatus } from '../../api/invoice/invoice-view.ts';
import { PayError } from '../../core/error.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { announce, changedFields, recordEvents } from '../platform/events/outbox.ts';
import { eventOfStep, invoiceMachine } from './invoice.ts';
import { type InvoiceRow, type InvoiceViewContext, invoiceToWire } from './invoice.view.ts';
import type { InvoicesTable } from './tables.ts';

/** Which invoice is meant. */
export interface InvoiceKey {
  readonly merchantId: string;
  readonly invoiceId: string;
}

/** The invoice, or null when the merchant has none of this id. */
export async function findInvoice(db: Executor, key: InvoiceKey): Promise<InvoiceRow | null> {
  return (await selectInvoice(db, key).executeTakeFirst()) ?? null;
}

/** The invoice, locked until the transaction ends. Throws `resource_missing`. */
export async function lockInvoice(tx: Tx, key: InvoiceKey & { readonly livemode?: boolean }): Promise<InvoiceRow> {
  const row = await selectInvoice(tx, key).forUpdate().executeTakeFirst();
  if (row === undefined || (key.livemode ?? row.livemode) !== row.livemode) throw invoiceMissing(key.invoiceId);
  return row;
}

function selectInvoice(db: Executor, { merchantId, invoiceId }: InvoiceKey) {
  return db.selectFrom('invoices').selectAll().where('merchant_id', '=', merchantId).where('id', '=', invoiceId);
}

/** The error for an unknown id and for another merchant's id: both look the same. */
export function invoiceMissing(invoiceId: string): PayError {
  const message = `No invoice ${invoiceId.slice(0, 64)} exists. Check the id and the mode of the key.`;
  return new PayError('resource_missing', message, { param: 'id' });
}

/** The error for a step that the invoice cannot make. */
export function illegalInvoiceStep(status: InvoiceStatus, what: string): PayError {
  return new PayError('illegal_state', `The invoice is ${status.replaceAll('_', ' ')} and cannot be ${what}.`);
}

/** Writes a new draft with its event. */
export async function insertInvoice(
  tx: Tx,
  context: InvoiceViewContext,
  columns: Insertable<InvoicesTable> & { readonly created_at: Date },
): Promise<InvoiceRow> {
  const row = await tx.insertInto('invoices').values(columns).returningAll().executeTakeFirstOrThrow();
  await tell(
    tx,
    row,
    { type: 'invoice.created', sequence: row.event_sequence },
    invoiceToWire(context, row, columns.created_at),
    null,
    columns.created_at,
  );
  return row;
}

/**
 * A change of an invoice. Without `to` the status stays; `events` are emitted in addition to the event of the status.
 */
export interface InvoiceChange {
  readonly to?: InvoiceStatus;
  readonly set?: Omit<Updateable<InvoicesTable>, 'status' | 'version' | 'event_sequence'>;
  readonly events?: readonly EventType[];
  /** The merchant's clock. */
  readonly now: Date;
}

/**
 * Changes an invoice that the transaction holds locked, together with its events and the wake-up of live listeners.
 * Throws `illegal_state` when the machine knows no such step.
 */
export async function changeInvoice(
  tx: Tx,
  context: InvoiceViewContext,
  before: InvoiceRow,
  change: InvoiceChange,
): Promise<InvoiceRow> {
  const to = change.to ?? before.status;
  const moves = to !== before.status;
  if (moves && !invoiceMachine.can(before.status, to)) throw illegalInvoiceStep(before.status, to.replaceAll('_', ' '));
  const types = [...(moves ? [eventOfStep(before.status, to)] : []), ...(change.events ?? [])];
  const after = await tx
    .updateTable('invoices')
    .set({
      ...change.set,
      status: to,
      version: before.version + 1,
      event_sequence: before.event_sequence + types.length,
    })
    .where('merchant_id', '=', before.merchant_id)
    .where('id', '=', before.id)
    .where('status', 'in', moves ? [...invoiceMachine.sourcesOf(to)] : [to])
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (!after) throw illegalInvoiceStep(before.status, to.replaceAll('_', ' '));
  const object = invoiceToWire(context, after, change.now);
  const previous = changedFields(invoiceToWire(context, before, change.now), object);
  for (const [index, type] of types.entries()) {
    await tell(tx, after, { type, sequence: before.event_sequence + index + 1 }, object, previous, change.now);
  }
  await announce(tx, [{ merchantId: after.merchant_id, resourceId: after.id }]);
  return after;
}

async function tell(
  tx: Tx,
  { merchant_id: merchantId, livemode, id: resourceId }: InvoiceRow,
  event: { readonly type: EventType; readonly sequence: number },
  object: Invoice,
  previous: Partial<Invoice> | null,
  now: Date,
): Promise<void> {
  await recordEvents(tx, [{ ...{ merchantId, livemode, resourceId, object, previous, now }, ...event }]);
}

/** Removes a draft that the transaction holds locked. */
export async function deleteDraft(tx: Tx, { merchant_id: merchantId, id }: InvoiceRow): Promise<void> {
  await tx
    .deleteFrom('invoices')
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .where('status', '=', 'draft')
    .execute();
}

/**
 * The next number of a prefix. The counter is locked until the transaction ends, so a failed transaction leaves no gap
 * and others wait. Do nothing slow after it.
 */
export async function nextNumber(
  tx: Tx,
  {
    merchantId,
    livemode,
    prefix,
  }: { readonly merchantId: string; readonly livemode: boolean; readonly prefix: string },
): Promise<string> {
  const { last } = await tx
    .insertInto('invoice_counters')
    .values({ merchant_id: merchantId, livemode, prefix, last: 1 })
    .onConflict(conflict =>
      conflict
        .columns(['merchant_id', 'livemode', 'prefix'])
        .doUpdateSet({ last: sql<number>`invoice_counters.last + 1` }),
    )
    .returning('last')
    .executeTakeFirstOrThrow();
  return `${prefix}${String(last).padStart(4, '0')}`;
}
