import type { Db, Executor } from '../db/database.ts';
import { type Page, type PageRequest, pageBounds } from '../db/page.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { InvoiceRow } from './invoice.view.ts';

type Invoice = Pick<InvoiceRow, 'merchant_id' | 'id' | 'livemode'>;

/** Payments of the invoice that are still open, oldest first. */
export async function openPayments(db: Executor, invoice: Invoice): Promise<PaymentRow[]> {
  return await paymentsOf(db, invoice).where('status', '=', 'pending').orderBy('created_at').execute();
}

function paymentsOf(db: Executor, { merchant_id: merchantId, id }: Invoice) {
  return db.selectFrom('payments').selectAll().where('merchant_id', '=', merchantId).where('invoice', '=', id);
}

/** A page of the payments that were started for an invoice. */
export async function listInvoicePayments(db: Db, invoice: Invoice, request: PageRequest): Promise<Page<PaymentRow>> {
  const scope = { merchantId: invoice.merchant_id, livemode: invoice.livemode, invoice: invoice.id };
  const bounds = await pageBounds(db, { table: 'payments', ...scope }, request);
  const rows = await paymentsOf(db, invoice)
    .where(bounds.within)
    .orderBy('created_at', bounds.order)
    .orderBy('id', bounds.order)
    .limit(bounds.take)
    .execute();
  return bounds.toPage(rows);
}

/** What came on a chain for a payment: in the asset, and what of the payment it stands for. Minor units. */
export async function chainMoney(
  db: Executor,
  { merchantId, paymentId }: { readonly merchantId: string; readonly paymentId: string },
): Promise<readonly { asset: string; amount: bigint; value: bigint }[]> {
  const rows = await db
    .selectFrom('transfers')
    .select(['currency as asset', 'amount', 'amount_applied', 'amount_excess'])
    .where('merchant_id', '=', merchantId)
    .where('payment_id', '=', paymentId)
    .where('chain', 'is not', null)
    .where('problem', 'is', null)
    .where('status', '=', 'matched')
    .execute();
  return rows.map(({ asset, amount, amount_applied: applied, amount_excess: excess }) => ({
    ...{ asset, amount, value: applied + excess },
  }));
}
