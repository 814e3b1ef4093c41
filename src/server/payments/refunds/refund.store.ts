import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { dueRows } from '../../platform/db/due.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { RefundableTransfer } from './refund.ts';
import type { RefundPartsTable, RefundsTable } from './tables.ts';

/** A refund as the database holds it. */
export type RefundRow = Selectable<RefundsTable>;
/** The part of a refund that goes back by one rail. */
export type RefundPartRow = Selectable<RefundPartsTable>;

/** What arrived in custody for the payment and how much of it refunds have taken, newest first. */
export async function refundableTransfers(
  tx: Tx,
  merchantId: string,
  paymentId: string,
): Promise<RefundableTransfer[]> {
  const result = await sql<RefundableTransfer>`
    select t.id, t.rail, t.currency, t.amount, t.amount_applied + t.amount_excess as value,
      coalesce(sum(p.amount) filter (where p.state <> 'failed'), 0)::bigint as "valueTaken",
      coalesce(sum(p.rail_amount) filter (where p.state <> 'failed'), 0)::bigint as "amountTaken",
      t.chain is not null as "isOnChain", t.chain is not null and t.sender is null as "isAnonymous"
    from transfers t left join refund_parts p on p.merchant_id = t.merchant_id and p.transfer_id = t.id
    where t.merchant_id = ${merchantId} and t.payment_id = ${paymentId} and t.custodial
    group by t.merchant_id, t.id
    order by t.created_at desc, t.id desc`.execute(tx);
  return result.rows;
}

/** Writes a refund and its parts. */
export async function insertRefund(
  tx: Tx,
  refund: Insertable<RefundsTable>,
  parts: readonly Insertable<RefundPartsTable>[],
): Promise<RefundRow> {
  const row = await tx.insertInto('refunds').values(refund).returningAll().executeTakeFirstOrThrow();
  await tx
    .insertInto('refund_parts')
    .values([...parts])
    .execute();
  return row;
}

/** The refund, locked, with its parts. */
export async function lockRefund(
  tx: Tx,
  merchantId: string,
  refundId: string,
): Promise<{ refund: RefundRow; parts: RefundPartRow[] }> {
  const refund = await tx
    .selectFrom('refunds')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', refundId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { refund, parts: await partsOf(tx, merchantId, refundId) };
}

/** The refund with its parts, or null. */
export async function findRefund(
  db: Executor,
  merchantId: string,
  refundId: string,
): Promise<{ readonly refund: RefundRow; readonly parts: readonly RefundPartRow[] } | null> {
  const refund = await db
    .selectFrom('refunds')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', refundId)
    .executeTakeFirst();
  if (refund === undefined) return null;
  return { refund, parts: await partsOf(db, merchantId, refundId) };
}

function partsOf(db: Executor, merchantId: string, refundId: string): Promise<RefundPartRow[]> {
  return db
    .selectFrom('refund_parts')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('refund_id', '=', refundId)
    .orderBy('id')
    .execute();
}

/** Ends a part that is still pending; false when it had ended already. */
export async function endPart(
  tx: Tx,
  part: RefundPartRow,
  state: 'completed' | 'failed',
  railReference: string | null,
): Promise<boolean> {
  const row = await tx
    .updateTable('refund_parts')
    .set({ state, rail_reference: railReference, due_at: null })
    .where('merchant_id', '=', part.merchant_id)
    .where('refund_id', '=', part.refund_id)
    .where('id', '=', part.id)
    .where('state', '=', 'pending')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps why a part of a refund could not be sent, for the moment when the last part has ended. */
export async function noteFailure(
  tx: Tx,
  refund: RefundRow,
  failure: { readonly code: string; readonly message: string },
): Promise<void> {
  await tx
    .updateTable('refunds')
    .set({ failure_code: failure.code, failure_message: failure.message })
    .where('merchant_id', '=', refund.merchant_id)
    .where('id', '=', refund.id)
    .execute();
}

/** Ends a refund; one that failed says so with this message and the code that was noted. */
export async function endRefund(
  tx: Tx,
  refund: RefundRow,
  end: { readonly status: 'completed' } | { readonly status: 'failed'; readonly message: string },
): Promise<RefundRow> {
  return await tx
    .updateTable('refunds')
    .set({
      status: end.status,
      ...(end.status === 'failed' ? { failure_message: end.message } : {}),
      event_sequence: refund.event_sequence + 1,
    })
    .where('merchant_id', '=', refund.merchant_id)
    .where('id', '=', refund.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Keeps where a refund that waited for it is to go; its parts may be sent from now on. False: it does not wait. */
export async function saveDestination(
  tx: Tx,
  refund: RefundRow,
  destination: Readonly<Record<string, string>>,
  now: Date,
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
    .where('merchant_id', '=', refund.merchant_id)
    .where('id', '=', refund.id)
    .where('requires_destination', '=', true)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  await tx
    .updateTable('refund_parts')
    .set({ due_at: now })
    .where('merchant_id', '=', refund.merchant_id)
    .where('refund_id', '=', refund.id)
    .where('state', '=', 'pending')
    .where('due_at', 'is', null)
    .execute();
  return row;
}

/** Lets a part wait for an address that can take it, and keeps why the one before could not. */
export async function suspendPart(
  tx: Tx,
  refund: RefundRow,
  part: RefundPartRow,
  failure: { readonly code: string; readonly message: string },
): Promise<RefundRow> {
  await tx
    .updateTable('refund_parts')
    .set({ due_at: null, attempts: 0 })
    .where('merchant_id', '=', part.merchant_id)
    .where('refund_id', '=', part.refund_id)
    .where('id', '=', part.id)
    .execute();
  return await tx
    .updateTable('refunds')
    .set({
      requires_destination: true,
      failure_code: failure.code,
      failure_message: failure.message,
      event_sequence: refund.event_sequence + 1,
    })
    .where('merchant_id', '=', refund.merchant_id)
    .where('id', '=', refund.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** How long a claimed part is left to its claimer. */
const leaseSeconds = 30;

/** A part to be sent, with what its rail needs to know. */
export type DuePart = RefundPartRow & {
  readonly clock: Date;
  readonly transfer_reference: string;
  readonly sender: string | null;
  readonly destination: Record<string, string> | null;
  /** How often somebody said anew where it is to go. */
  readonly directions: number;
};

/** Takes parts whose rail should be asked, and puts their next turn off. */
export async function claimDueParts(db: Db, now: Date, limit: number): Promise<DuePart[]> {
  const due = dueRows({
    table: 'refund_parts',
    dueAt: 'due_at',
    columns: ['merchant_id', 'refund_id', 'id'],
    where: sql`t.due_at is not null`,
    now,
    limit,
  });
  const result = await sql<DuePart>`
    with ${due}, claimed as (
      update refund_parts p set due_at = due.clock + ${leaseSeconds} * interval '1 second', attempts = p.attempts + 1
      from due where p.merchant_id = due.merchant_id and p.refund_id = due.refund_id and p.id = due.id
      returning p.*, due.clock
    )
    select c.*, t.rail_reference as transfer_reference, t.sender, r.destination, r.directions
    from claimed c
    join transfers t on t.merchant_id = c.merchant_id and t.id = c.transfer_id
    join refunds r on r.merchant_id = c.merchant_id and r.id = c.refund_id`.execute(db);
  return result.rows;
}

/** A page of the payment's refunds. */
export async function listRefunds(
  db: Executor,
  scope: { readonly merchantId: string; readonly livemode: boolean; readonly paymentId: string },
  request: PageRequest,
): Promise<Page<RefundRow>> {
  const { merchantId, livemode, paymentId } = scope;
  const list = { table: 'refunds' as const, merchantId, livemode, only: { payment_id: paymentId } };
  return await readPage(db, list, request);
}
