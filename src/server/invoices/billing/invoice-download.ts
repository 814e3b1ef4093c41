import type { Selectable } from 'kysely';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { type DrawingWish, drawInvoice, drawReceipt, type ReceivedPayment } from '../../documents/documents.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { dayIn } from '../invoice.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { earlierAmounts } from '../money/credit-note.store.ts';
import { lastReceived } from '../money/invoice-transaction.store.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';
import { creditNoteDocument, invoiceDocument } from './invoice-document.service.ts';
import { creditNotesOf } from './invoice-list.store.ts';

/** The merchant of the document, and the time on the merchant's clock. */
export interface PaperMoment {
  readonly merchant: Merchant;
  readonly now: Date;
}

type Context = Pick<InvoiceDeps, 'secrets' | 'publicUrl' | 'db'>;

/** The invoice as PDF. */
export async function invoicePdf(
  context: Context,
  row: InvoiceRow,
  { merchant, now }: PaperMoment,
  signal: AbortSignal,
): Promise<Buffer> {
  return await drawInvoice(invoiceDocument(context, row, merchant, now), { signal });
}

/** The credit note as PDF. */
export async function creditNotePdf(
  context: Context,
  note: CreditNoteRow,
  invoice: InvoiceRow,
  { merchant, now }: PaperMoment,
  signal: AbortSignal,
): Promise<Buffer> {
  const earlier = await earlierAmounts(context.db, invoice, note.number);
  const whole = invoiceDocument(context, invoice, merchant, now);
  return await drawInvoice(creditNoteDocument(whole, note, invoice, earlier), { signal });
}

/** Money that came for an invoice, as a receipt says it. */
export function receivedPayment({ seller }: InvoiceRow, money: Selectable<InvoiceTransactionsTable>): ReceivedPayment {
  return {
    number: money.payment_id ?? money.id,
    paidOn: dayIn(seller?.timezone ?? 'UTC', money.paid_at),
    amount: money.amount + money.amount_overpaid,
    kept: money.amount_overpaid,
    method: methodOf(money.method),
    reference: money.reference,
  };
}

function methodOf(method: string | null): ReceivedPayment['method'] {
  return method === 'card' || method === 'bank_transfer' || method === 'crypto' ? method : 'other';
}

/** A credit note upon a hosted invoice, as PDF; null where it is none upon this one. */
export async function hostedCreditNote(
  context: Context,
  { row, document }: { readonly row: InvoiceRow; readonly document: InvoiceDocument },
  id: string,
  wish: DrawingWish,
): Promise<Buffer | null> {
  const notes = await creditNotesOf(context.db, row);
  const at = notes.findIndex(note => note.id === id);
  const note = notes[at];
  if (note === undefined) return null;
  const earlier = notes.slice(0, at).map(({ amount }) => amount);
  return await drawInvoice(creditNoteDocument(document, note, row, earlier), wish);
}

/** The receipt for what was paid last of a hosted invoice, as PDF; null while nothing was. */
export async function hostedReceipt(
  context: Context,
  { row, document }: { readonly row: InvoiceRow; readonly document: InvoiceDocument },
  wish: DrawingWish,
): Promise<Buffer | null> {
  const received = await lastReceived(context.db, row);
  return received && (await drawReceipt({ invoice: document, payment: receivedPayment(row, received) }, wish));
}
