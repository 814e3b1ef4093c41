import { sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import type { Rate } from '../../../core/rate.ts';
import { postingWrites } from '../../ledger/ledger.store.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork } from '../../platform/db/lease.ts';
import { findRow, insertOf, writeTogether } from '../../platform/db/rows.ts';
import type { InvoiceKey } from '../invoice.store.ts';
import type { InvoiceRow, TransactionRow } from '../invoice.view.ts';
import { moneyPosting, type PostedNote } from './invoice-posting.ts';

/** A new transaction: money or credit that is booked on an invoice. Amounts are in minor units. */
export interface NewTransaction {
  readonly type: TransactionRow['type'];
  readonly amount: bigint;
  readonly overpaid: bigint;
  readonly paymentId?: string;
  /** The note of a transaction of the type `credit_note`. */
  readonly note?: PostedNote;
  readonly method?: string | null;
  readonly reference?: string | null;
  /** When to compute the exchange difference of a crypto payment. Absent for other money. */
  readonly exchangeDueAt?: Date;
  readonly paidAt: Date;
  readonly now: Date;
}

/** Inserts a transaction with its postings. `invoice`: the locked invoice as it was before the transaction. */
export async function insertTransaction(tx: Tx, invoice: InvoiceRow, entry: NewTransaction): Promise<TransactionRow> {
  const row: TransactionRow = {
    merchant_id: invoice.merchant_id,
    id: newId('invoiceTransaction'),
    invoice_id: invoice.id,
    livemode: invoice.livemode,
    type: entry.type,
    amount: entry.amount,
    amount_overpaid: entry.overpaid,
    currency: invoice.currency,
    payment_id: entry.paymentId ?? null,
    credit_note_id: entry.note?.id ?? null,
    method: entry.method ?? null,
    reference: entry.reference ?? null,
    exchange_due_at: entry.exchangeDueAt ?? null,
    exchange_difference: null,
    paid_at: entry.paidAt,
    created_at: entry.now,
  };
  const postings = await postingWrites(tx, [moneyPosting(invoice, row, entry.note ?? null)]);
  await writeTogether(tx, [await insertOf(tx, 'invoice_transactions', [row]), ...postings]);
  return row;
}

/** Amounts booked so far for a payment. */
export interface CountedPayment {
  readonly counted: bigint;
  /** The received amount that paid the invoice, without the part that became credit. */
  readonly applied: bigint;
  readonly refunded: bigint;
  /** The amount that disputes took off the invoice, minus the amount that came back. */
  readonly disputed: bigint;
  /** The part of the refunded amount that came from credit. */
  readonly fromCredit: bigint;
}

export async function countedOf(tx: Tx, merchantId: string, paymentId: string): Promise<CountedPayment> {
  return await tx
    .selectFrom('invoice_transactions')
    .select([
      sql<bigint>`coalesce(sum(amount + amount_overpaid) filter (where type = 'payment'), 0)`.as('counted'),
      sql<bigint>`coalesce(sum(amount) filter (where type = 'payment'), 0)`.as('applied'),
      sql<bigint>`coalesce(-sum(amount + amount_overpaid) filter (where type = 'refund'), 0)`.as('refunded'),
      sql<bigint>`coalesce(-sum(amount_overpaid) filter (where type = 'refund'), 0)`.as('fromCredit'),
      sql<bigint>`coalesce(-sum(amount + amount_overpaid) filter (where type = 'dispute'), 0)`.as('disputed'),
    ])
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .executeTakeFirstOrThrow();
}

/** The amount booked for the invoice's other payments, minus refunds, in minor units. */
export async function countedOfOthers(
  tx: Tx,
  { merchantId, invoiceId }: InvoiceKey,
  paymentId: string,
): Promise<bigint> {
  const { counted } = await tx
    .selectFrom('invoice_transactions')
    .select(sql<bigint>`coalesce(sum(amount + amount_overpaid), 0)::int8`.as('counted'))
    .where(eb => eb.and({ merchant_id: merchantId, invoice_id: invoiceId }))
    .where('payment_id', '<>', paymentId)
    .where('type', 'in', ['payment', 'refund'])
    .executeTakeFirstOrThrow();
  return counted;
}

/** Sums of an invoice's transactions, in minor units. */
export interface InvoiceSums {
  /** All received money and used credit, including the excess, minus disputed money. */
  readonly received: bigint;
  /** Customer credit that was used to pay the invoice. */
  readonly used: bigint;
  /** Credit that the invoice created, minus the credit that refunds and disputes took. */
  readonly credit: bigint;
  /** Credit that credit notes created. */
  readonly noted: bigint;
  /** Credit that refunds took. */
  readonly taken: bigint;
  /** The refunded amount that did not come from credit. */
  readonly refunded: bigint;
}

export async function sumsOf(db: Executor, { merchant_id, id }: InvoiceRow): Promise<InvoiceSums> {
  const isMoney = sql`type in ('payment', 'recorded_payment', 'credit_applied', 'dispute')`;
  return await db
    .selectFrom('invoice_transactions')
    .select([
      sql<bigint>`coalesce(sum(amount + amount_overpaid) filter (where ${isMoney}), 0)`.as('received'),
      sql<bigint>`coalesce(sum(amount) filter (where type = 'credit_applied'), 0)`.as('used'),
      sql<bigint>`coalesce(sum(amount_overpaid), 0)`.as('credit'),
      sql<bigint>`coalesce(sum(amount_overpaid) filter (where type = 'credit_note'), 0)`.as('noted'),
      sql<bigint>`coalesce(-sum(amount_overpaid) filter (where type = 'refund'), 0)`.as('taken'),
      sql<bigint>`coalesce(-sum(amount) filter (where type = 'refund'), 0)`.as('refunded'),
    ])
    .where(eb => eb.and({ merchant_id, invoice_id: id }))
    .executeTakeFirstOrThrow();
}

/** The transaction, or null if the merchant has no transaction with this id. */
export async function findTransaction(db: Executor, merchantId: string, id: string): Promise<TransactionRow | null> {
  return await findRow(db, 'invoice_transactions', { merchant_id: merchantId, id });
}

/** The last payment of an invoice, for its receipt. Null if nothing was paid. */
export async function lastReceived(db: Executor, invoice: InvoiceRow): Promise<TransactionRow | null> {
  const row = await db
    .selectFrom('invoice_transactions')
    .selectAll()
    .where(eb => eb.and({ merchant_id: invoice.merchant_id, invoice_id: invoice.id }))
    .where('type', 'in', ['payment', 'recorded_payment', 'credit_applied'])
    .orderBy('paid_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export const unvaluedMoney: DueWork = {
  table: 'invoice_transactions',
  key: ['merchant_id', 'id'],
  dueAt: 'exchange_due_at',
  clock: 'merchant',
  where: sql`t.exchange_due_at is not null`,
};

/** A crypto payment without an exchange difference, and the current time on its merchant's clock. */
export type UnvaluedMoney = TransactionRow & { readonly clock: Date };

/** Claims crypto payments whose exchange difference is due. A failed attempt is repeated after a minute. */
export async function claimUnvalued(db: Db, now: Date, limit: number): Promise<readonly UnvaluedMoney[]> {
  return await claimDue<TransactionRow>(db, unvaluedMoney, { now, limit, leaseSeconds: 60 });
}

/** Writes the exchange difference, in minor units. Returns false if another worker has written it. */
export async function writeDifference(
  tx: Tx,
  { merchant_id, id }: UnvaluedMoney,
  difference: bigint,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invoice_transactions')
    .set({ exchange_difference: difference, exchange_due_at: null })
    .where(eb => eb.and({ merchant_id, id }))
    .where('exchange_difference', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A rate from the received asset to the invoice's currency, and the time of the rate. */
export interface DatedRate {
  readonly rate: Rate;
  readonly at: Date;
}

/** The stored rates of transfers, by transfer id. */
export async function findStoredRates(
  db: Executor,
  merchantId: string,
  transferIds: readonly string[],
): Promise<ReadonlyMap<string, Rate>> {
  if (transferIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('transfer_rates')
    .select(['transfer_id as id', 'rate_numerator as numerator', 'rate_denominator as denominator'])
    .where('merchant_id', '=', merchantId)
    .where('transfer_id', 'in', transferIds)
    .execute();
  return new Map(rows.map(({ id, ...rate }) => [id, rate]));
}

/** Stores the rates of newly booked transfers. Does not change a stored rate. */
export async function storeRates(
  tx: Tx,
  { merchantId, currency }: { readonly merchantId: string; readonly currency: string },
  rates: readonly (DatedRate & { readonly transferId: string })[],
): Promise<void> {
  if (rates.length === 0) return;
  await tx
    .insertInto('transfer_rates')
    .values(
      rates.map(({ transferId, rate, at }) => ({
        merchant_id: merchantId,
        transfer_id: transferId,
        currency,
        as_of: at,
        rate_numerator: rate.numerator,
        rate_denominator: rate.denominator,
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}
