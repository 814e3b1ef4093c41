import { sql } from 'kysely';
import type { ApprovalKind, ApprovalStatus } from '../../api/balance/approval.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { findRow } from '../platform/db/rows.ts';
import type { Erasure } from '../platform/erasure.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { notWaiting } from './approval.ts';
import type { ApprovalRow } from './tables.ts';

/**
 * Lets one transaction at a time compare the account's sum with its limit, until it ends. A transaction locks objects
 * before this, and balances after it.
 */
export async function lockLimit(tx: Tx, { merchantId, livemode }: MerchantScope): Promise<void> {
  await sql`
    insert into approval_locks (merchant_id, livemode) values (${merchantId}, ${livemode})
    on conflict (merchant_id, livemode) do update set livemode = excluded.livemode`.execute(tx);
}

/** The account's current limit, or null. */
export async function readLimit(db: Executor, merchantId: string) {
  const row = await db
    .selectFrom('merchants')
    .select(['payout_approval_amount as amount', 'payout_approval_currency as currency'])
    .where('id', '=', merchantId)
    .executeTakeFirstOrThrow();
  return row.amount === null || row.currency === null ? null : { amount: row.amount, currency: row.currency };
}

/** The worth of all that left since a moment without a second person, in the currency of the limit. */
export async function releasedSince(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  currency: string,
  since: Date,
): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(amount), 0)::bigint as sum from approvals
    where merchant_id = ${merchantId} and livemode = ${livemode} and status = 'released' and currency = ${currency}
      and created_at > ${since}`.execute(db);
  return rows[0]?.sum ?? 0n;
}

/** An approval of the merchant in the mode, or null. */
export async function findApproval(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  id: string,
): Promise<ApprovalRow | null> {
  return await findRow(db, 'approvals', { merchant_id: merchantId, livemode, id });
}

/** The waiting approval of an object, or null. */
export async function findWaiting(
  db: Executor,
  merchantId: string,
  objectId: string,
  lock?: 'lock',
): Promise<ApprovalRow | null> {
  const key = { merchant_id: merchantId, object_id: objectId, status: 'awaiting_approval' as const };
  return await findRow(db, 'approvals', key, lock);
}

/** Locks the approval with the id. Throws `illegal_state` if it does not wait. */
export async function lockWaiting(tx: Tx, merchantId: string, id: string): Promise<ApprovalRow> {
  const row = await findRow(tx, 'approvals', { merchant_id: merchantId, id }, 'lock');
  if (row?.status !== 'awaiting_approval') throw notWaiting();
  return row;
}

/** Locks the approvals of objects that wait, or that left without a second person. */
export async function lockOpen(tx: Tx, merchantId: string, objectIds: readonly string[]): Promise<ApprovalRow[]> {
  const { rows } = await sql<ApprovalRow>`
    select * from approvals where merchant_id = ${merchantId} and object_id = any (${[...objectIds]}::text[])
      and status in ('awaiting_approval', 'released')
    order by id for update`.execute(tx);
  return rows;
}

export interface ApprovalFilters {
  readonly status?: ApprovalStatus | undefined;
  readonly kind?: ApprovalKind | undefined;
  readonly object_id?: string | undefined;
}

export async function listApprovals(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
  equal: ApprovalFilters,
): Promise<Page<ApprovalRow>> {
  return await readPage(db, { table: 'approvals', ...scope }, request, { equal: { ...equal } });
}

/** Forgets the destinations of a customer's refunds and returns. */
export const approvalErasure: Erasure = {
  objectsOf: async (tx, { merchantId }, known) => {
    const { rows } = await sql<{ id: string }>`
      select id from approvals where merchant_id = ${merchantId} and object_id = any (${known})`.execute(tx);
    return rows.map(({ id }) => id);
  },
  erase: async (tx, { merchantId }, ids) => {
    await sql`
      update approvals set details = null, summary = regexp_replace(summary, ' to .*$', '')
      where merchant_id = ${merchantId} and id = any (${ids})`.execute(tx);
  },
};
