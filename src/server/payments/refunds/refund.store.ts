import { type SqlBool, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { updateRows } from '../../platform/db/rows.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { type PaymentKey, waitingRefund } from '../payment.store.ts';
import type { RefundPartRow, RefundRow } from '../tables.ts';
import { type DisputableTransfer, type RefundableTransfer, withoutDisputed } from './refund.ts';

/** A refund with its parts. */
interface RefundWithParts {
  readonly refund: RefundRow;
  readonly parts: readonly RefundPartRow[];
}

/** The transfers in custody of a locked payment, in the order of refunds, each with its refunded and disputed part. */
export async function refundableTransfers(
  tx: Tx,
  { merchantId, paymentId }: PaymentKey,
): Promise<readonly RefundableTransfer[]> {
  const query = sql<DisputableTransfer>`
    select t.id, t.rail, t.rail_reference as reference, t.sender, t.currency, t.amount,
      t.amount_applied + t.amount_excess as value,
      coalesce(sum(p.amount) filter (where p.state <> 'failed'), 0)::bigint as "valueTaken",
      coalesce(sum(p.rail_amount) filter (where p.state <> 'failed'), 0) as "amountTaken",
      t.chain is not null as "isOnChain",
      coalesce((select sum(d.amount) from disputes d where d.merchant_id = t.merchant_id and d.payment_id = t.payment_id
        and d.rail = t.rail and d.outcome is distinct from 'won'), 0)::bigint as disputed
    from transfers t
    left join refund_parts p on p.merchant_id = t.merchant_id and p.transfer_id = t.id
    where t.merchant_id = ${merchantId} and t.payment_id = ${paymentId} and t.custodial
    group by t.merchant_id, t.id
    order by t.created_at desc, t.id desc`;
  return withoutDisputed((await executePrepared(tx, query)).rows);
}

/** Locks the refund until the transaction ends, and returns it with its parts. */
export async function lockRefund(tx: Tx, merchantId: string, refundId: string): Promise<RefundWithParts> {
  const refund = await selectRefund(tx, merchantId, refundId).forUpdate().executeTakeFirstOrThrow();
  return { refund, parts: await partsOf(tx, merchantId, [refundId]) };
}

/** The refund with its parts, or null. */
export async function findRefund(db: Executor, merchantId: string, refundId: string): Promise<RefundWithParts | null> {
  const refund = await selectRefund(db, merchantId, refundId).executeTakeFirst();
  return refund === undefined ? null : { refund, parts: await partsOf(db, merchantId, [refundId]) };
}

function selectRefund(db: Executor, merchantId: string, refundId: string) {
  return db.selectFrom('refunds').selectAll().where('merchant_id', '=', merchantId).where('id', '=', refundId);
}

/** Locks the refunds of these parts until the transaction ends, and returns each with all its parts. */
export async function lockRefundsOf(tx: Tx, merchantId: string, partIds: readonly string[]) {
  const { rows: refunds } = await sql<RefundRow>`
    select * from refunds where merchant_id = ${merchantId} and id in (
      select refund_id from refund_parts where merchant_id = ${merchantId} and id = any (${[...partIds]}::text[]))
    order by id for update`.execute(tx);
  const ids = refunds.map(({ id }) => id);
  return { refunds, parts: await partsOf(tx, merchantId, ids) };
}

function partsOf(db: Executor, merchantId: string, refundIds: readonly string[]): Promise<RefundPartRow[]> {
  return db
    .selectFrom('refund_parts')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('refund_id', 'in', [...refundIds])
    .orderBy('id')
    .execute();
}

/** Updates changed parts of locked refunds. */
export async function updateParts(tx: Tx, parts: readonly RefundPartRow[]): Promise<void> {
  const columns = ['state', 'requires_destination', 'tx_hash'];
  await updateRows(tx, { table: 'refund_parts', key: ['merchant_id', 'id'], columns, rows: parts });
}

/** Stores the destination of a refund and of its waiting parts. Returns null if the refund needs no destination. */
export async function saveDestination(
  tx: Tx,
  refund: RefundRow,
  destination: Readonly<Record<string, string>>,
): Promise<RefundRow | null> {
  const row = await tx
    .updateTable('refunds')
    .set({
      destination: JSON.stringify(destination),
      requires_destination: false,
      directions: refund.directions + 1,
      failure_code: null,
      failure_message: null,
    })
    .where(eb => eb.and({ merchant_id: refund.merchant_id, id: refund.id, requires_destination: true }))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  await tx
    .updateTable('refund_parts')
    .set({ requires_destination: false })
    .where(eb => eb.and({ merchant_id: refund.merchant_id, refund_id: refund.id, requires_destination: true }))
    .execute();
  return row;
}

/** Columns that a list of refunds can be filtered by, and whether a refund waits for its destination. */
export interface RefundFilters {
  readonly equal?: Partial<Pick<RefundRow, 'status' | 'currency' | 'payment_id'>>;
  readonly isWaiting?: boolean;
}

/** Lists one page of the refunds of all payments, or of one payment. */
export async function listRefunds(
  db: Executor,
  scope: MerchantScope & { readonly paymentId?: string },
  request: PageRequest,
  { equal = {}, isWaiting }: RefundFilters = {},
): Promise<Page<RefundRow>> {
  const { merchantId, livemode, paymentId } = scope;
  const list = { table: 'refunds' as const, merchantId, livemode, only: { payment_id: paymentId } };
  const and = isWaiting === undefined ? [] : [isWaiting ? waitingRefund : sql<SqlBool>`not ${waitingRefund}`];
  return await readPage(db, list, request, { equal: { ...equal }, and });
}
