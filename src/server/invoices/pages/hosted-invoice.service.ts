import { createHash } from 'node:crypto';
import { PayError } from '../../../core/error.ts';
import type { InvoiceHistory } from '../../../core/invoice/invoice-document.ts';
import { least } from '../../../core/money.ts';
import { createPaymentWriter } from '../../payments/checkout/payment-create.store.ts';
import { countPaymentsLike, findOpenPayments } from '../../payments/payment-owner.store.ts';
import type { PaymentPurpose } from '../../payments/payment-purpose.ts';
import type { PaymentRow } from '../../payments/tables.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import { merchantCaller } from '../../platform/http/access/caller.ts';
import type { IdempotencyScope } from '../../platform/http/idempotency/idempotency.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { receivedPayment } from '../billing/invoice-document.service.ts';
import { changeInvoice, findInvoice, insertView, invoiceMissing, lockInvoice } from '../invoice.store.ts';
import { invoiceOwner, isPayable, remainingOf } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { creditNotesOf } from '../money/credit-note.store.ts';
import { assertPartAllowed, draftInvoicePayment, isAllowedPart } from '../money/invoice-request.service.ts';
import { lastReceived, sumsOf } from '../money/invoice-transaction.store.ts';
import { addresseeOf } from '../notifications/invoice-notifications.ts';

/** A numbered invoice that a visitor opened. */
export interface HostedInvoice {
  readonly row: InvoiceRow;
  readonly merchant: Merchant;
  /** The merchant's clock. */
  readonly now: Date;
}

/** The invoice with this URL token, or null for an unknown token or a draft. Compares tokens in constant time. */
export async function findHostedInvoice(deps: InvoiceDeps, token: string): Promise<HostedInvoice | null> {
  const key = deps.secrets.openObjectToken('invoice', token);
  const row = key && (await findInvoice(deps.db, { merchantId: key.merchantId, invoiceId: key.id }));
  if (row === null || row.status === 'draft') return null;
  const merchant = await deps.findMerchant(row.merchant_id);
  return { row, merchant, now: merchantNow(merchant, row.livemode, deps.clock.now()) };
}

/** The payments and credit notes of the invoice. Only the invoice's page shows them. */
export async function readHistory({ db }: InvoiceDeps, row: InvoiceRow): Promise<InvoiceHistory> {
  const [sums, creditNotes, last] = await Promise.all([sumsOf(db, row), creditNotesOf(db, row), lastReceived(db, row)]);
  const isMoney = last !== null && last.type !== 'credit_applied';
  return {
    received: sums.received,
    creditKept: sums.credit,
    creditUsed: sums.used,
    creditNotes,
    lastReceived: isMoney ? receivedPayment(row, last) : null,
  };
}

/**
 * Records a view of the invoice, once for each `visitor`. The first view changes the status from sent to viewed.
 * Ignores an unknown token.
 */
export async function recordView(deps: InvoiceDeps, token: string, visitor: string): Promise<void> {
  const hosted = await findHostedInvoice(deps, token);
  if (hosted === null) return;
  const { now } = hosted;
  const { merchant_id: merchantId, id: invoiceId } = hosted.row;
  await deps.db.transaction().execute(async tx => {
    const row = await lockInvoice(tx, { merchantId, invoiceId });
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

/** Starts a payment from the invoice's page. The client secret opens the payment's checkout. */
export type StartPayment = (
  token: string,
  amount: bigint,
  email?: string,
) => Promise<{ readonly id: string; readonly client_secret: string }>;

/**
 * Starts payments of an amount in minor units. All requests of a payer with the same amount get the same payment until
 * the payer begins it. This includes concurrent requests. `email` is the payer's address if the invoice has none.
 * Throws `resource_missing`, `amount_not_allowed`, and the errors of `draftInvoicePayment`.
 */
export function createPaymentStarter(deps: InvoiceDeps): StartPayment {
  const writer = createPaymentWriter(deps.db);
  const answer = (merchantId: string, id: string) => ({ id, client_secret: deps.secrets.clientSecret(merchantId, id) });
  return async function start(token, amount, email) {
    const hosted = await findHostedInvoice(deps, token);
    if (hosted === null) throw invoiceMissing('');
    const { row, now } = hosted;
    const { merchant_id: merchantId } = row;
    if (isPayable(row.status)) assertPartAllowed(row, amount);
    const addressee = addresseeOf(row);
    const payer = addressee ?? email;
    // The count comes before the open payments are read. A payment created by a concurrent request is then either among
    // them, or has taken the same key.
    const owner = { ...invoiceOwner(row.id), merchantId };
    const before = await countPaymentsLike(deps.db, owner, { email: payer ?? '', amount });
    const isTheirs = (payment: PaymentRow) => payment.customer_email === payer && payment.amount === amount;
    const open = (await findOpenPayments(deps.db, owner)).find(each => isUnbegun(each, now) && isTheirs(each));
    if (open !== undefined) return answer(merchantId, open.id);
    // The merchant requested the payment by sending the invoice.
    const caller = merchantCaller({ merchant: hosted.merchant, livemode: row.livemode, now });
    const draft = await draftInvoicePayment(deps, caller, row, {
      amount: Number(amount),
      ...(addressee === null && email !== undefined && { customer: { email } }),
    });
    const scope = sharedScope(row, [payer, amount, before]);
    const remembered = { scope, answer: { status: 201, location: null, text: '' } };
    const outcome = await writer.write({ ...draft.rows, remembered });
    // A concurrent request has created the payment, so this request uses that payment.
    if (outcome === 'key_taken') return await start(token, amount, email);
    if (outcome === 'created_with_dispatch') deps.wake(dispatchSweep);
    deps.live.announce({ merchantId, resourceId: draft.id });
    return answer(merchantId, draft.id);
  };
}

/**
 * Starts the payment for a bank credit that names an invoice. The credit then pays the invoice, or a part of it. Starts
 * no payment if the invoice cannot be paid, has another currency or no e-mail address. The credit then stays unmatched.
 */
export function createCreditStarter(deps: InvoiceDeps): NonNullable<PaymentPurpose['startForCredit']> {
  const start = createPaymentStarter(deps);
  return async ({ merchantId, id: invoiceId }, { amount, currency }) => {
    const row = await findInvoice(deps.db, { merchantId, invoiceId });
    if (row === null || !isPayable(row.status) || row.currency !== currency) return;
    const remaining = remainingOf(row);
    const token = deps.secrets.objectToken('invoice', merchantId, invoiceId);
    try {
      await start(token, isAllowedPart(row, amount) ? least(amount, remaining) : remaining);
    } catch (error) {
      if (!(error instanceof PayError)) throw error;
    }
  };
}

/** The idempotency key that concurrent requests on all servers share, so that they create only one payment. */
function sharedScope(
  { merchant_id: merchantId, livemode, id }: InvoiceRow,
  request: readonly unknown[],
): IdempotencyScope {
  const fingerprint = createHash('sha256').update(request.map(String).join('\n')).digest();
  const key = fingerprint.toString('base64url');
  return { merchantId, livemode, path: `invoice ${id}`, key, fingerprint, caller: null };
}

function isUnbegun({ phase, session_expires_at: end }: PaymentRow, now: Date): boolean {
  return phase === 'awaiting_payer' && end > now;
}
