import { sql } from 'kysely';
import type { PaymentStatus } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { lockStellarAddress } from '../merchants/merchant.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork, findDue } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentOwner } from './payment-purpose.ts';

/** Identifies a payment. */
export interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The key of a payment's row. */
export function keyOf({ merchant_id: merchantId, id: paymentId }: Pick<PaymentRow, 'merchant_id' | 'id'>): PaymentKey {
  return { merchantId, paymentId };
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
    .where(eb => eb.and({ merchant_id: key.merchantId, id: key.paymentId }))
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

/** A payment whose settlement is due, and the data for it. */
type DueSettlementRow = PaymentRow & {
  /** Taken back by disputes, in minor units. */
  readonly disputed_amount: bigint;
  /** The Stellar asset of the largest custodial transfer for the payment; null when there is none. */
  readonly paid_in: string | null;
};

/** Claims payments of the mode whose settlement is due. */
export async function claimDueSettlements(db: Db, livemode: boolean, request: DueRequest) {
  const work: DueWork = {
    ...{ table: 'payments', key: ['merchant_id', 'id'], dueAt: 'settlement_due_at', clock: 'merchant' },
    where: sql`t.settlement_due_at is not null and t.livemode = ${livemode}`,
  };
  const columns = sql`c.*,
    (select coalesce(sum(d.amount), 0) from disputes d
      where d.merchant_id = c.merchant_id and d.payment_id = c.id)::bigint as disputed_amount,
    (select t.currency from transfers t
      where t.merchant_id = c.merchant_id and t.payment_id = c.id and t.chain = 'stellar' and t.custodial
      order by t.amount_applied desc limit 1) as paid_in
    from claimed c`;
  return await claimDue<DueSettlementRow>(db, work, { ...request, leaseSeconds: 30, columns });
}

/** Lets a settlement wait for the merchant's address. The lock waits for an address that is being written now. */
export async function awaitAddress(db: Db, { merchantId, paymentId }: PaymentKey): Promise<void> {
  await db.transaction().execute(async tx => {
    const address = await lockStellarAddress(tx, merchantId);
    await tx
      .updateTable('payments')
      .set({ settlement_due_at: address === null ? null : sql`completed_at` })
      .where(eb => eb.and({ merchant_id: merchantId, id: paymentId }))
      .where('settlement_address', 'is', null)
      .execute();
  });
}

/** Makes settlements that wait for the merchant due again after the account changed. */
export async function resumeSettlements(tx: Tx, merchantId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: sql`completed_at`, settlement_tries: 0 })
    .where('merchant_id', '=', merchantId)
    .where('settlement_status', 'in', ['pending', 'failed'])
    .where('settlement_due_at', 'is', null)
    .execute();
}

/** Makes the settlement due now. */
export async function makeSettlementDue(tx: Tx, { merchantId, paymentId }: PaymentKey, now: Date): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: now })
    .where(eb => eb.and({ merchant_id: merchantId, id: paymentId }))
    .execute();
}
