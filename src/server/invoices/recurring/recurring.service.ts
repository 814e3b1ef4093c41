import type { CreateRecurringInvoice } from '../../../api/invoice/recurring.ts';
import { isDay } from '../../../core/calendar.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { isTimeZone } from '../../merchants/account.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dayIn } from '../../platform/local-day.ts';
import { draftInvoice } from '../billing/invoice-draft.ts';
import { type ExchangedInvoice, exchanged, exchangeRate } from '../billing/invoice-send.service.ts';
import type { Actor } from '../invoice.store.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
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
  illegalRecurringStep,
  insertRecurring,
  lockRecurring,
  type RecurringRow,
} from './recurring.store.ts';

export function recurrenceOf(row: RecurringRow): Recurrence {
  return { rrule: row.rrule, startsOn: row.starts_on, endsOn: row.ends_on, count: row.count };
}

/** The date and time of the next invoice on or after the date `from`, if `made` invoices already exist. */
export function nextOf(recurrence: Recurrence, timezone: string, from: string, made: number) {
  const next = nextDay(recurrence, { from, made });
  return { next_on: next, next_at: next === null ? null : issueMoment(timezone, next) };
}

/**
 * Checks a recurring invoice, and returns the function that stores it. The check may look up a rate. The first invoice
 * is due on the rule's first day from today. Throws a PayError that names the wrong field. Fields of the invoice have
 * the prefix `invoice.`.
 */
export async function prepareRecurring(
  deps: InvoiceDeps,
  { merchant, livemode, now }: Actor,
  body: CreateRecurringInvoice,
): Promise<(tx: Tx) => Promise<RecurringRow>> {
  const timezone = body.timezone ?? merchant.timezone;
  if (!isTimeZone(timezone)) throw wrong('timezone', 'timezone takes an IANA name like Europe/Berlin.');
  for (const name of ['starts_on', 'ends_on'] as const) {
    const day = body[name];
    if (day != null && !isDay(day)) throw wrong(name, `${name} takes a date, YYYY-MM-DD.`);
  }
  await checkTemplate(deps, { merchant, livemode, now }, body);
  const { rrule, startsOn, endsOn, count } = readRecurrence({
    rrule: body.rrule,
    startsOn: body.starts_on,
    endsOn: body.ends_on ?? null,
    count: body.count ?? null,
  });
  const next = nextOf({ rrule, startsOn, endsOn, count }, timezone, dayIn(timezone, now), 0);
  if (next.next_on === null) throw wrong('ends_on', 'The rule has no day from today on.');
  const row: RecurringRow = {
    merchant_id: merchant.id,
    id: newId('recurringInvoice'),
    livemode,
    status: 'active',
    created_at: now,
    rrule,
    starts_on: startsOn,
    ends_on: endsOn,
    count,
    timezone,
    ...next,
    occurrences: 0,
    last_error: null,
    auto_send: body.auto_send ?? true,
    template: body.invoice,
    metadata: body.metadata ?? {},
  };
  return async tx => {
    await insertRecurring(tx, row);
    return row;
  };
}

/** Rejects a template that could not be drafted and sent today, so that the merchant sees the error at once. */
async function checkTemplate(deps: InvoiceDeps, actor: Actor, { invoice }: CreateRecurringInvoice): Promise<void> {
  if (invoice.deposit?.due_date !== undefined) {
    throw wrong('invoice.deposit.due_date', 'A recurring invoice has no fixed dates: its deposit is due on sending.');
  }
  try {
    await tryExchange(deps, actor, draftInvoice({ ...deps, ...actor }, invoice));
  } catch (error) {
    if (!(error instanceof PayError) || error.param === null) throw error;
    throw new PayError(error.code, error.message, { param: `invoice.${error.param}`, cause: error });
  }
}

async function tryExchange(deps: InvoiceDeps, { merchant, now }: Actor, invoice: ExchangedInvoice): Promise<void> {
  const { currency, exchange } = invoice;
  if (exchange === null) return;
  const rate = await exchangeRate(deps, invoice).catch(error => {
    if (!(error instanceof PayError) || error.code !== 'rate_unavailable') throw error;
    const message = `There is no reliable rate from ${currency} to ${exchange.currency} now. Give exchange.rate, or choose another currency.`;
    throw new PayError('parameter_invalid', message, { param: 'exchange.currency', cause: error });
  });
  exchanged(invoice, exchange, rate, dayIn(merchant.timezone, now));
}

/** The recurring invoice. Throws `resource_missing` for another merchant or mode. */
export async function readRecurring(
  { db }: Pick<InvoiceDeps, 'db'>,
  { merchant, livemode }: Pick<Actor, 'merchant' | 'livemode'>,
  recurringId: string,
): Promise<RecurringRow> {
  const row = await findRecurring(db, { merchantId: merchant.id, recurringId });
  if (row?.livemode !== livemode) throw recurringMissing(recurringId);
  return row;
}

/**
 * Pauses, resumes or ends a recurring invoice. Days during the pause are skipped, not made up for. Throws
 * `illegal_state` or `resource_missing`.
 */
export async function stepRecurring(
  tx: Tx,
  { merchant, livemode, now }: Actor,
  recurringId: string,
  to: RecurringStatus,
): Promise<RecurringRow> {
  const row = await lockRecurring(tx, { merchantId: merchant.id, recurringId });
  if (row?.livemode !== livemode) throw recurringMissing(recurringId);
  if (!recurringMachine.can(row.status, to)) throw illegalRecurringStep(row, to);
  if (to === 'paused') return await changeRecurring(tx, row, { to, now });
  if (to === 'ended') return await changeRecurring(tx, row, { to, set: { next_on: null, next_at: null }, now });
  const today = dayIn(row.timezone, now);
  const from = row.next_on !== null && row.next_on > today ? row.next_on : today;
  const next = nextOf(recurrenceOf(row), row.timezone, from, row.occurrences);
  const set = { ...next, last_error: null };
  return await changeRecurring(tx, row, { to: next.next_on === null ? 'ended' : to, set, now });
}

function recurringMissing(recurringId: string): PayError {
  const message = `No recurring invoice ${recurringId.slice(0, 64)} exists. Check the id and the mode of the key.`;
  return new PayError('resource_missing', message, { param: 'id' });
}

function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
