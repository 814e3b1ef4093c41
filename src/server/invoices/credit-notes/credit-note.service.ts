import type { CreateCreditNote } from '../../../api/invoice/invoice-money.ts';
import type { InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { CreditPart } from '../../../core/invoice/invoice-credit.ts';
import { least, sumOf } from '../../../core/money.ts';
import { creditNotePrefix } from '../../merchants/account.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/rows.ts';
import { recordEvents } from '../../platform/events/outbox.ts';
import { nextNumber } from '../billing/document-number.store.ts';
import { type Actor, illegalInvoiceStep, lockInvoice } from '../invoice.store.ts';
import { remainingOf } from '../invoice.ts';
import {
  type CreditNoteRow,
  creditNoteToWire,
  type InvoiceDeps,
  type InvoiceRow,
  type InvoiceViewContext,
} from '../invoice.view.ts';
import { type CreditedSums, creditedSums, earlierNotes, settledByRefunds } from '../money/credit-note.store.ts';
import { type CreditContent, creditedParts, creditedTaxes } from '../money/credited-lines.ts';
import { addCredit } from '../money/customer-credit.store.ts';
import { applySums, sellerDay } from '../money/invoice-money.service.ts';
import { insertTransaction, sumsOf } from '../money/invoice-transaction.store.ts';
import { queueCreditNoteMail } from '../notifications/invoice-notifications.ts';
import { assertPrintableTexts } from '../printable-texts.ts';
import { type CreditBasis, chooseCredit, creditBasis } from './credit-choice.ts';

/** The effects of a new credit note. */
export interface PlannedCredit {
  readonly basis: CreditBasis;
  readonly content: CreditContent;
  /** The part of each line that the note credits. */
  readonly parts: readonly CreditPart[];
  readonly taxes: InvoiceTaxTotal[];
  /** The amount by which the invoice's remaining amount becomes smaller. */
  readonly off: bigint;
  /** The amount that becomes the customer's credit. */
  readonly toCredit: bigint;
}

/** Checks a credit note and computes its effects. Throws the errors of `createCreditNote`. */
export async function planCreditNote(
  db: Executor,
  invoice: InvoiceRow,
  body: CreateCreditNote,
): Promise<PlannedCredit> {
  if (invoice.status === 'draft' || invoice.status === 'void') throw illegalInvoiceStep(invoice.status, 'credited');
  const before = await creditedSums(db, invoice);
  if (before.amount === invoice.total) {
    throw new PayError('illegal_state', 'The whole invoice has already been credited.');
  }
  const basis = creditBasis(invoice, await earlierNotes(db, invoice));
  const content = chooseCredit(basis, body);
  const parts = creditedParts(invoice, basis.earlier, content);
  const { refunded } = await sumsOf(db, invoice);
  return {
    basis,
    content,
    parts,
    // A note over the whole invoice repeats the invoice's taxes, whose bases are already rounded.
    taxes: content.amount === invoice.total ? invoice.taxes : creditedTaxes(invoice, parts),
    ...divideAmount(invoice, before, refunded, content.amount),
  };
}

/**
 * Credits part or all of an invoice with a numbered document. The credit lowers the remaining amount first. The rest
 * was paid, and becomes customer credit unless it was refunded. An unpaid invoice that is fully credited becomes void.
 * Throws `illegal_state`, and `amount_out_of_range` for more than the uncredited amount of the invoice or a line.
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
  assertPrintableTexts(invoice.locale, { memo: body.memo });
  const { content, taxes, off, toCredit } = await planCreditNote(tx, invoice, body);
  const number = await nextNumber(tx, actor, creditNotePrefix);
  const note: CreditNoteRow = {
    merchant_id: merchant.id,
    id: newId('creditNote'),
    invoice_id: invoice.id,
    livemode,
    number,
    currency: invoice.currency,
    ...content,
    amount_to_credit: toCredit,
    taxes,
    tax_total: sumOf(taxes.map(tax => BigInt(tax.amount))),
    reason: body.reason ?? null,
    memo: body.memo ?? null,
    metadata: body.metadata ?? {},
    issue_date: sellerDay(invoice, now),
    created_at: now,
  };
  await insertRows(tx, 'credit_notes', [note]);
  const after = await book(tx, deps, invoice, note, off);
  await queueCreditNoteMail(tx, deps, after, note, { merchant, now });
  return note;
}

/** Divides a note. It first lowers the remaining amount, then covers refunds without a note, then becomes credit. */
function divideAmount(invoice: InvoiceRow, before: CreditedSums, refunded: bigint, amount: bigint) {
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
    type: 'credit_note',
    amount: off,
    overpaid: toCredit,
    note,
    reference: note.number,
    paidAt: now,
    now,
  });
  await addCredit(tx, invoice, toCredit);
  const credited = { amount_credited: invoice.amount_credited + off };
  const after = await applySums(tx, context, invoice, { sums: credited, events: [], now });
  await recordEvents(tx, [
    {
      merchantId: note.merchant_id,
      livemode: note.livemode,
      type: 'credit_note.created',
      resourceId: note.id,
      sequence: 1,
      object: creditNoteToWire(context, note),
      previous: null,
      now,
    },
  ]);
  return after;
}
