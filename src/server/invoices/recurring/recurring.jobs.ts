import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { createDraft } from '../billing/invoice-draft.service.ts';
import { prepareSend } from '../billing/invoice-send.service.ts';
import { findInvoice, lockInvoice } from '../invoice.store.ts';
import { addDays } from '../invoice.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
import { nextOf, recurrenceOf } from './recurring.service.ts';
import {
  changeRecurring,
  type DueRecurring,
  findDueRecurring,
  findUnsent,
  insertOccurrence,
  isUnsent,
  lockRecurring,
  moveSending,
  type UnsentOccurrence,
} from './recurring.store.ts';

const batch = 50;
const retrySeconds = 3_600;

/**
 * Makes the invoices that are due, and sends those that are to be sent. Two steps, since sending may look up a rate:
 * each is a transaction of its own and is found again after a crash between them.
 */
export function recurringSweeps(deps: InvoiceDeps): Sweep[] {
  return [
    { name: 'recurring.make', everyMs: 5_000, run: () => makeDue(deps) },
    { name: recurringSending, everyMs: 5_000, run: () => sendMade(deps) },
  ];
}

const recurringSending = 'recurring.send';

async function makeDue(deps: InvoiceDeps): Promise<number> {
  const due = await findDueRecurring(deps.db, deps.clock.now(), batch);
  for (const one of due) {
    const merchant = await deps.findMerchant(one.merchantId);
    try {
      await deps.db.transaction().execute(tx => make(tx, deps, merchant, one));
    } catch (error) {
      deps.log.error(
        { err: error, recurring: one.recurringId },
        'a recurring invoice could not be made; it is tried again',
      );
      await putOff(deps, one, error);
    }
  }
  if (due.length > 0) for (const sweep of [recurringSending, dispatchSweep]) deps.wake(sweep);
  return due.length;
}

/** The row is locked: of many servers one makes the invoice of a day, and the day is noted in the same transaction. */
async function make(
  tx: Tx,
  deps: InvoiceDeps,
  merchant: Merchant,
  { clock: now, ...key }: DueRecurring,
): Promise<void> {
  const row = await lockRecurring(tx, key);
  if (row === null || row.status !== 'active' || row.next_on === null || row.next_at === null || row.next_at > now)
    return;
  const day = row.next_on;
  const { livemode } = row;
  const invoice = await createDraft(tx, deps, { merchant, livemode, now }, row.template);
  const isDone = !(await isUnsent(tx, key));
  await insertOccurrence(tx, {
    ...{ merchant_id: row.merchant_id, recurring_id: row.id, day, invoice_id: invoice.id, livemode, created_at: now },
    send_at: row.auto_send ? now : null,
  });
  const made = row.occurrences + 1;
  const next = nextOf(recurrenceOf(row), row.timezone, addDays(day, 1), made);
  await changeRecurring(tx, row, {
    ...next,
    ...{ occurrences: made, ...(isDone && { last_error: null }) },
    ...(next.next_on === null && { status: 'ended' }),
  });
}

/** The merchant reads what is wrong; the day stays the same, and comes up again in an hour. */
async function putOff({ db }: InvoiceDeps, { clock, ...key }: DueRecurring, error: unknown): Promise<void> {
  await db.transaction().execute(async tx => {
    const row = await lockRecurring(tx, key);
    if (row === null || row.status !== 'active') return;
    await changeRecurring(tx, row, { next_at: addSeconds(clock, retrySeconds), last_error: messageOf(error, 'made') });
  });
}

async function sendMade(deps: InvoiceDeps): Promise<number> {
  const unsent = await findUnsent(deps.db, deps.clock.now(), batch);
  for (const one of unsent) {
    try {
      await send(deps, one);
    } catch (error) {
      deps.log.error(
        { err: error, invoice: one.invoiceId },
        'a recurring invoice could not be sent; it is tried again',
      );
      await putOffSending(deps, one, error);
    }
  }
  if (unsent.length > 0) for (const sweep of [mailSweep, dispatchSweep]) deps.wake(sweep);
  return unsent.length;
}

/** An invoice that the merchant has sent or deleted is left as it is. */
async function send(deps: InvoiceDeps, { clock: now, invoiceId, livemode, ...key }: UnsentOccurrence): Promise<void> {
  const merchant = await deps.findMerchant(key.merchantId);
  const { merchantId } = key;
  const invoice = await findInvoice(deps.db, { merchantId, invoiceId });
  const sendNow = invoice?.status === 'draft' ? await prepareSend(deps, { merchant, livemode, now }, invoiceId) : null;
  await deps.db.transaction().execute(async tx => {
    const recurring = await lockRecurring(tx, key);
    const isMine = await moveSending(tx, key, null);
    if (isMine && recurring !== null && !(await isUnsent(tx, key))) {
      await changeRecurring(tx, recurring, { last_error: null });
    }
    if (!isMine || sendNow === null) return;
    const { status } = await lockInvoice(tx, { merchantId, invoiceId });
    if (status === 'draft') await sendNow(tx);
  });
}

/** As `putOff`: the error of an occurrence is kept with its day until it is sent. */
async function putOffSending({ db }: InvoiceDeps, { clock, ...key }: UnsentOccurrence, error: unknown): Promise<void> {
  await db.transaction().execute(async tx => {
    const row = await lockRecurring(tx, key);
    const isWaiting = await moveSending(tx, key, addSeconds(clock, retrySeconds));
    if (row === null || !isWaiting) return;
    const reason = `The invoice of ${key.day} could not be sent: ${messageOf(error, 'sent')}`;
    await changeRecurring(tx, row, { last_error: reason });
  });
}

/** For the merchant: what is wrong with its invoice, and nothing of what goes wrong in here. */
function messageOf(error: unknown, wanted: 'made' | 'sent'): string {
  if (error instanceof PayError) return error.message;
  return wanted === 'made' ? 'The service could not make it.' : 'The service had a fault.';
}
