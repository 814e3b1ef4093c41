import { type Selectable, sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { InvoiceKey } from '../invoice.store.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { InvoiceTransactionsTable } from '../tables.ts';

/** Something that changes what is owed, about to be written. Minor units. */
export interface NewTransaction {
  readonly type: InvoiceTransactionsTable['type'];
  readonly amount: bigint;
  readonly overpaid: bigint;
  readonly paymentId?: string;
  readonly creditNoteId?: string;
  readonly method?: string | null;
  readonly reference?: string | null;
  /** When to find out what the crypto was worth that paid it; left out when there is nothing to find out. */
  readonly exchangeDueAt?: Date;
  readonly paidAt: Date;
  readonly now: Date;
}

/** Writes what changed what is owed on an invoice, and returns its id. */
export async function insertTransaction(tx: Tx, invoice: InvoiceRow, entry: NewTransaction): Promise<string> {
  const id = newId('invoiceTransaction');
  await tx
    .insertInto('invoice_transactions')
    .values({
      merchant_id: invoice.merchant_id,
      id,
      invoice_id: invoice.id,
      livemode: invoice.livemode,
      type: entry.type,
      amount: entry.amount,
      amount_overpaid: entry.overpaid,
      currency: invoice.currency,
      payment_id: entry.paymentId ?? null,
      credit_note_id: entry.creditNoteId ?? null,
      method: entry.method ?? null,
      reference: entry.reference ?? null,
      exchange_due_at: entry.exchangeDueAt ?? null,
      exchange_difference: null,
      paid_at: entry.paidAt,
      created_at: entry.now,
    })
    .execute();
  return id;
}

/** Amounts booked for a payment so far: received and refunded. */
export interface CountedPayment {
  readonly counted: bigint;
  /** The part of the received amount that paid the invoice and did not become credit. */
  readonly applied: bigint;
  readonly refunded: bigint;
  /** The part of the refunded amount that was taken out of credit. */
  readonly fromCredit: bigint;
}

/** Sums what was written for a payment. */
export async function countedOf(tx: Tx, merchantId: string, paymentId: string): Promise<CountedPayment> {
  return await tx
    .selectFrom('invoice_transactions')
    .select([
      sql<bigint>`coalesce(sum(amount + amount_overpaid) filter (where type = 'payment'), 0)`.as('counted'),
      sql<bigint>`coalesce(sum(amount) filter (where type = 'payment'), 0)`.as('applied'),
      sql<bigint>`coalesce(-sum(amount + amount_overpaid) filter (where type = 'refund'), 0)`.as('refunded'),
      sql<bigint>`coalesce(-sum(amount_overpaid) filter (where type = 'refund'), 0)`.as('fromCredit'),
    ])
    .where('merchant_id', '=', merchantId)
    .where('payment_id', '=', paymentId)
    .executeTakeFirstOrThrow();
}

/** The sum counted of the invoice's payments except one, refunds taken off. Minor units. */
export async function countedOfOthers(
  tx: Tx,
  { merchantId, invoiceId }: InvoiceKey,
  paymentId: string,
): Promise<bigint> {
  const { counted } = await tx
    .selectFrom('invoice_transactions')
    .select(sql<bigint>`coalesce(sum(amount + amount_overpaid), 0)::int8`.as('counted'))
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', invoiceId)
    .where('payment_id', '<>', paymentId)
    .where('type', 'in', ['payment', 'refund'])
    .executeTakeFirstOrThrow();
  return counted;
}

/** Sums of an invoice's transactions, apart from the amount owed. */
export interface SideSums {
  /** Credit it made, less what refunds took out of it. */
  readonly credit: bigint;
  /** Of the credit it made, what credit notes gave, and what refunds took out of it all. */
  readonly noted: bigint;
  readonly taken: bigint;
  /** The refunded amount that was not taken out of that credit. */
  readonly refunded: bigint;
}

/** Sums credit and refunds of an invoice. */
export async function sideSums(tx: Tx, { merchant_id, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>): Promise<SideSums> {
  return await tx
    .selectFrom('invoice_transactions')
    .select([
      sql<bigint>`coalesce(sum(amount_overpaid), 0)`.as('credit'),
      sql<bigint>`coalesce(sum(amount_overpaid) filter (where type = 'credit_note'), 0)`.as('noted'),
      sql<bigint>`coalesce(-sum(amount_overpaid) filter (where type = 'refund'), 0)`.as('taken'),
      sql<bigint>`coalesce(-sum(amount) filter (where type = 'refund'), 0)`.as('refunded'),
    ])
    .where('merchant_id', '=', merchant_id)
    .where('invoice_id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Money that came last for an invoice: what its receipt shows. */
export async function lastReceived(
  db: Executor,
  { merchant_id: merchantId, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>,
): Promise<Selectable<InvoiceTransactionsTable> | null> {
  const row = await db
    .selectFrom('invoice_transactions')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', id)
    .where('type', 'in', ['payment', 'recorded_payment', 'credit_applied'])
    .orderBy('paid_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
