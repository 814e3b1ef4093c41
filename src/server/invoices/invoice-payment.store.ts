import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../db/database.ts';
import { type Page, type PageRequest, readPage } from '../db/page.ts';
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

/** Money that came on a chain for a payment. */
export interface ChainMoney {
  /** As the rates know it. */
  readonly asset: string;
  /** In the asset's smallest units. */
  readonly amount: bigint;
  /** What it stands for of the payment, and of that what counts towards it; in minor units of the payment. */
  readonly value: bigint;
  readonly applied: bigint;
  /** Whether it came to the service, and not straight to the merchant. */
  readonly custodial: boolean;
}

/** What came on chains for a payment and was counted. */
export async function chainMoney(
  db: Executor,
  { merchantId, paymentId }: { readonly merchantId: string; readonly paymentId: string },
): Promise<readonly ChainMoney[]> {
  const rows = await db
    .selectFrom('transfers')
    .select(['currency as asset', 'amount', 'amount_applied as applied', 'amount_excess as excess', 'custodial'])
    .where('merchant_id', '=', merchantId)
    .where('payment_id', '=', paymentId)
    .where('chain', 'is not', null)
    .where('problem', 'is', null)
    .where('status', '=', 'matched')
    .execute();
  return rows.map(({ excess, ...money }) => ({ ...money, value: money.applied + excess }));
}
