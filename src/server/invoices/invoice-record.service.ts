import type { RecordPayment } from '../../api/invoice/invoice-money.ts';
import { PayError } from '../../core/error.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { illegalInvoiceStep, lockInvoice } from './invoice.store.ts';
import { isPayable, remainingOf } from './invoice.ts';
import type { InvoiceRow } from './invoice.view.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { applyMoney } from './invoice-money.service.ts';

/**
 * Takes note of money that came elsewhere, cash or to the merchant's own bank account. Without an amount: all that is left;
 * more than is left becomes the customer's credit. Throws `illegal_state` when nothing is to be paid.
 */
export async function recordPayment(
  tx: Tx,
  deps: InvoiceDeps,
  { merchant, livemode, now }: Caller,
  invoiceId: string,
  body: RecordPayment,
): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  if (!isPayable(row.status) && row.status !== 'uncollectible') throw illegalInvoiceStep(row.status, 'paid');
  const paidAt = body.paid_at === undefined ? now : new Date(body.paid_at);
  if (Number.isNaN(paidAt.getTime()) || paidAt > now) {
    throw new PayError('parameter_invalid', 'paid_at takes a time that is not ahead.', { param: 'paid_at' });
  }
  const amount = body.amount === undefined ? remainingOf(row) : BigInt(body.amount);
  return await applyMoney(tx, deps, row, {
    ...{ type: 'recorded_payment', amount, method: body.method ?? 'other', reference: body.reference ?? null },
    ...{ paidAt, now, thanks: merchant },
  });
}
