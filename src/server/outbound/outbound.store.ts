import { sql } from 'kysely';
import { newId } from '../../core/id.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { anyRow, claimDue, type DueRequest, type DueWork } from '../platform/db/lease.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import { columnTypes, insertOf, rowSource, type Write, writeTogether } from '../platform/db/rows.ts';
import type { Erasure } from '../platform/erasure.ts';
import type { OverdueWork } from '../platform/overdue.ts';
import {
  type ClockedOutbound,
  type NewOutbound,
  type OutboundEnd,
  type OutboundFailure,
  type OutboundRow,
  type OutboundState,
  outboundMachine,
} from './outbound.ts';

/** Identifies a transfer. */
export type OutboundKey = Pick<OutboundRow, 'merchant_id' | 'id'>;

/** Queues transfers. Ignores a transfer whose resource and attempt are already queued. */
export async function insertOutbound(tx: Executor, transfers: readonly NewOutbound[]): Promise<void> {
  await writeTogether(tx, [await outboundInsert(tx, transfers)]);
}

/** The insert of `insertOutbound`, or null without transfers. */
export async function outboundInsert(db: Executor, transfers: readonly NewOutbound[]): Promise<Write | null> {
  const key = ['merchant_id', 'purpose', 'resource_id', 'attempt'];
  return await insertOf(db, 'outbound_transfers', transfers.map(toRow), key);
}

function toRow(transfer: NewOutbound) {
  const source = transfer.source ?? { asset: transfer.asset, max: transfer.amount, path: [] };
  return {
    merchant_id: transfer.merchantId,
    id: newId('outboundTransfer'),
    livemode: transfer.livemode,
    purpose: transfer.purpose,
    resource_id: transfer.resourceId,
    attempt: transfer.attempt,
    rail: transfer.rail,
    destination: transfer.destination,
    original_reference: transfer.originalReference,
    asset: transfer.asset,
    amount: transfer.amount,
    source_asset: source.asset,
    source_max: source.max,
    path: source.path,
    value: transfer.value,
    value_currency: transfer.valueCurrency,
    due_at: transfer.now,
    created_at: transfer.now,
  };
}

/** All attempts to send money for the resources, oldest attempts first. */
export async function findOutbound(db: Executor, merchantId: string, purpose: string, resourceIds: readonly string[]) {
  return await db
    .selectFrom('outbound_transfers')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, purpose }))
    .where('resource_id', 'in', [...resourceIds])
    .orderBy('attempt')
    .execute();
}

/** Transfers of a merchant by id. Rails use these ids as order ids. */
export async function findOrders(db: Executor, merchantId: string, ids: readonly string[]): Promise<OutboundRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('outbound_transfers')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', 'in', [...ids])
    .execute();
}

/** Transfers that a sender claims, by rail and state. */
interface OutboundWork {
  readonly rails: readonly string[];
  readonly states: readonly OutboundState[];
}

export function dueOutbound({ rails, states }: OutboundWork): DueWork {
  return {
    table: 'outbound_transfers',
    key: ['merchant_id', 'id'],
    dueAt: 'due_at',
    where: sql`t.due_at is not null and t.rail = any (${[...rails]}::text[]) and t.state = any (${[...states]}::text[])`,
    clock: 'merchant',
  };
}

/** Which transfers to claim. A claimed transfer gets the state `to`. */
interface OutboundClaim extends DueRequest, OutboundWork {
  readonly to: Extract<OutboundState, 'queued' | 'sending'>;
  readonly leaseSeconds: number;
}

/** Claims due transfers (`platform/db/lease.ts`) and returns them, oldest first. */
export async function claimOutbound(db: Db, claim: OutboundClaim): Promise<ClockedOutbound[]> {
  const { rails, states, to, ...request } = claim;
  const set = sql`state = ${to}, tries = t.tries + 1, failure_code = null, failure_message = null`;
  const rows = await claimDue<OutboundRow>(db, dueOutbound({ rails, states }), { ...request, set });
  return rows.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1));
}

/** A claimed transfer that cannot be sent now. Null `heldUntil`: it can never be sent. */
export interface RefusedOutbound {
  readonly row: ClockedOutbound;
  readonly failure: OutboundFailure;
  readonly heldUntil: Date | null;
}

/** Fails claimed transfers that cannot be sent, and holds transfers that can be sent later. */
export async function refuseOutbound(db: Db, refused: readonly RefusedOutbound[], now: Date): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ row, failure, heldUntil }) => ({ ...row, ...failure, held_until: heldUntil }));
  await sql`
    update outbound_transfers t
    set state = case when r.held_until is null then 'failed' else 'held' end, due_at = r.held_until,
      failure_code = r.code, failure_message = r.message,
      ended_at = case when r.held_until is null then ${now}::timestamptz end
    from ${rowSource({ ...claimColumns, code: 'text', message: 'text', held_until: 'timestamptz' }, rows)} as r
    where ${isHolder} and t.state = 'queued'`.execute(db);
}

/** Releases claimed transfers that are still queued. They are due at once. */
export async function releaseOutbound(db: Db, rows: readonly OutboundRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update outbound_transfers t set due_at = t.created_at
    from ${rowSource(claimColumns, rows)} as r where ${isHolder} and t.state = 'queued'`.execute(db);
}

/** Records that the rail has accepted claimed transfers, and when it is next queried about them. */
export async function acceptOutbound(
  db: Db,
  moved: readonly { readonly row: OutboundRow; readonly dueAt: Date }[],
): Promise<void> {
  if (moved.length === 0) return;
  const rows = moved.map(({ row, dueAt }) => ({ ...row, next_at: dueAt }));
  await sql`
    update outbound_transfers t set due_at = r.next_at, accepted = true
    from ${rowSource({ ...claimColumns, next_at: 'timestamptz' }, rows)} as r where ${isHolder} and t.state = 'sending'`.execute(
    db,
  );
}

/**
 * Cancels transfers of these resources that were not sent yet, even if a sender has claimed them. Returns the resources
 * of canceled transfers.
 */
export async function cancelOutbound(
  tx: Tx,
  { merchantId, purpose, now }: Pick<NewOutbound, 'merchantId' | 'purpose' | 'now'>,
  resourceIds: readonly string[],
): Promise<readonly string[]> {
  if (resourceIds.length === 0) return [];
  const { rows } = await sql<{ resource_id: string }>`
    update outbound_transfers set state = 'failed', due_at = null, failure_code = 'canceled', failure_message = 'Canceled.',
      ended_at = ${now}::timestamptz, booked = true
    where merchant_id = ${merchantId} and state in ('queued', 'held') and id in (
      select id from outbound_transfers
      where merchant_id = ${merchantId} and purpose = ${purpose} and resource_id = any (${[...resourceIds]}::text[])
        and state in ('queued', 'held')
      order by id for update)
    returning resource_id`.execute(tx);
  return rows.map(row => row.resource_id);
}

/** Marks claimed transfers as `sending` in the carrier. Returns false if another worker has claimed one since. */
export async function assignOutbound(tx: Tx, carrierId: string, rows: readonly OutboundRow[]): Promise<boolean> {
  const { numAffectedRows } = await executePrepared(
    tx,
    sql`update outbound_transfers t set state = 'sending', carrier_id = ${carrierId}, due_at = null
      from ${rowSource(claimColumns, rows)} as r where ${isHolder} and t.state = 'queued'`,
  );
  return Number(numAffectedRows ?? 0n) === rows.length;
}

/** The due time identifies the claim, because each claim moves it. */
const claimColumns = { merchant_id: 'text', id: 'text', due_at: 'timestamptz' } as const;

const isHolder = sql`t.merchant_id = r.merchant_id and t.id = r.id and t.due_at = r.due_at`;

/** A transfer that was being sent, and its outcome. */
export interface EndedOutbound {
  readonly key: OutboundKey;
  readonly end: OutboundEnd;
}

interface EndOptions {
  readonly now: Date;
  /** Only for transfers in this carrier. */
  readonly carrierId?: string;
}

/** Ends transfers that are being sent; `bookEnded` then books them. Does not change transfers that ended earlier. */
export async function endOutbound(
  db: Executor,
  ended: readonly EndedOutbound[],
  { now, carrierId }: EndOptions,
): Promise<void> {
  if (ended.length === 0) return;
  const rows = ended.map(({ key, end }) => ({ merchant_id: key.merchant_id, id: key.id, ...endColumns(end, now) }));
  const endTypes = await columnTypes(db, 'outbound_transfers', endedColumns);
  const carrier = carrierId === undefined ? sql`` : sql`and t.carrier_id = ${carrierId}`;
  const ending = sql`
    update outbound_transfers t
    set state = r.state, due_at = case when r.state = 'queued' then coalesce(r.due_at, t.created_at) end, ended_at = r.ended_at, reference = r.reference, ledger = r.ledger,
      sent_amount = case when r.state = 'completed' then coalesce(r.sent_amount, t.source_max) end,
      failure_code = r.failure_code, failure_message = r.failure_message,
      rebuilds = t.rebuilds + case when r.state = 'queued' then 1 else 0 end
    from ${rowSource(endTypes, rows)} as r
    where t.merchant_id = r.merchant_id and t.id = r.id ${carrier}
      and t.state = any (${[...outboundMachine.sourcesOf('completed')]}::text[])`;
  await executePrepared(db, ending);
}

const endedColumns = [
  ...['merchant_id', 'id', 'state', 'due_at', 'ended_at', 'reference', 'ledger', 'sent_amount'],
  ...['failure_code', 'failure_message'],
];

function endColumns(end: OutboundEnd, now: Date) {
  if (end.state === 'queued') return { state: end.state, due_at: end.dueAt };
  if (end.state === 'failed') {
    return { state: end.state, ended_at: now, failure_code: end.code, failure_message: end.message };
  }
  const { state, reference, ledger, sentAmount } = end;
  return { state, ended_at: now, reference, ledger, sent_amount: sentAmount };
}

/** Makes a transfer due now. Returns false if the rail with this queue name (`rail`) is not sending the transfer. */
export async function makeOutboundDue(db: Db, rail: string, key: OutboundKey, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('outbound_transfers')
    .set({ due_at: now })
    .where(eb => eb.and({ ...key, rail, state: 'sending' }))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ended, unbooked transfers of one merchant, mode and purpose. */
export interface UnbookedGroup {
  readonly merchant_id: string;
  readonly purpose: string;
  readonly ids: readonly string[];
}

/** Selects the transfers to book. */
interface BookingRequest {
  readonly purposes: readonly string[];
  /** Ids of transfers to skip. */
  readonly except: readonly string[];
  readonly limit: number;
}

export const unbookedTransfers = anyRow('outbound_transfers', sql`not t.booked and t.state in ('completed', 'failed')`);

/** Ended transfers that are not booked, oldest first, by merchant, mode and purpose. */
export async function findUnbooked(db: Db, { purposes, except, limit }: BookingRequest): Promise<UnbookedGroup[]> {
  const unbooked = sql<UnbookedGroup>`
    select merchant_id, purpose, array_agg(id order by id) as ids from (
      select merchant_id, livemode, purpose, id from outbound_transfers
      where not booked and state in ('completed', 'failed') and purpose = any (${[...purposes]}::text[])
        and id <> all (${[...except]}::text[])
      order by ended_at limit ${limit}
    ) ended group by merchant_id, livemode, purpose`;
  return [...(await executePrepared(db, unbooked)).rows];
}

/** Marks transfers as booked. Returns those that were unbooked; the caller books them in this transaction. */
export async function markBooked(tx: Tx, merchantId: string, ids: readonly string[], now: Date) {
  const marking = sql<ClockedOutbound>`
    update outbound_transfers t set booked = true
    from merchants m
    where t.merchant_id = ${merchantId} and t.id = any (${[...ids]}::text[]) and not t.booked
      and t.state in ('completed', 'failed') and m.id = t.merchant_id
    returning t.*, ${now}::timestamptz
      + case when t.livemode then 0 else m.test_clock_offset_ms end * interval '1 millisecond' as clock`;
  return (await executePrepared(tx, marking)).rows;
}

/** By source asset: the maximum amounts that the rail's transfers in these states may still spend. */
export async function committedAmounts(db: Db, rail: string, states: readonly OutboundState[]) {
  const rows = await db
    .selectFrom('outbound_transfers')
    .select(['source_asset', sql<bigint>`sum(source_max)`.as('amount')])
    .where('rail', '=', rail)
    .where('state', 'in', [...states])
    .groupBy('source_asset')
    .execute();
  return new Map(rows.map(row => [row.source_asset, row.amount]));
}

/** Transfers that were not sent yet, by state and reason. */
export interface WaitingOutbound {
  readonly state: 'queued' | 'held';
  /** Why the transfers are held: an API error code, or null. */
  readonly reason: string | null;
  readonly count: number;
  /** Age of the oldest transfer, by the database's clock. */
  readonly oldestSeconds: number;
}

/** Counts the rail's transfers that were not sent yet. */
export async function readWaiting(db: Db, rail: string): Promise<readonly WaitingOutbound[]> {
  const waiting = sql<WaitingOutbound>`
    select state, failure_code as reason, count(*)::int as count,
      extract(epoch from now() - min(queued_at))::int as "oldestSeconds"
    from outbound_transfers where rail = ${rail} and state in ('queued', 'held')
    group by state, failure_code order by state, failure_code`;
  return (await executePrepared(db, waiting)).rows;
}

/**
 * Transfers that have waited 15 minutes, and ended transfers that are not booked. The wait of a transfer that its rail
 * has accepted begins at the next query of the rail, because a bank may take days. Omits held transfers:
 * `createOutboundBacklog` reports them.
 */
export async function findOverdueOutbound(db: Db, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(waiting) as since from (
      select case when accepted then due_at else created_at end as waiting
      from outbound_transfers where state in ('queued', 'sending')
    ) open where waiting <= ${now}::timestamptz - interval '15 minutes'
    union all
    select count(*)::int, min(ended_at) from outbound_transfers
    where not booked and state in ('completed', 'failed')`.execute(db);
  return rows;
}

/** Forgets where refunds and returns to a customer were sent. They have ended. */
export const outboundErasure: Erasure = {
  objectsOf: async (tx, { merchantId }, known) => {
    const { rows } = await sql<{ id: string }>`
      select id from outbound_transfers where merchant_id = ${merchantId} and resource_id = any (${known})`.execute(tx);
    return rows.map(({ id }) => id);
  },
  erase: async (tx, { merchantId }, ids) => {
    await sql`
      update outbound_transfers set destination = null
      where merchant_id = ${merchantId} and id = any (${ids}) and state in ('completed', 'failed')`.execute(tx);
  },
};
