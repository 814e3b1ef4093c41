import { addDays } from '../../../core/calendar.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { errorOr, PayError } from '../../../core/error.ts';
import { parseDecimal, rateDecimals } from '../../../core/invoice/invoice-decimal.ts';
import { divideRounded, maxWireAmount } from '../../../core/money.ts';
import { formatRate } from '../../../core/rate.ts';
import { postingWrites } from '../../ledger/ledger.store.ts';
import { planChange, planned, writeChanges } from '../../platform/db/change.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Write, writeTogether } from '../../platform/db/rows.ts';
import { keepingUnclaimed, type UnclaimedAnswer } from '../../platform/http/idempotency/idempotency.store.ts';
import { keyTaken } from '../../platform/http/idempotency/idempotency.ts';
import { dayIn } from '../../platform/local-day.ts';
import { type NewMail, queueingMails } from '../../platform/mail/mail.ts';
import { findCurrencyRate } from '../../rates/rates.ts';
import {
  type Actor,
  changeInvoice,
  illegalInvoiceStep,
  invoiceMissing,
  invoiceResource,
  lockInvoices,
  nameOfInvoice,
} from '../invoice.store.ts';
import { isPayable } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { takeCredit } from '../money/customer-credit.store.ts';
import { applyMoney, overdueAt } from '../money/invoice-money.service.ts';
import { issuePosting } from '../money/invoice-posting.ts';
import { addresseeOf, invoiceMailOf } from '../notifications/invoice-notifications.ts';
import { reminderInsert } from '../reminders/reminder.service.ts';
import type { KeptExchange } from '../tables.ts';
import { numberInvoices } from './document-number.store.ts';
import { sellerOf } from './invoice-document.service.ts';
import { assertPrintable, assertPrintableTexts } from './printable-texts.ts';

const defaultDays = 30;

/** An invoice to send. */
export interface Sending {
  readonly sender: Actor;
  readonly invoiceId: string;
  /** The address for this mail. Later mails also go there if the invoice has no address. */
  readonly email: string | null;
  /** The rate on the document, if the draft has a second currency. */
  readonly rate: string | null;
  /** Whether `assertPayableCurrency` was called for the draft. */
  readonly isPriced: boolean;
}

/** The sent invoice, or the error. `unrated`: call `exchangeRate` and `assertPayableCurrency` for the draft first. */
export type SendResult = InvoiceRow | PayError | 'unrated';

/** Stores the answer of the call that sends the invoice. Null: there is no answer to store. */
type KeepAnswer = (index: number, sent: InvoiceRow) => UnclaimedAnswer | null;

/**
 * Sends different invoices in one transaction. Numbers the drafts, fixes their dates and their merchants' details, uses
 * the customers' credit, and queues mails and reminders. For an invoice that was sent before, only queues another mail.
 * `keepAnswer` stores the answers of the calls. The error of an invoice that cannot be paid is `illegal_state`.
 */
export async function sendTogether(
  tx: Tx,
  deps: InvoiceDeps,
  sendings: readonly Sending[],
  keepAnswer: KeepAnswer = () => null,
): Promise<SendResult[]> {
  const keyOf = ({ sender, invoiceId }: Sending) => ({ merchantId: sender.merchant.id, invoiceId });
  const locked = await lockInvoices(tx, sendings.map(keyOf));
  const plans = sendings.map((sending, index): Plan | PayError =>
    errorOr(() => planSending(deps, { ...sending, index }, locked.get(nameOfInvoice(keyOf(sending))))),
  );
  const drafts = plans.flatMap(plan => (isPlan(plan) && plan.kind === 'draft' ? [plan] : []));
  const sent = await sendDrafts(tx, deps, drafts, keepAnswer);
  const results: SendResult[] = [];
  for (const [index, plan] of plans.entries()) {
    if (!isPlan(plan)) results.push(plan);
    else if (plan.kind === 'again') results.push(await sendAgain(tx, deps, plan, keepAnswer));
    else results.push(sent.get(index) ?? plan.row);
  }
  return results;
}

interface Indexed extends Sending {
  readonly index: number;
}

/** A locked draft, and the columns that sending sets. */
interface Draft extends Indexed {
  readonly kind: 'draft';
  readonly row: InvoiceRow;
  readonly fixed: Partial<InvoiceRow> & Pick<InvoiceRow, 'overdue_at'>;
}

/** A locked invoice that was sent before. */
interface Again extends Indexed {
  readonly kind: 'again';
  readonly row: InvoiceRow;
}

type Plan = Draft | Again | 'unrated';

function isPlan(plan: Plan | PayError): plan is Draft | Again {
  return plan !== 'unrated' && !(plan instanceof PayError);
}

function planSending(deps: InvoiceDeps, sending: Indexed, row: InvoiceRow | undefined): Plan {
  const { sender, invoiceId, email, rate } = sending;
  if (row?.livemode !== sender.livemode) throw invoiceMissing(invoiceId);
  if (row.customer.email === null) assertPrintableTexts(row.locale, { email });
  if (row.status !== 'draft') {
    if (!isPayable(row.status)) throw illegalInvoiceStep(row.status, 'sent');
    return { ...sending, kind: 'again', row };
  }
  const isPriced =
    sending.isPriced || deps.rates.isKnown(row.currency, deps.rates.unit(row.settlement_asset, 'settlement_asset'));
  if (!isPriced || (row.exchange !== null && rate === null)) return 'unrated';
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
  return {
    ...sending,
    kind: 'draft',
    row,
    fixed: { ...fixed, overdue_at: overdueAt({ ...row, ...fixed, status: 'sent' }) },
  };
}

/** Sends locked drafts, and returns them by index. Drafts that use credit or cost nothing are also paid. */
async function sendDrafts(
  tx: Tx,
  deps: InvoiceDeps,
  drafts: readonly Draft[],
  keepAnswer: KeepAnswer,
): Promise<ReadonlyMap<number, InvoiceRow>> {
  if (drafts.length === 0) return new Map();
  const owners = drafts.map(({ row, fixed }) => ({ ...row, ...fixed }));
  const { numbers, credited } = await numberInvoices(tx, owners);
  const plans = drafts.map(({ sender: { now }, row, fixed }, index) => {
    const set = { ...fixed, number: numbers[index] ?? null };
    return planChange(invoiceResource, deps, planned(row), { to: 'sent', set, now });
  });
  const sent = drafts.map((draft, index) => ({ draft, row: plans[index]?.after ?? draft.row }));
  const isPlain = ({ row }: (typeof sent)[number]) => row.total > 0n && !credited.has(row.id);
  const plain = sent.filter(isPlain);
  const mails = await Promise.all(plain.map(({ draft, row }) => invoiceMailOf(deps, row, draft.sender, draft)));
  const answers = plain.flatMap(({ draft, row }) => keepAnswer(draft.index, row) ?? []);
  const dated = sent.map(({ draft, row }) => ({
    row,
    timezone: draft.sender.merchant.timezone,
    now: draft.sender.now,
  }));
  const [, , kept] = await writeChanges(tx, invoiceResource, plans, {
    writes: [
      await reminderInsert(tx, dated),
      await queueingMails(
        tx,
        mails.filter(mail => mail !== null),
      ),
      keepingUnclaimed(answers),
      ...(await postingWrites(
        tx,
        dated.map(({ row, now }) => issuePosting(row, now)),
      )),
    ],
  });
  if (kept !== answers.length) throw keyTaken();
  const done = new Map(sent.map(({ draft, row }) => [draft.index, row]));
  for (const { draft, row } of sent.filter(each => !isPlain(each))) {
    const settled = await useCredit(tx, deps, row, draft.sender.now);
    await writeMail(tx, await invoiceMailOf(deps, settled, draft.sender, draft), keepAnswer(draft.index, settled));
    done.set(draft.index, settled);
  }
  return done;
}

/** Queues a mail and stores the answer of the call. Null: there is no mail or answer. */
async function writeMail(
  tx: Tx,
  mail: NewMail | null,
  answer: UnclaimedAnswer | null,
  reminders: Write | null = null,
): Promise<void> {
  const answers = answer === null ? [] : [answer];
  const mails = await queueingMails(tx, mail === null ? [] : [mail]);
  const [, , kept] = await writeTogether(tx, [reminders, mails, keepingUnclaimed(answers)]);
  if (kept !== answers.length) throw keyTaken();
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
export async function assertPayableCurrency(
  { rates }: Pick<InvoiceDeps, 'rates'>,
  { currency, settlement_asset: wanted }: Pick<InvoiceRow, 'currency' | 'settlement_asset'>,
): Promise<void> {
  const asset = rates.unit(wanted, 'settlement_asset');
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

async function sendAgain(
  tx: Tx,
  deps: InvoiceDeps,
  { sender, row, email, index }: Again,
  keepAnswer: KeepAnswer,
): Promise<InvoiceRow> {
  const { merchant, now } = sender;
  const again = await changeInvoice(tx, deps, row, { set: addressed(deps, sender, row, email), now });
  const mail = await invoiceMailOf(deps, again, sender, { email, round: String(again.version) });
  // Before, the customer had no address, so no reminders were planned.
  const unplanned = addresseeOf(row) === null ? [{ row: again, timezone: merchant.timezone, now }] : [];
  await writeMail(tx, mail, keepAnswer(index, again), await reminderInsert(tx, unplanned));
  return again;
}
