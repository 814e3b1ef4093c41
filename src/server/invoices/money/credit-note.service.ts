import type { CreateCreditNote } from '../../../api/invoice/invoice-money.ts';
import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { type CreditPart, creditParts } from '../../../core/invoice/invoice-credit.ts';
import { least, sumOf } from '../../../core/money.ts';
import { creditNotePrefix } from '../../merchants/account.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordEvents } from '../../platform/events/outbox.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { illegalInvoiceStep, lockInvoice, nextNumber } from '../invoice.store.ts';
import { remainingOf } from '../invoice.ts';
import { type CreditNoteRow, creditNoteToWire, type InvoiceRow } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { queueCreditNoteMail } from '../notifications/end-notifications.ts';
import {
  type CreditedSums,
  creditedSums,
  earlierAmounts,
  insertCreditNote,
  settledByRefunds,
} from './credit-note.store.ts';
import { addCredit } from './customer-credit.store.ts';
import { settle, timezoneDay } from './invoice-money.service.ts';
import { insertTransaction, sideSums } from './invoice-transaction.store.ts';

/**
 * Credits part or all of an invoice by a numbered document. It lowers the remaining amount first. An amount that was
 * already paid becomes customer credit, unless it was refunded. An invoice of which nothing was paid and all is
 * credited is void. What takes all of it off at once shows the invoice's own taxes, with their bases rounded as they
 * are there. Throws `illegal_state`, and `amount_out_of_range` for more than is left to credit.
 */
export async function createCreditNote(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Caller,
  invoiceId: string,
  body: CreateCreditNote,
): Promise<CreditNoteRow> {
  const invoice = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (invoice.status === 'draft' || invoice.status === 'void') throw illegalInvoiceStep(invoice.status, 'credited');
  const before = await creditedSums(tx, invoice);
  const amount = amountOf(invoice, before, body);
  const { off, toCredit } = divideCredit(invoice, before, (await sideSums(tx, invoice)).refunded, amount);
  const number = await nextNumber(tx, { merchantId: merchant.id, livemode, prefix: creditNotePrefix });
  const taxes =
    amount === invoice.total
      ? invoice.taxes
      : creditedTaxes(invoice, creditedLines(invoice, await earlierAmounts(tx, invoice), amount));
  const note = await insertCreditNote(tx, {
    ...{ merchant_id: merchant.id, id: newId('creditNote'), invoice_id: invoice.id, livemode, number },
    ...{ currency: invoice.currency, amount, amount_to_credit: toCredit, taxes: JSON.stringify(taxes) },
    tax_total: sumOf(taxes.map(tax => BigInt(tax.amount))),
    ...{ reason: body.reason ?? null, memo: body.memo ?? null, metadata: JSON.stringify(body.metadata ?? {}) },
    ...{ issue_date: timezoneDay(invoice, now), created_at: now },
  });
  const after = await book(tx, deps, invoice, note, off);
  await queueCreditNoteMail(tx, after, note, { merchant, now });
  return note;
}

function amountOf(invoice: InvoiceRow, before: CreditedSums, { amount: asked }: CreateCreditNote): bigint {
  const left = invoice.total - before.amount;
  if (left === 0n) throw new PayError('illegal_state', 'All of the invoice has been credited.');
  const amount = asked === undefined ? left : BigInt(asked);
  if (amount <= left) return amount;
  const message = `${left} of the invoice is left to credit, which is less than ${amount}.`;
  throw new PayError('amount_out_of_range', message, { param: 'amount' });
}

/** What of a credit lowers what is owed, and what becomes the customer's: not what was refunded without a note before. */
function divideCredit(invoice: InvoiceRow, before: CreditedSums, refunded: bigint, amount: bigint) {
  const off = least(remainingOf(invoice), amount);
  const wentBack = least(refunded - settledByRefunds(invoice, before), amount - off);
  return { off, toCredit: amount - off - wentBack };
}

async function book(
  tx: Tx,
  deps: InvoiceDeps,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  off: bigint,
): Promise<InvoiceRow> {
  const { created_at: now, amount_to_credit: toCredit } = note;
  await insertTransaction(tx, invoice, {
    ...{ type: 'credit_note', amount: off, overpaid: toCredit, creditNoteId: note.id, reference: note.number },
    ...{ paidAt: now, now },
  });
  await addCredit(tx, invoice, toCredit);
  const credited = { amount_credited: invoice.amount_credited + off };
  const after = await settle(tx, deps, invoice, { paid: credited, events: [], now });
  await recordEvents(tx, [
    {
      ...{ merchantId: note.merchant_id, livemode: note.livemode, type: 'credit_note.created', resourceId: note.id },
      ...{ sequence: 1, object: creditNoteToWire(deps, note), previous: null, now },
    },
  ]);
  return after;
}

type Tax = Omit<InvoiceLine['taxes'][number], 'amount'>;

/** What a credit note takes off lines that bear the same taxes. */
interface CreditedLines extends CreditPart {
  readonly rates: readonly Tax[];
  readonly lines: readonly InvoiceLine[];
}

/** What a credit note takes off each kind of line, after those before it (their amounts, in their order). */
export function creditedLines(
  { lines }: Pick<InvoiceRow, 'lines'>,
  earlier: readonly bigint[],
  amount: bigint,
): CreditedLines[] {
  const kinds = [...Map.groupBy(lines, line => JSON.stringify(line.taxes.map(keyOf))).values()];
  const wholes = kinds.map(alike => ({
    net: sumOf(alike.map(line => BigInt(line.total - line.tax_total))),
    taxes: (alike[0]?.taxes ?? []).map((_, position) =>
      sumOf(alike.map(line => BigInt(line.taxes[position]?.amount ?? 0))),
    ),
  }));
  const parts = creditParts(wholes, earlier, amount);
  return kinds.flatMap((alike, index) => {
    const part = parts[index];
    const rates = (alike[0]?.taxes ?? []).map(({ amount: _amount, ...rate }) => rate);
    return part === undefined ? [] : [{ ...part, rates, lines: alike }];
  });
}

/** The rates of tax of the invoice, with what a credit note takes back of each. */
function creditedTaxes({ taxes }: Pick<InvoiceRow, 'taxes'>, credited: readonly CreditedLines[]): InvoiceTaxTotal[] {
  return taxes.map(rate => {
    let [base, amount] = [0n, 0n];
    for (const { net, taxes: parts, rates } of credited) {
      const position = rates.findIndex(each => keyOf(each) === keyOf(rate));
      if (position < 0) continue;
      amount += parts[position] ?? 0n;
      base += rate.compound ? net + sumOf(parts.slice(0, position)) : net;
    }
    return { ...rate, base: Number(base), amount: Number(amount) };
  });
}

function keyOf({ name, percent, inclusive, compound }: Tax): string {
  return JSON.stringify([name, percent, inclusive, compound]);
}
