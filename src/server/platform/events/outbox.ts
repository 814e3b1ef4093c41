import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { apiVersion, type EventType } from '../../../api/event.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../db/database.ts';
import { executePrepared } from '../db/prepared.ts';
import { columnList, rowSource } from '../db/rows.ts';

/** An event to be written. */
export interface NewEvent {
  /** Left out, a new id is made. */
  readonly id?: string;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly type: EventType;
  readonly resourceId: string;
  /** Counts the events of the object from 1 without gaps; taken from the object's row in the same transaction. */
  readonly sequence: number;
  /** The object in its wire form, after the change. */
  readonly object: unknown;
  /** The fields that changed, with their former values; null for a creation. */
  readonly previous: unknown;
  /** The merchant's clock. */
  readonly now: Date;
  /** Marks a sample, requested to try a webhook; `dispatched` when the caller writes its deliveries. */
  readonly sample?: { readonly dispatched: boolean };
}

/**
 * The channel that wakes live listeners and the dispatcher; the payload is a `ChangeNotice`. PostgreSQL commits
 * transactions that notify one after the other. So the most frequent write, creating payments, does not notify: its
 * process calls `live.announce`, and other processes find the events with their next sweep.
 */
export const changeChannel = 'pay_changes';

/** The sweep that makes deliveries from events: wake it after writing events without a notice. */
export const dispatchSweep = 'events.dispatch';

/** Payload of `changeChannel`: the changed object and its merchant. PostgreSQL allows 8 kB. */
export interface ChangeNotice {
  readonly merchantId: string;
  readonly resourceId: string;
}

/** The columns of `events` that an event sets. */
const columns = {
  ...{ merchant_id: 'text', id: 'text', livemode: 'bool', type: 'text', resource_id: 'text', sequence: 'int4' },
  ...{ object: 'json', previous: 'json', api_version: 'text', sample: 'bool', dispatched: 'bool' },
  created_at: 'timestamptz',
} as const;

/**
 * Writes events in the transaction of the changes that they report, in one statement, and wakes the dispatcher and live
 * listeners when it commits: for the objects of the events, or for `changed` when more changed.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly NewEvent[],
  changed: readonly ChangeNotice[] = events,
): Promise<void> {
  if (events.length === 0) {
    await announce(tx, changed);
    return;
  }
  await executePrepared(
    tx,
    sql`with written as (insert into events (${columnList(Object.keys(columns))}) select * from ${rowSource(columns, events.map(rowOf))} as n)
      ${notifications(changed)}`,
  );
}

function rowOf(event: NewEvent) {
  return {
    merchant_id: event.merchantId,
    id: event.id ?? newId('event'),
    livemode: event.livemode,
    type: event.type,
    resource_id: event.resourceId,
    sequence: event.sequence,
    object: event.object,
    previous: event.previous,
    api_version: apiVersion,
    sample: event.sample !== undefined,
    dispatched: event.sample?.dispatched ?? false,
    created_at: event.now,
  };
}

/** As `recordEvents`, for an object whose row does not count its events: the written ones are counted. */
export async function recordNextEvent(tx: Tx, event: Omit<NewEvent, 'sequence'>): Promise<void> {
  const { last } = await tx
    .selectFrom('events')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .where(eb => eb.and({ merchant_id: event.merchantId, resource_id: event.resourceId }))
    .executeTakeFirstOrThrow();
  await recordEvents(tx, [{ ...event, sequence: last + 1 }]);
}

/**
 * The common table expression `recorded`, for a statement that creates objects in bulk: the first event of each row of
 * `new` whose id is among those of `made`. `new` has the columns merchant_id, livemode, id, event_id, object, api_version
 * and created_at. An event of a merchant without webhook endpoints needs no dispatch and is written as dispatched.
 */
export const recordCreations = (type: EventType, made: string) => sql`recorded as (
  insert into events
    (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at, dispatched)
  select new.merchant_id, event_id, new.livemode, ${type}, new.id, 1, object::json, api_version, created_at,
    not exists (
      select from webhook_endpoints w
      where w.merchant_id = new.merchant_id and w.livemode = new.livemode and w.status = 'enabled')
  from new where new.id in (select id from ${sql.table(made)})
  returning resource_id, dispatched
)`;

/** Wakes live listeners when the transaction commits, for changes without an event. A rollback wakes none. */
export async function announce(tx: Tx, changed: readonly ChangeNotice[]): Promise<void> {
  if (changed.length > 0) await executePrepared(tx, notifications(changed));
}

function notifications(changed: readonly ChangeNotice[]): RawBuilder<unknown> {
  const payloads = changed.map(({ merchantId, resourceId }) => ({
    payload: JSON.stringify({ merchantId, resourceId }),
  }));
  return sql`select pg_notify(${changeChannel}, payload) from ${rowSource({ payload: 'text' }, payloads)} as c`;
}

/** The fields of an object that changed, with their former values: what an event carries as `previous`. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(before).filter(([name, value]) => !isSame(value, after[name as keyof T]));
  return Object.fromEntries(changed) as Partial<T>;
}

/** Whether both are the same JSON. The database returns the keys of a `jsonb` value in an order of its own. */
function isSame(a: unknown, b: unknown): boolean {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  if (first === second) return true;
  return first !== undefined && second !== undefined && isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
}
