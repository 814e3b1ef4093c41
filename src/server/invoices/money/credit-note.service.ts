import type { CreateCreditNote } from '../../../api/invoice/invoice-money.ts';
import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { type CreditPart, creditParts } from '../../../core/invoice/invoice-credit.ts';
import { least, sumOf } from '../../../core/money.ts';
import { creditNotePrefix } from '../../merchants/account.ts';
import type { Tx } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/rows.ts';
import { recordEvents } from '../../platform/events/outbox.ts';
import { type Actor, illegalInvoiceStep, lockInvoice, nextNumber } from '../invoice.store.ts';
import { remainingOf } from '../invoice.ts';
import {
  type CreditNoteRow,
  creditNoteToWire,
  type InvoiceDeps,
  type InvoiceRow,
  type InvoiceViewContext,
} from '../invoice.view.ts';
import { queueCreditNoteMail } from '../notifications/invoice-notifications.ts';
import { type CreditedSums, creditedSums, earlierAmounts, settledByRefunds } from './credit-note.store.ts';
import { addCredit } from './customer-credit.store.ts';
import { applySums, sellerDay } from './invoice-money.service.ts';
import { insertTransaction, sumsOf } from './invoice-transaction.store.ts';

/**
 * Credits part or all of an invoice with a numbered document. The credit lowers the remaining amount first. The rest,
 * which was paid, becomes customer credit unless it was refunded. An unpaid invoice that is fully credited becomes
 * void. Throws `illegal_state`, and `amount_out_of_range` for more than the uncredited amount.
 */
export async function createCreditNote(
  tx: Tx,
  deps: InvoiceDeps,
  actor: Actor,
  invoiceId: string,
  body: CreateCreditNote,
): Promise<CreditNoteRow> {
  const { merchant, livemode, now } = actor;
  const invoice = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (invoice.status === 'draft' || invoice.status === 'void') throw illegalInvoiceStep(invoice.status, 'credited');
  const before = await creditedSums(tx, invoice);
  const amount = amountOf(invoice, before, body);
  const { off, toCredit } = divideCredit(invoice, before, (await sumsOf(tx, invoice)).refunded, amount);
  const number = await nextNumber(tx, actor, creditNotePrefix);
  // A note over the whole invoice repeats the invoice's taxes, whose bases are already rounded.
  const isWhole = amount === invoice.total;
  const taxes = isWhole ? invoice.taxes : await creditedTaxes(tx, invoice, amount);
  const note: CreditNoteRow = {
    ...{ merchant_id: merchant.id, id: newId('creditNote'), invoice_id: invoice.id, livemode, number },
    ...{ currency: invoice.currency, amount, amount_to_credit: toCredit, taxes },
    tax_total: sumOf(taxes.map(tax => BigInt(tax.amount))),
    ...{ reason: body.reason ?? null, memo: body.memo ?? null, metadata: body.metadata ?? {} },
    ...{ issue_date: sellerDay(invoice, now), created_at: now },
  };
  await insertRows(tx, 'credit_notes', [note]);
  const after = await book(tx, deps, invoice, note, off);
  await queueCreditNoteMail(tx, deps, after, note, { merchant, now });
  return note;
}

function amountOf(invoice: InvoiceRow, before: CreditedSums, { amount: asked }: CreateCreditNote): bigint {
  const left = invoice.total - before.amount;
  if (left === 0n) throw new PayError('illegal_state', 'The whole invoice has already been credited.');
  const amount = asked === undefined ? left : BigInt(asked);
  if (amount <= left) return amount;
  const message = `Only ${left} of the invoice is left to credit, which is less than ${amount}.`;
  throw new PayError('amount_out_of_range', message, { param: 'amount' });
}

/** Divides a note: it lowers the remaining amount, then covers refunds without a note, then becomes customer credit. */
function divideCredit(invoice: InvoiceRow, before: CreditedSums, refunded: bigint, amount: bigint) {
  const off = least(remainingOf(invoice), amount);
  const forRefunds = least(refunded - settledByRefunds(invoice, before), amount - off);
  return { off, toCredit: amount - off - forRefunds };
}

async function book(
  tx: Tx,
  context: InvoiceViewContext,
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
  const after = await applySums(tx, context, invoice, { sums: credited, events: [], now });
  await recordEvents(tx, [
    {
      ...{ merchantId: note.merchant_id, livemode: note.livemode, type: 'credit_note.created', resourceId: note.id },
      ...{ sequence: 1, object: creditNoteToWire(context, note), previous: null, now },
    },
  ]);
  return after;
}

type Tax = Omit<InvoiceLine['taxes'][number], 'amount'>;

/** The part of a credit note for all lines with the same taxes. */
interface CreditedLines extends CreditPart {
  readonly rates: readonly Tax[];
  readonly lines: readonly InvoiceLine[];
}

/** Divides a credit note among lines grouped by their taxes. `earlier`: the amounts of earlier notes, in order. */
export function creditedLines(
  { lines }: Pick<InvoiceRow, 'lines'>,
  earlier: readonly bigint[],
  amount: bigint,
): CreditedLines[] {
  const groups = [...Map.groupBy(lines, line => JSON.stringify(line.taxes.map(keyOf))).values()];
  const wholes = groups.map(alike => ({
    net: sumOf(alike.map(line => BigInt(line.total - line.tax_total))),
    taxes: (alike[0]?.taxes ?? []).map((_, position) =>
      sumOf(alike.map(line => BigInt(line.taxes[position]?.amount ?? 0))),
    ),
  }));
  const parts = creditParts(wholes, earlier, amount);
  return groups.flatMap((alike, index) => {
    const part = parts[index];
    const rates = (alike[0]?.taxes ?? []).map(({ amount: _amount, ...rate }) => rate);
    return part === undefined ? [] : [{ ...part, rates, lines: alike }];
  });
}

/** The invoice's tax rates, each with the base and tax that the credit note subtracts. */
async function creditedTaxes(tx: Tx, invoice: InvoiceRow, amount: bigint): Promise<InvoiceTaxTotal[]> {
  const credited = creditedLines(invoice, await earlierAmounts(tx, invoice), amount);
  return invoice.taxes.map(rate => {
    let [base, tax] = [0n, 0n];
    for (const { net, taxes: parts, rates } of credited) {
      const position = rates.findIndex(each => keyOf(each) === keyOf(rate));
      if (position < 0) continue;
      tax += parts[position] ?? 0n;
      base += rate.compound ? net + sumOf(parts.slice(0, position)) : net;
    }
    return { ...rate, base: Number(base), amount: Number(tax) };
  });
}

function keyOf({ name, percent, inclusive, compound }: Tax): string {
  return JSON.stringify([name, percent, inclusive, compound]);
}
