import { sql } from 'kysely';
import type { PaymentStatus } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type DueWork, findDue } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentOwner } from './payment-purpose.ts';

/** Identifies a payment. */
export interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The payment, or null when the merchant has none of this id. */
export async function findPayment(db: Executor, key: PaymentKey): Promise<PaymentRow | null> {
  return (await selectPayment(db, key).executeTakeFirst()) ?? null;
}

/** The mode of a payment; null when the merchant has none of this id. */
export async function findPaymentMode(db: Executor, key: PaymentKey): Promise<{ readonly livemode: boolean } | null> {
  const row = await db
    .selectFrom('payments')
    .select('livemode')
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.paymentId)
    .executeTakeFirst();
  return row ?? null;
}

/** The payment, locked until the transaction ends. Throws `resource_missing`. */
export async function lockPayment(tx: Tx, key: PaymentKey): Promise<PaymentRow> {
  const row = await selectPayment(tx, key).forUpdate().executeTakeFirst();
  if (!row) throw paymentMissing(key.paymentId);
  return row;
}

function selectPayment(db: Executor, key: PaymentKey) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.paymentId);
}

/** The error for an unknown id. Ids of other merchants look unknown, too. */
export function paymentMissing(paymentId: string): PayError {
  return new PayError(
    'resource_missing',
    `No payment ${paymentId.slice(0, 64)} exists. Check the id and the mode of the key.`,
    { param: 'id' },
  );
}

/** A payment whose session is over, and its mode. */
export type DuePayment = PaymentKey & { readonly livemode: boolean };

const openPayments: DueWork = {
  ...{ table: 'payments', key: ['merchant_id', 'id'], dueAt: 'session_expires_at', clock: 'merchant' },
  where: sql`t.status = 'pending' and t.phase not in ('processing', 'confirming')`,
};

/** Finds payments that may expire and whose session is over on their merchant's clock. */
export async function findExpired(db: Db, now: Date, limit: number): Promise<readonly DuePayment[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "paymentId", t.livemode`;
  return await findDue(db, openPayments, { now, limit }, columns);
}

/** The merchant and mode of a list. */
export interface ListScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Filters of the list of payments (wire contract §1). */
export interface PaymentFilters {
  readonly status?: PaymentStatus;
  readonly reference?: string;
  readonly customerId?: string;
  readonly owner?: PaymentOwner;
}

/** A page of the merchant's payments. */
export async function listPayments(
  db: Db,
  scope: ListScope,
  filters: PaymentFilters,
  request: PageRequest,
): Promise<Page<PaymentRow>> {
  const { status, reference, customerId, owner } = filters;
  const list = { table: 'payments' as const, ...scope, only: { owner_type: owner?.type, owner_id: owner?.id } };
  return await readPage(db, list, request, { equal: { status, reference, customer_id: customerId } });
}
