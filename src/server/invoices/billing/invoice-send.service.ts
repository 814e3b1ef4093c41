import { addDays } from '../../../core/calendar.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { isEmail } from '../../../core/email.ts';
import { PayError } from '../../../core/error.ts';
import { parseDecimal, rateDecimals } from '../../../core/invoice/invoice-decimal.ts';
import { divideRounded, maxWireAmount } from '../../../core/money.ts';
import { formatRate } from '../../../core/rate.ts';
import type { Tx } from '../../platform/db/database.ts';
import { dayIn } from '../../platform/local-day.ts';
import {
  type Actor,
  changeInvoice,
  illegalInvoiceStep,
  lockInvoice,
  nextNumber,
  readInvoice,
} from '../invoice.store.ts';
import { isPayable } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { takeCredit } from '../money/customer-credit.store.ts';
import { applyMoney, overdueAt } from '../money/invoice-money.service.ts';
import { addresseeOf, queueInvoiceMail } from '../notifications/invoice-notifications.ts';
import { planInvoiceReminders } from '../reminders/reminder.service.ts';
import type { KeptExchange } from '../tables.ts';
import { sellerOf } from './invoice-document.service.ts';

const defaultDays = 30;

/**
 * Reads rates, and returns the function that sends the invoice in a transaction. That function numbers the draft, fixes
 * its dates and the merchant's details, uses the customer's credit, and queues mail and reminders. For an invoice that
 * was sent before, it only queues another mail. Throws `illegal_state` when the invoice cannot be paid,
 * `invalid_email`, `rate_unavailable`.
 */
export async function prepareSend(
  deps: InvoiceDeps,
  sender: Actor,
  invoiceId: string,
  email?: string,
): Promise<(tx: Tx) => Promise<InvoiceRow>> {
  if (email !== undefined && !isEmail(email)) {
    throw new PayError('invalid_email', `“${email.slice(0, 80)}” is not an e-mail address.`, { param: 'email' });
  }
  const draft = await readInvoice(deps.db, sender, invoiceId);
  const rate = draft.status === 'draft' ? await exchangeRate(deps, draft) : null;
  return async tx => {
    const { merchant, livemode } = sender;
    const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
    if (row.status === 'draft') return await send(tx, deps, sender, row, { email: email ?? null, rate });
    if (!isPayable(row.status)) throw illegalInvoiceStep(row.status, 'sent');
    return await sendAgain(tx, deps, sender, row, email ?? null);
  };
}

/** The columns that determine the invoice's totals in another currency. */
export type ExchangedInvoice = Pick<InvoiceRow, 'currency' | 'total' | 'tax_total' | 'exchange'>;

/** The rate on the document as decimal text, or null without a second currency. Throws `rate_unavailable`. */
export async function exchangeRate(
  deps: Pick<InvoiceDeps, 'rates'>,
  { currency, exchange }: ExchangedInvoice,
): Promise<string | null> {
  if (exchange === null) return null;
  if (exchange.rate !== null) return exchange.rate;
  const { rate } = await deps.rates.find(currency, exchange.currency);
  return formatRate(rate, currencyDecimals(currency), currencyDecimals(exchange.currency), rateDecimals);
}

interface Sending {
  readonly email: string | null;
  readonly rate: string | null;
}

async function send(
  tx: Tx,
  deps: InvoiceDeps,
  sender: Actor,
  draft: InvoiceRow,
  { email, rate }: Sending,
): Promise<InvoiceRow> {
  const { merchant, now } = sender;
  const issued = dayIn(merchant.timezone, now);
  const dueDate = draft.due_date ?? addDays(issued, draft.days_until_due ?? defaultDays);
  const fixed = {
    ...{ issue_date: issued, due_date: dueDate, sent_at: now, seller: sellerOf(merchant) },
    plan: datedPlan(draft, issued, dueDate),
    exchange: draft.exchange && exchanged(draft, draft.exchange, rate, issued),
    ...addressed(deps, sender, draft, email),
  };
  const overdue = overdueAt({ ...draft, ...fixed, status: 'sent' });
  const number = await nextNumber(tx, sender, draft.number_prefix);
  const sent = await changeInvoice(tx, deps, draft, {
    to: 'sent',
    set: { ...fixed, overdue_at: overdue, number },
    now,
  });
  await planInvoiceReminders(tx, sent, merchant.timezone, now);
  const settled = await useCredit(tx, deps, sent, now);
  await queueInvoiceMail(tx, deps, settled, { merchant, now }, { email });
  return settled;
}

/** Sets the missing due dates of a plan: the issue date for a deposit, else the invoice's due date. */
function datedPlan({ plan }: InvoiceRow, issued: string, dueDate: string): InvoiceRow['plan'] {
  return plan.map(part => ({ ...part, due_date: part.due_date ?? (part.kind === 'deposit' ? issued : dueDate) }));
}

/**
 * The invoice's new address columns. `email` becomes the customer's address if the customer had none. Otherwise only
 * this mail goes to `email`.
 */
function addressed({ secrets }: InvoiceDeps, { merchant, livemode }: Actor, row: InvoiceRow, email: string | null) {
  if (email === null || row.customer.email !== null) return { sent_to: email ?? row.sent_to };
  return {
    sent_to: email,
    customer: { ...row.customer, email },
    customer_id: secrets.customerId(merchant.id, livemode, email),
  };
}

/** Converts total and tax to the second currency. Throws `invalid_amount` above the largest amount of the API. */
export function exchanged(
  { currency, total, tax_total: taxTotal }: ExchangedInvoice,
  exchange: KeptExchange,
  rate: string | null,
  date: string,
): KeptExchange {
  const scaled = parseDecimal(rate ?? '', rateDecimals) ?? 0n;
  const there = (amount: bigint) =>
    divideRounded(
      amount * scaled * 10n ** BigInt(currencyDecimals(exchange.currency)),
      10n ** BigInt(rateDecimals + currencyDecimals(currency)),
    );
  if (there(total) > maxWireAmount) {
    const message = `In ${exchange.currency} the amount is too large: at most ${maxWireAmount} minor units.`;
    throw new PayError('invalid_amount', message, { param: 'exchange.rate' });
  }
  const sums = { total: Number(there(total)), tax_total: Number(there(taxTotal)) };
  return { currency: exchange.currency, rate, date, ...sums };
}

/** Pays the sent invoice with the customer's credit. An invoice with a total of zero becomes paid at once. */
async function useCredit(tx: Tx, deps: InvoiceDeps, sent: InvoiceRow, now: Date): Promise<InvoiceRow> {
  const credit = await takeCredit(tx, sent, sent.total);
  if (credit > 0n) {
    return await applyMoney(tx, deps, sent, { type: 'credit_applied', amount: credit, paidAt: now, now });
  }
  if (sent.total > 0n) return sent;
  return await changeInvoice(tx, deps, sent, { to: 'paid', set: { paid_at: now, overdue_at: null }, now });
}

async function sendAgain(
  tx: Tx,
  deps: InvoiceDeps,
  sender: Actor,
  row: InvoiceRow,
  email: string | null,
): Promise<InvoiceRow> {
  const { merchant, now } = sender;
  const again = await changeInvoice(tx, deps, row, { set: addressed(deps, sender, row, email), now });
  await queueInvoiceMail(tx, deps, again, { merchant, now }, { email, round: String(again.version) });
  // Without an address, no reminders were planned.
  if (addresseeOf(row) === null) await planInvoiceReminders(tx, again, merchant.timezone, now);
  return again;
}
