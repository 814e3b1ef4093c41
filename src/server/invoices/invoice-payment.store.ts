import { sql } from 'kysely';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { InvoiceRow } from './invoice.view.ts';

type Invoice = Pick<InvoiceRow, 'merchant_id' | 'id' | 'livemode'>;

/** Payments of the invoice that are still open, oldest first. */
export async function openPayments(db: Executor, invoice: Invoice): Promise<PaymentRow[]> {
  return await paymentsOf(db, invoice).where('status', '=', 'pending').orderBy('created_at').execute();
}

/** How many payments of the invoice the person was given for the amount (minor units), whatever became of them. */
export async function countPaymentsLike(
  db: Executor,
  invoice: Invoice,
  { email, amount }: { readonly email: string; readonly amount: bigint },
): Promise<number> {
  const { count } = await db
    .selectFrom('payments')
    .select(query => query.fn.countAll<bigint>().as('count'))
    .where('merchant_id', '=', invoice.merchant_id)
    .where('invoice', '=', invoice.id)
    .where('customer_email', '=', email)
    .where('amount', '=', amount)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function paymentsOf(db: Executor, { merchant_id: merchantId, id }: Invoice) {
  return db.selectFrom('payments').selectAll().where('merchant_id', '=', merchantId).where('invoice', '=', id);
}

/** A page of the payments that were started for an invoice. */
export async function listInvoicePayments(db: Db, invoice: Invoice, request: PageRequest): Promise<Page<PaymentRow>> {
  const { merchant_id: merchantId, livemode, id } = invoice;
  return await readPage(db, { table: 'payments', merchantId, livemode, only: { invoice: id } }, request);
}

/** How much more than came was counted of the invoice's other payments, since it lay within the tolerance. Minor units. */
export async function forgivenBefore(tx: Tx, { merchant_id, id, invoice }: PaymentRow): Promise<bigint> {
  const { forgiven } = await tx
    .selectFrom('payments')
    .select(
      sql<bigint>`coalesce(sum((
        select coalesce(sum(amount + amount_overpaid), 0) from invoice_transactions
        where merchant_id = payments.merchant_id and payment_id = payments.id and type in ('payment', 'refund')
      ) - (amount_received - amount_suspense - amount_refunded - amount_refunding)), 0)::bigint`.as('forgiven'),
    )
    .where('merchant_id', '=', merchant_id)
    .where('invoice', '=', invoice)
    .where('completed_at', 'is not', null)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  return forgiven;
}
