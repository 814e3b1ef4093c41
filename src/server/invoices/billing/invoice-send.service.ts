import { addDays } from '../../../core/calendar.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { parseDecimal, rateDecimals } from '../../../core/invoice/invoice-decimal.ts';
import { divideRounded, maxWireAmount } from '../../../core/money.ts';
import { formatRate } from '../../../core/rate.ts';
import { postingWrites } from '../../ledger/ledger.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import { writeTogether } from '../../platform/db/rows.ts';
import { planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { dayIn } from '../../platform/local-day.ts';
import { queueingMails, queueMail } from '../../platform/mail/mail.ts';
import { findCurrencyRate, settlementUnit } from '../../rates/rates.ts';
import { type Actor, changeInvoice, illegalInvoiceStep, invoiceResource, lockInvoice } from '../invoice.store.ts';
import { isPayable } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { takeCredit } from '../money/customer-credit.store.ts';
import { applyMoney, overdueAt } from '../money/invoice-money.service.ts';
import { issuePosting } from '../money/invoice-posting.ts';
import { addresseeOf, invoiceMailOf } from '../notifications/invoice-notifications.ts';
import { assertPrintable, assertPrintableTexts } from '../printable-texts.ts';
import { reminderInsert } from '../reminders/reminder.service.ts';
import type { KeptExchange } from '../tables.ts';
import { numberInvoice } from './document-number.store.ts';
import { sellerOf } from './invoice-document.service.ts';

const defaultDays = 30;

/** An invoice to send. */
export interface Sending {
  readonly sender: Actor;
  readonly invoiceId: string;
  /** The address for this mail. Later mails also go there if the invoice has no address. */
  readonly email: string | null;
  /** The rate on the document, as `rateToSend` returned it. */
  readonly rate: string | null;
}

/**
 * The rate on the document of a draft with a second currency, or null. Call this before the transaction. Throws
 * `invalid_currency` if the draft could never be paid, and `rate_unavailable`.
 */
export async function rateToSend(deps: InvoiceDeps, invoice: InvoiceRow): Promise<string | null> {
  if (invoice.status !== 'draft') return null;
  await assertPayableCurrency(deps, invoice);
  return await exchangeRate(deps, invoice);
}

/**
 * Sends an invoice. Numbers a draft, fixes its date and its merchant's details, uses the customer's credit, and queues
 * mail and reminders. For an invoice that was sent before, only queues another mail. Throws `illegal_state` for an
 * invoice that cannot be paid.
 */
export async function sendInvoice(tx: Tx, deps: InvoiceDeps, sending: Sending): Promise<InvoiceRow> {
  const { sender, invoiceId, email } = sending;
  const row = await lockInvoice(tx, { merchantId: sender.merchant.id, invoiceId, livemode: sender.livemode });
  if (row.customer.email === null) assertPrintableTexts(row.locale, { email });
  if (row.status === 'draft') return await sendDraft(tx, deps, sending, row);
  if (!isPayable(row.status)) throw illegalInvoiceStep(row.status, 'sent');
  return await sendAgain(tx, deps, sending, row);
}

/** The columns that sending sets, but the number. */
function fixedBySending(deps: InvoiceDeps, { sender, email, rate }: Sending, row: InvoiceRow) {
  if (row.exchange !== null && rate === null) throw new Error('the invoice was changed while its rate was read');
  const { merchant, now } = sender;
  const seller = sellerOf(merchant);
  assertPrintable(row, seller);
  const issued = dayIn(merchant.timezone, now);
  const dueDate = row.due_date ?? addDays(issued, row.days_until_due ?? defaultDays);
  const fixed = {
    issue_date: issued,
    due_date: dueDate,
    sent_at: now,
    seller,
    plan: datedPlan(row, issued, dueDate),
    exchange: row.exchange && exchanged(row, row.exchange, rate, issued),
    ...addressed(deps, sender, row, email),
    // The document of a draft is not fixed yet, so it prints the address.
    ...(email !== null && row.customer.email === null && { customer: { ...row.customer, email } }),
  };
  return { ...fixed, overdue_at: overdueAt({ ...row, ...fixed, status: 'sent' }) };
}

/** Sends a locked draft. A draft that uses credit or costs nothing is also paid. */
async function sendDraft(tx: Tx, deps: InvoiceDeps, sending: Sending, row: InvoiceRow): Promise<InvoiceRow> {
  const { sender } = sending;
  const { now } = sender;
  const fixed = fixedBySending(deps, sending, row);
  const { number, hasCredit } = await numberInvoice(tx, { ...row, ...fixed });
  const plan = planChange(invoiceResource, deps, planned(row), { to: 'sent', set: { ...fixed, number }, now });
  const sent = plan.after;
  const isPaid = sent.total === 0n || hasCredit;
  const mail = isPaid ? null : await invoiceMailOf(deps, sent, sender, sending);
  await writeChanges(tx, invoiceResource, [plan], {
    writes: [
      await reminderInsert(tx, [{ row: sent, timezone: sender.merchant.timezone, now }]),
      await queueingMails(tx, mail === null ? [] : [mail]),
      ...(await postingWrites(tx, [issuePosting(sent, now)])),
    ],
  });
  if (!isPaid) return sent;
  const settled = await useCredit(tx, deps, sent, now);
  const mailed = await invoiceMailOf(deps, settled, sender, sending);
  if (mailed !== null) await queueMail(tx, mailed);
  return settled;
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

/**
 * Refuses an invoice that could never be paid: throws `invalid_currency` if no rate source knows its currency. A
 * temporarily missing rate does not prevent the sending.
 */
async function assertPayableCurrency(
  { rates }: Pick<InvoiceDeps, 'rates'>,
  { currency, settlement_asset: wanted }: Pick<InvoiceRow, 'currency' | 'settlement_asset'>,
): Promise<void> {
  const asset = settlementUnit(rates, wanted);
  if (rates.isKnown(currency, asset)) return;
  try {
    await findCurrencyRate(rates, { currency, asset, param: 'currency' });
  } catch (error) {
    if (!(error instanceof PayError) || error.code === 'invalid_currency') throw error;
  }
}

/** Sets the missing due dates of a plan: the issue date for a deposit, the invoice's due date for other parts. */
function datedPlan({ plan }: InvoiceRow, issued: string, dueDate: string): InvoiceRow['plan'] {
  return plan.map(part => ({ ...part, due_date: part.due_date ?? (part.kind === 'deposit' ? issued : dueDate) }));
}

/**
 * The invoice's new address columns. If it has no address, its later mails go to `email`, too. Otherwise only this mail
 * does.
 */
function addressed({ secrets }: InvoiceDeps, { merchant, livemode }: Actor, row: InvoiceRow, email: string | null) {
  if (email === null || addresseeOf(row) !== null) return {};
  return { sent_to: email, customer_id: secrets.customerId(merchant.id, livemode, email) };
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

async function sendAgain(tx: Tx, deps: InvoiceDeps, { sender, email }: Sending, row: InvoiceRow): Promise<InvoiceRow> {
  const { merchant, now } = sender;
  const again = await changeInvoice(tx, deps, row, { set: addressed(deps, sender, row, email), now });
  const mail = await invoiceMailOf(deps, again, sender, { email, round: String(again.version) });
  // Before, the customer had no address, so no reminders were planned.
  const unplanned = addresseeOf(row) === null ? [{ row: again, timezone: merchant.timezone, now }] : [];
  const mails = await queueingMails(tx, mail === null ? [] : [mail]);
  await writeTogether(tx, [await reminderInsert(tx, unplanned), mails]);
  return again;
}
