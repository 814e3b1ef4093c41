import { addDays } from '../../../core/calendar.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { createDraft } from '../billing/invoice-draft.service.ts';
import { rateToSend, sendInvoice } from '../billing/invoice-send.service.ts';
import { findInvoice, lockInvoice } from '../invoice.store.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
import { nextOf, recurrenceOf } from './recurring.service.ts';
import {
  activeRecurring,
  changeRecurring,
  type DueRecurring,
  findDueRecurring,
  findUnsent,
  insertOccurrence,
  isUnsent,
  lockRecurring,
  moveSending,
  retrySeconds,
  type UnsentOccurrence,
  unsentOccurrences,
} from './recurring.store.ts';

const batch = 50;

/**
 * Creates due invoices, then sends them in a second transaction, because sending may look up a rate. After a crash, the
 * next run finds unsent invoices.
 */
export function recurringSweeps(deps: InvoiceDeps): Sweep[] {
  return [
    { name: 'recurring.make', due: [activeRecurring], run: () => makeDue(deps) },
    { name: recurringSending, due: [unsentOccurrences], run: () => sendMade(deps) },
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
      const recurring = one.recurringId;
      deps.log.error({ err: error, recurring }, 'a recurring invoice could not be created and will be tried again');
      await putOff(deps, one, error);
    }
  }
  if (due.length > 0) for (const sweep of [recurringSending, dispatchSweep]) deps.wake(sweep);
  return due.length;
}

/** Creates the invoice of a day. The lock and the record of the day keep other servers from creating a second one. */
async function make(
  tx: Tx,
  deps: InvoiceDeps,
  merchant: Merchant,
  { clock: now, ...key }: DueRecurring,
): Promise<void> {
  const row = await lockRecurring(tx, key);
  if (row === null || row.status !== 'active' || row.next_at === null || row.next_at > now) return;
  const { livemode, next_on: day } = row;
  if (day === null) return;
  const invoice = await createDraft(tx, deps, { merchant, livemode, now }, row.template);
  const hasUnsent = await isUnsent(tx, key);
  await insertOccurrence(tx, {
    merchant_id: row.merchant_id,
    recurring_id: row.id,
    day,
    invoice_id: invoice.id,
    livemode,
    created_at: now,
    send_at: row.auto_send ? now : null,
  });
  const occurrences = row.occurrences + 1;
  const next = nextOf(recurrenceOf(row), row.timezone, addDays(day, 1), occurrences);
  await changeRecurring(tx, row, {
    ...(next.next_on === null && { to: 'ended' }),
    set: { ...next, occurrences, ...(!hasUnsent && { last_error: null }) },
    now,
  });
}

/** Retries the creation in an hour, and stores the error for the merchant. */
async function putOff({ db }: InvoiceDeps, { clock: now, ...key }: DueRecurring, error: unknown): Promise<void> {
  await db.transaction().execute(async tx => {
    const row = await lockRecurring(tx, key);
    if (row === null || row.status !== 'active') return;
    const set = {
      next_at: addSeconds(now, retrySeconds),
      last_error: messageOf(error, 'The service could not create the invoice.'),
    };
    await changeRecurring(tx, row, { set, now });
  });
}

async function sendMade(deps: InvoiceDeps): Promise<number> {
  const unsent = await findUnsent(deps.db, deps.clock.now(), batch);
  for (const one of unsent) {
    try {
      await send(deps, one);
    } catch (error) {
      const invoice = one.invoiceId;
      deps.log.error({ err: error, invoice }, 'a recurring invoice could not be sent and will be tried again');
      await putOffSending(deps, one, error);
    }
  }
  if (unsent.length > 0) for (const sweep of [mailSweep, dispatchSweep]) deps.wake(sweep);
  return unsent.length;
}

/** Sends a new invoice. Does nothing if the merchant has already sent or deleted the invoice. */
async function send(deps: InvoiceDeps, { clock: now, invoiceId, livemode, ...key }: UnsentOccurrence): Promise<void> {
  const merchant = await deps.findMerchant(key.merchantId);
  const { merchantId } = key;
  const invoice = await findInvoice(deps.db, { merchantId, invoiceId });
  const rate = invoice && (await rateToSend(deps, invoice));
  await deps.db.transaction().execute(async tx => {
    const recurring = await lockRecurring(tx, key);
    const isMine = await moveSending(tx, key, null);
    if (isMine && recurring !== null && !(await isUnsent(tx, key))) {
      await changeRecurring(tx, recurring, { set: { last_error: null }, now });
    }
    if (!isMine || invoice?.status !== 'draft') return;
    const { status } = await lockInvoice(tx, { merchantId, invoiceId });
    if (status !== 'draft') return;
    await sendInvoice(tx, deps, { sender: { merchant, livemode, now }, invoiceId, email: null, rate });
  });
}

/** Retries the sending in an hour. The merchant sees the error until the invoice is sent. */
async function putOffSending(
  { db }: InvoiceDeps,
  { clock: now, ...key }: UnsentOccurrence,
  error: unknown,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const row = await lockRecurring(tx, key);
    const isWaiting = await moveSending(tx, key, addSeconds(now, retrySeconds));
    if (row === null || !isWaiting) return;
    const reason = messageOf(error, 'The service had an error.');
    const set = { last_error: `The invoice of ${key.day} could not be sent: ${reason}` };
    await changeRecurring(tx, row, { set, now });
  });
}

/** The error for the merchant: a problem of the invoice, or a general message without details of the service. */
function messageOf(error: unknown, other: string): string {
  return error instanceof PayError ? error.message : other;
}
