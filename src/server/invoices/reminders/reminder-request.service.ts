import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import { assertEmail } from '../../platform/mail/mail.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { findInvoice, invoiceMissing, lockInvoice } from '../invoice.store.ts';
import { isPayable, remainingOf } from '../invoice.ts';
import { type InvoiceRow, type InvoiceViewContext, todayOf } from '../invoice.view.ts';
import { addresseeOf } from '../notifications/invoice-notifications.ts';
import {
  insertSentReminder,
  lastReminded,
  type ReminderRow,
  type ReminderScope,
  skipNextReminder,
  stepReminders,
} from './reminder.store.ts';
import { openParts, ReminderBatch } from './reminder-batch.ts';

/** Who asks, for which invoice. `now`: the merchant's clock. */
export interface ReminderRequest {
  readonly merchant: Merchant;
  readonly livemode: boolean;
  readonly now: Date;
  readonly invoiceId: string;
}

/** Between two reminders of an invoice to the same address; a button pressed twice is one reminder. */
const quietSeconds = 300;

/**
 * Reminds at once of the next due or overdue amount, independently of the plan. Throws PayError `resource_missing`;
 * `illegal_state` when nothing is owed or no address is known; `invalid_email`; `reminded_already` within five minutes
 * of a reminder to the same address.
 */
export async function remindNow(
  tx: Tx,
  context: InvoiceViewContext,
  request: ReminderRequest,
  email: string | undefined,
): Promise<InvoiceRow> {
  if (email !== undefined) assertEmail(email, 'email');
  const { merchant, now } = request;
  const row = await lockRemindable(tx, request);
  const address = email ?? addresseeOf(row);
  if (address === null) {
    throw new PayError('illegal_state', 'The invoice has no e-mail address: give one as email.', { param: 'email' });
  }
  await refuseSoonAfterAnother(tx, request, address);
  const today = todayOf(row, now) ?? '';
  const open = openParts(row).filter(({ left }) => left > 0n);
  const part = open.findLast(({ dueDate }) => dueDate <= today) ?? open[0];
  if (part === undefined) throw new PayError('illegal_state', 'The invoice has no due date to remind of.');
  const reminder = await insertSentReminder(tx, {
    ...{ merchant_id: merchant.id, invoice_id: row.id, livemode: row.livemode, due_date: part.dueDate },
    ...{ remind_at: now, sent_at: now, amount: null, sent_to: null },
  });
  const batch = await ReminderBatch.begin(context, [row]);
  batch.add({ reminder, row, merchant, now, ...(email === undefined ? {} : { email }) });
  await batch.write(tx);
  return row;
}

/** Stops the planned reminders of an invoice until they are resumed. Throws PayError `resource_missing` or `illegal_state`. */
export async function pauseReminders(tx: Tx, request: ReminderRequest): Promise<void> {
  await assertRemindable(tx, request);
  await stepReminders(tx, scopeOf(request), { from: 'planned', to: 'paused' });
}

/** Resumes paused reminders; those whose time has passed are skipped. Throws as `pauseReminders`. */
export async function resumeReminders(tx: Tx, request: ReminderRequest): Promise<void> {
  await assertRemindable(tx, request);
  const { now } = request;
  await stepReminders(tx, scopeOf(request), { from: 'paused', to: 'skipped', hour: { side: '<=', now } });
  await stepReminders(tx, scopeOf(request), { from: 'paused', to: 'planned', hour: { side: '>', now } });
}

/** Leaves out the next reminder. Throws as `pauseReminders`, and `illegal_state` when none is to come. */
export async function skipReminder(tx: Tx, request: ReminderRequest): Promise<ReminderRow> {
  await assertRemindable(tx, request);
  const skipped = await skipNextReminder(tx, scopeOf(request));
  if (skipped === null) throw new PayError('illegal_state', 'No reminder of this invoice is to come.');
  return skipped;
}

/** The invoice is locked: of several requests at once, the first reminds. */
async function refuseSoonAfterAnother(tx: Tx, request: ReminderRequest, address: string): Promise<void> {
  const last = await lastReminded(tx, scopeOf(request), address);
  if (last === null) return;
  const waitSeconds = (addSeconds(last, quietSeconds).getTime() - request.now.getTime()) / 1000;
  if (waitSeconds <= 0) return;
  const message = 'This address was reminded of the invoice less than five minutes ago. Nothing was sent.';
  throw new PayError('reminded_already', message, { retryAfterSeconds: Math.min(waitSeconds, quietSeconds) });
}

function scopeOf({ merchant, invoiceId }: ReminderRequest): ReminderScope {
  return { merchantId: merchant.id, invoiceId };
}

/** Locks nothing: the statement that follows changes only reminders that still wait. */
async function assertRemindable(tx: Tx, { merchant, livemode, invoiceId }: ReminderRequest): Promise<void> {
  const row = await findInvoice(tx, { merchantId: merchant.id, invoiceId });
  if (row?.livemode !== livemode) throw invoiceMissing(invoiceId);
  refuseUnlessOwed(row);
}

async function lockRemindable(tx: Tx, { merchant, livemode, invoiceId }: ReminderRequest): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  refuseUnlessOwed(row);
  return row;
}

function refuseUnlessOwed(row: InvoiceRow): void {
  if (isPayable(row.status) && remainingOf(row) > 0n) return;
  throw new PayError('illegal_state', `The invoice is ${row.status}: there is nothing to remind of.`);
}
