import type { CreateRecurringInvoice } from '../../../api/recurring.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../db/database.ts';
import type { Caller } from '../../http/caller.ts';
import { isTimeZone } from '../../merchants/invoicing.ts';
import { dayIn, isDay } from '../invoice-day.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { draftInvoice } from '../invoice-draft.ts';
import {
  issueMoment,
  nextDay,
  type Recurrence,
  type RecurringStatus,
  readRecurrence,
  recurringMachine,
} from './recurrence.ts';
import {
  changeRecurring,
  findRecurring,
  insertRecurring,
  lockRecurring,
  type RecurringRow,
} from './recurring.store.ts';

/** Who asks, and when: the merchant's clock. */
export type Asker = Pick<Caller, 'merchant' | 'livemode' | 'now'>;

/** The rule of a row. */
export function recurrenceOf(row: RecurringRow): Recurrence {
  return { rrule: row.rrule, startsOn: row.starts_on, endsOn: row.ends_on, count: row.count };
}

/** The day and moment of the next invoice of those not before `from`. */
export function nextOf(recurrence: Recurrence, timezone: string, from: string, made: number) {
  const next = nextDay(recurrence, { from, made });
  return { next_on: next, next_at: next === null ? null : issueMoment(timezone, next) };
}

/**
 * Keeps a recurring invoice; the first is made on the first day of its rule from today on. Throws PayError naming the field
 * that is wrong, those of the invoice as `invoice.…`.
 */
export async function createRecurring(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Asker,
  body: CreateRecurringInvoice,
): Promise<RecurringRow> {
  const timezone = body.timezone ?? merchant.timezone;
  if (!isTimeZone(timezone)) throw wrong('timezone', 'timezone takes an IANA name like Europe/Berlin.');
  for (const name of ['starts_on', 'ends_on'] as const) {
    const day = body[name];
    if (day != null && !isDay(day)) throw wrong(name, `${name} takes a day of the calendar, YYYY-MM-DD.`);
  }
  checkTemplate(deps, { merchant, livemode }, body);
  const recurrence = readRecurrence({
    ...{ rrule: body.rrule, startsOn: body.starts_on, endsOn: body.ends_on ?? null, count: body.count ?? null },
  });
  const next = nextOf(recurrence, timezone, dayIn(timezone, now), 0);
  if (next.next_on === null) throw wrong('ends_on', 'The rule has no day from today on.');
  return await insertRecurring(tx, {
    ...{ merchant_id: merchant.id, id: newId('recurringInvoice'), livemode, status: 'active', created_at: now },
    ...{ rrule: recurrence.rrule, starts_on: recurrence.startsOn, ends_on: recurrence.endsOn, count: recurrence.count },
    ...{ timezone, auto_send: body.auto_send ?? true, template: JSON.stringify(body.invoice) },
    metadata: JSON.stringify(body.metadata ?? {}),
    ...next,
  });
}

/** What cannot become an invoice today is refused now, not on its first day. */
function checkTemplate(deps: InvoiceDeps, whose: Pick<Asker, 'merchant' | 'livemode'>, body: CreateRecurringInvoice) {
  if (body.invoice.deposit?.due_date !== undefined) {
    throw wrong(
      'invoice.deposit.due_date',
      'A recurring invoice has no days of its own: its deposit is due on sending.',
    );
  }
  try {
    draftInvoice({ ...deps, ...whose }, body.invoice);
  } catch (error) {
    if (!(error instanceof PayError) || error.param === null) throw error;
    throw new PayError(error.code, error.message, { param: `invoice.${error.param}`, cause: error });
  }
}

/** The recurring invoice. Throws `resource_missing` for one of another merchant or mode. */
export async function readRecurring(
  { db }: Pick<InvoiceDeps, 'db'>,
  { merchant, livemode }: Pick<Asker, 'merchant' | 'livemode'>,
  recurringId: string,
): Promise<RecurringRow> {
  const row = await findRecurring(db, { merchantId: merchant.id, recurringId });
  if (row?.livemode !== livemode) throw recurringMissing(recurringId);
  return row;
}

/**
 * Pauses, resumes or ends it. Resumed, it goes on from today: what fell into the pause is not made up for. Throws
 * `illegal_state` when the machine knows no such step, `resource_missing`.
 */
export async function stepRecurring(
  tx: Tx,
  { merchant, livemode, now }: Asker,
  recurringId: string,
  to: RecurringStatus,
): Promise<RecurringRow> {
  const row = await lockRecurring(tx, { merchantId: merchant.id, recurringId });
  if (row?.livemode !== livemode) throw recurringMissing(recurringId);
  if (!recurringMachine.can(row.status, to)) {
    throw new PayError('illegal_state', `The recurring invoice is ${row.status} and cannot become ${to}.`);
  }
  if (to === 'paused') return await changeRecurring(tx, row, { status: to });
  if (to === 'ended') return await changeRecurring(tx, row, { status: to, next_on: null, next_at: null });
  const today = dayIn(row.timezone, now);
  const from = row.next_on !== null && row.next_on > today ? row.next_on : today;
  const next = nextOf(recurrenceOf(row), row.timezone, from, row.occurrences);
  return await changeRecurring(tx, row, { status: next.next_on === null ? 'ended' : to, ...next, last_error: null });
}

function recurringMissing(recurringId: string): PayError {
  const message = `No recurring invoice ${recurringId.slice(0, 64)} exists. Check the id and the mode of the key.`;
  return new PayError('resource_missing', message, { param: 'id' });
}

function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
