import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Payment } from '../../../api/payment.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import type { InvoiceHistory } from '../../../core/invoice/invoice-history.ts';
import { drawInvoice } from '../../documents/documents.ts';
import { createPaymentWriter } from '../../payments/checkout/payment-create.store.ts';
import { type PaymentRow, payerView, paymentToWire } from '../../payments/payment.view.ts';
import { countPaymentsLike, findOpenPayments } from '../../payments/payment-owner.store.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { IdempotencyScope } from '../../platform/http/idempotency/idempotency.store.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { invoiceDocument } from '../billing/invoice-document.service.ts';
import { hostedCreditNote, hostedReceipt, receivedPayment } from '../billing/invoice-download.ts';
import { creditNotesOf, insertView, sumsOf } from '../billing/invoice-list.store.ts';
import { changeInvoice, findInvoice, invoiceMissing, lockInvoice } from '../invoice.store.ts';
import { invoiceOwner, isPayable } from '../invoice.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { lastReceived } from '../money/invoice-transaction.store.ts';
import { assertPartAllowed, draftInvoicePayment } from './invoice-pay.service.ts';

/** A numbered invoice as a visitor with its address may see it. */
export interface HostedInvoice {
  readonly row: InvoiceRow;
  readonly document: InvoiceDocument;
  readonly merchant: Merchant;
  /** The merchant's clock. */
  readonly now: Date;
  /** Whether the customer may choose to pay any part. */
  readonly allowPartial: boolean;
  readonly isPayable: boolean;
  /** Reads what has changed what is owed, which only the page tells. */
  readonly readHistory: () => Promise<InvoiceHistory>;
}

/** The invoice that the token of its address opens; null for none, and for a draft. The token is compared in constant time. */
async function findHostedInvoice(deps: InvoiceDeps, token: string): Promise<HostedInvoice | null> {
  const key = deps.secrets.openInvoiceToken(token);
  const row = key && (await findInvoice(deps.db, key));
  if (row === null || row.status === 'draft') return null;
  const merchant = await deps.findMerchant(row.merchant_id);
  const now = merchantNow(merchant, row.livemode, deps.clock.now());
  return {
    ...{ row, merchant, now, allowPartial: row.allow_partial, isPayable: isPayable(row.status) },
    document: invoiceDocument(deps, row, merchant, now),
    readHistory: () => historyOf(deps, row),
  };
}

async function historyOf({ db }: InvoiceDeps, row: InvoiceRow): Promise<InvoiceHistory> {
  const [{ received, kept, used }, creditNotes, last] = await Promise.all([
    sumsOf(db, row),
    creditNotesOf(db, row),
    lastReceived(db, row),
  ]);
  const isMoney = last !== null && last.type !== 'credit_applied';
  return {
    received,
    creditKept: kept,
    creditUsed: used,
    creditNotes,
    lastReceived: isMoney ? receivedPayment(row, last) : null,
  };
}

/**
 * Notes that a person has the invoice before them: once a person, whom `visitor` tells from others. The first one makes a
 * sent invoice viewed. Nothing for a token that opens nothing.
 */
async function recordView(deps: InvoiceDeps, token: string, visitor: string): Promise<void> {
  const key = deps.secrets.openInvoiceToken(token);
  const hosted = key && (await findHostedInvoice(deps, token));
  if (key === null || hosted === null) return;
  const { now } = hosted;
  await deps.db.transaction().execute(async tx => {
    const row = await lockInvoice(tx, key);
    if (!(await insertView(tx, row, deps.secrets.visitorHash(row.id, visitor), now))) return;
    const isFirst = row.viewed_at === null;
    await changeInvoice(tx, deps, row, {
      ...(row.status === 'sent' && { to: 'viewed' }),
      set: { views: row.views + 1, ...(isFirst && { viewed_at: now }) },
      events: isFirst && row.status !== 'sent' ? ['invoice.viewed'] : [],
      now,
    });
  });
}

/**
 * Begins a payment of a part or all (minor units) for a visitor with the address. An unbegun payment of the same amount
 * is reused, also for concurrent presses. `email` is the payer's, where the invoice has none of its customer. Throws
 * `resource_missing`, `amount_not_allowed` where the merchant takes no such part, and what `draftInvoicePayment`
 * throws.
 */
function createHostedPayments(deps: InvoiceDeps) {
  const writer = createPaymentWriter(deps.db);
  const start = async (token: string, amount: bigint, email?: string): Promise<StartedPayment> => {
    const hosted = await findHostedInvoice(deps, token);
    if (hosted === null) throw invoiceMissing('');
    const { row, now } = hosted;
    if (isPayable(row.status)) assertPartAllowed(row, amount);
    const payer = row.customer.email ?? email;
    // Counted before the open payments are read, so that a concurrent creation changes the count or is found.
    const owner = { ...invoiceOwner(row.id), merchantId: row.merchant_id };
    const before = await countPaymentsLike(deps.db, owner, { email: payer ?? '', amount });
    const isTheirs = (payment: PaymentRow) => payment.customer_email === payer && payment.amount === amount;
    const untouched = (await findOpenPayments(deps.db, owner)).filter(payment => isUntouched(payment, now));
    const open = untouched.find(isTheirs);
    if (open !== undefined) return started(deps, open);
    const draft = await draftInvoicePayment(deps, callerOf(hosted), row, {
      amount: Number(amount),
      ...(row.customer.email === null && email !== undefined && { customer: { email } }),
    });
    const scope = pressScope(row, [payer, amount, before]);
    const answer = { status: 201, location: null, text: '' };
    const written = await writer.write({ ...draft.written, remembered: { scope, answer } });
    // A concurrent press was first, so its payment is reused.
    if (written === 'key_taken') return await start(token, amount, email);
    if (written === 'made_and_awaited') deps.wake(dispatchSweep);
    deps.live.announce({ merchantId: row.merchant_id, resourceId: draft.id });
    return started(deps, draft.written.row);
  };
  return start;
}

/** Concurrent presses, on any server, write one payment: they share an idempotency key. No request has such a path. */
function pressScope(
  { merchant_id: merchantId, livemode, id }: InvoiceRow,
  press: readonly unknown[],
): IdempotencyScope {
  const fingerprint = createHash('sha256').update(press.map(String).join('\n')).digest();
  return { merchantId, livemode, path: `invoice ${id}`, key: fingerprint.toString('base64url'), fingerprint };
}

function isUntouched({ phase, session_expires_at: end }: PaymentRow, now: Date): boolean {
  return phase === 'awaiting_payer' && end > now;
}

/** A payment that its payer may go on with: the page's checkout is opened by its client secret. */
export type StartedPayment = Payment & { readonly client_secret: string };

function started(deps: InvoiceDeps, payment: PaymentRow): StartedPayment {
  const wire = payerView(paymentToWire(deps, payment));
  return { ...wire, client_secret: deps.secrets.clientSecret(payment.merchant_id, payment.id) };
}

/** The merchant asked for the money when it sent the invoice: its customer starts payments on its behalf. */
function callerOf({ row, merchant, now }: HostedInvoice): Caller {
  return {
    ...{ kind: 'secret', merchant, livemode: row.livemode, now },
    ...{ keyId: null, scopes: [], paymentId: null, origin: null },
  };
}

/** What the page of an invoice is given: everything by the token of its address alone. */
export function createHostedInvoices(deps: InvoiceDeps) {
  const draw = async (token: string, paper: (hosted: HostedInvoice) => Promise<Buffer | null>) => {
    const hosted = await findHostedInvoice(deps, token);
    const bytes = hosted && (await paper(hosted));
    return bytes && Readable.from(bytes, { objectMode: false });
  };
  return {
    isGenuine: (token: string) => deps.secrets.openInvoiceToken(token) !== null,
    findInvoice: (token: string) => findHostedInvoice(deps, token),
    recordView: (token: string, visitor: string) => recordView(deps, token, visitor),
    startPayment: createHostedPayments(deps),
    drawInvoice: (token: string, signal: AbortSignal) =>
      draw(token, ({ document }) => drawInvoice(document, { rank: 'public', signal })),
    drawReceipt: (token: string, signal: AbortSignal) =>
      draw(token, hosted => hostedReceipt(deps, hosted, { rank: 'public', signal })),
    drawCreditNote: (token: string, id: string, signal: AbortSignal) =>
      draw(token, hosted => hostedCreditNote(deps, hosted, id, { rank: 'public', signal })),
  };
}
