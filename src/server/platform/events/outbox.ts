import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { apiVersion, type EventType } from '../../../api/event.ts';
import { newId } from '../../../core/id.ts';
import type { Executor, Tx } from '../db/database.ts';
import { columnList, rowSource, type Write, writeTogether } from '../db/rows.ts';

/** An event to insert. */
export interface NewEvent {
  /** Id of the event. Default: a new id. */
  readonly id?: string;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly type: EventType;
  readonly resourceId: string;
  /** Numbers the object's events from 1 without gaps. The object's row provides the number in the same transaction. */
  readonly sequence: number;
  /** The object in its wire form, after the change. */
  readonly object: unknown;
  /** The earlier values of the changed fields. Null for a creation. */
  readonly previous: unknown;
  /** The current time on the merchant's clock. */
  readonly now: Date;
  /** Marks a sample for testing webhooks. `dispatched`: the caller itself creates the deliveries. */
  readonly sample?: { readonly dispatched: boolean };
}

/**
 * The channel that notifies live listeners and the dispatcher. The payload is a `ChangeNotice`. PostgreSQL commits
 * transactions with a notice one after another, so the most frequent write, creating payments, has no notice. The
 * process that creates payments calls `live.announce`. Other processes find the events with their next sweep.
 */
export const changeChannel = 'pay_changes';

/** The sweep that creates deliveries from events. Wake the sweep after events without a notice. */
export const dispatchSweep = 'events.dispatch';

/** Payload of `changeChannel`: the changed object and its merchant. PostgreSQL allows 8 kB. */
export interface ChangeNotice {
  readonly merchantId: string;
  readonly resourceId: string;
  /** Whether the change has events to dispatch to the merchant's webhook endpoints. */
  readonly dispatches?: boolean;
}

/** The columns of `events` that an insert sets. */
const columns = {
  merchant_id: 'text',
  id: 'text',
  livemode: 'bool',
  type: 'text',
  resource_id: 'text',
  sequence: 'int4',
  object: 'json',
  previous: 'json',
  api_version: 'text',
  sample: 'bool',
  created_at: 'timestamptz',
} as const;

/**
 * Inserts events in one statement, in the transaction that makes the changes. Stores events of merchants without
 * enabled webhook endpoints as dispatched. The commit notifies the dispatcher, and the live listeners of the changed
 * objects. `changed`: the changed objects. Default: the objects of the events.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly NewEvent[],
  changed: readonly ChangeNotice[] = events,
): Promise<void> {
  await writeTogether(tx, [eventInsert(events)], notices(changed, events));
}

/** The insert of `recordEvents`, or null without events. */
export function eventInsert(events: readonly NewEvent[]): Write | null {
  if (events.length === 0) return null;
  return sql`insert into events (${columnList(Object.keys(columns))}, dispatched)
    select ${columnList(Object.keys(columns))}, n.is_dispatched or not ${isListening('n')}
    from ${rowSource({ ...columns, is_dispatched: 'bool' }, events.map(rowOf))} as n`;
}

/** Whether the merchant of the row `alias` has an enabled webhook endpoint in the row's mode. */
function isListening(alias: string): RawBuilder<unknown> {
  const [merchantId, livemode] = [sql.ref(`${alias}.merchant_id`), sql.ref(`${alias}.livemode`)];
  return sql`exists (
    select from webhook_endpoints w
    where w.merchant_id = ${merchantId} and w.livemode = ${livemode} and w.status = 'enabled')`;
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
    is_dispatched: event.sample?.dispatched ?? false,
    created_at: event.now,
  };
}

/** Like `recordEvents`, for one event of an object without event counter. Adds 1 to the highest stored number. */
export async function recordNextEvent(tx: Tx, event: Omit<NewEvent, 'sequence'>): Promise<void> {
  const { last } = await tx
    .selectFrom('events')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .where(eb => eb.and({ merchant_id: event.merchantId, resource_id: event.resourceId }))
    .executeTakeFirstOrThrow();
  await recordEvents(tx, [{ ...event, sequence: last + 1 }]);
}

/**
 * The common table expression `recorded`, for a statement that creates objects in bulk. Inserts the first event of each
 * row of `new` whose id is in `made`. `new` has the columns merchant_id, livemode, id, event_id, object, api_version
 * and created_at. Stores events of merchants without enabled webhook endpoints as dispatched.
 */
export const recordCreations = (type: EventType, made: string) => sql`recorded as (
  insert into events
    (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at, dispatched)
  select new.merchant_id, event_id, new.livemode, ${type}, new.id, 1, object::json, api_version, created_at,
    not ${isListening('new')}
  from new where new.id in (select id from ${sql.table(made)})
  returning resource_id, dispatched
)`;

/** Notifies live listeners of changes without an event, when the transaction commits. */
export async function announce(tx: Executor, changed: readonly ChangeNotice[]): Promise<void> {
  await writeTogether(tx, [], notices(changed));
}

/**
 * The query that notifies live listeners on commit, or null without changes. If the merchant has `events` and an
 * enabled webhook endpoint, the notice also wakes the dispatcher.
 */
export function notices(
  changed: readonly ChangeNotice[],
  events: readonly NewEvent[] = [],
): RawBuilder<unknown> | null {
  if (changed.length === 0) return null;
  // One call may concern both modes of a merchant, so the mode of the changed object's own event comes first.
  const modes = new Map(
    events.flatMap(({ merchantId, resourceId, livemode }) => [
      [merchantId, livemode],
      [resourceId, livemode],
    ]),
  );
  const rows = changed.map(({ merchantId, resourceId }) => ({
    merchant_id: merchantId,
    livemode: modes.get(resourceId) ?? modes.get(merchantId) ?? null,
    silent: JSON.stringify({ merchantId, resourceId }),
    dispatching: JSON.stringify({ merchantId, resourceId, dispatches: true }),
  }));
  const types = { merchant_id: 'text', livemode: 'bool', silent: 'text', dispatching: 'text' };
  return sql`
    select pg_notify(${changeChannel}, case when ${isListening('c')} then dispatching else silent end)
    from ${rowSource(types, rows)} as c`;
}

/** The changed fields of an object with their earlier values. An event contains them as `previous`. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(before).filter(([name, value]) => !isSame(value, after[name as keyof T]));
  return Object.fromEntries(changed) as Partial<T>;
}

/** Whether both values are the same JSON. The database may change the key order of a `jsonb` value. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  if (first === second) return true;
  return first.length === second.length && isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
