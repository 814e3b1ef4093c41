import { sql } from 'kysely';
import { apiVersion, type EventType } from '../../../api/event.ts';
import { newId } from '../../../core/id.ts';
import { bigintArray, booleanArray, textArray, timestampArray } from '../db/array-parameter.ts';
import type { Tx } from '../db/database.ts';

/** What happened, to be told to the merchant. */
export interface NewEvent {
  /** When it is known before the event is written; a new one otherwise. */
  readonly id?: string;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly type: EventType;
  readonly resourceId: string;
  /** Counts the events of the object from 1 without gap; the caller takes it from the object's row in the same transaction. */
  readonly sequence: number;
  /** The object in its wire form, after the change. */
  readonly object: unknown;
  /** The fields that changed, with their former values; null for a creation. */
  readonly previous: unknown;
  /** The merchant's clock. */
  readonly now: Date;
  /** Marks an event that was asked for to try a webhook; `dispatched` when its deliveries are written by the caller. */
  readonly sample?: { readonly dispatched: boolean };
}

/**
 * The channel on which live listeners and the dispatcher hear of changes; the payload is a `ChangeNotice`. PostgreSQL
 * commits transactions that notify one after the other, so the hottest write (creating payments) does not notify:
 * its process calls `live.announce`, and other processes find its events with their next sweep.
 */
export const changeChannel = 'pay_changes';

/** The sweep that turns events into deliveries: wake it when events were written without a notice. */
export const dispatchSweep = 'events.dispatch';

/** Payload of `changeChannel`: whose object changed. Kept small, PostgreSQL allows 8 kB. */
export interface ChangeNotice {
  readonly merchantId: string;
  readonly resourceId: string;
}

/**
 * Writes an event in the transaction of the change that it reports, and wakes the dispatcher and live
 * listeners when that commits. Returns its id.
 */
export async function recordEvent(tx: Tx, event: NewEvent): Promise<string> {
  const id = event.id ?? newId('event');
  const notice: ChangeNotice = { merchantId: event.merchantId, resourceId: event.resourceId };
  await tx
    .with('told', query =>
      query
        .insertInto('events')
        .values({
          merchant_id: event.merchantId,
          id,
          livemode: event.livemode,
          type: event.type,
          resource_id: event.resourceId,
          sequence: event.sequence,
          object: JSON.stringify(event.object),
          previous: event.previous === null ? null : JSON.stringify(event.previous),
          api_version: apiVersion,
          sample: event.sample !== undefined,
          dispatched: event.sample?.dispatched ?? false,
          created_at: event.now,
        })
        .returning('id'),
    )
    .selectFrom('told')
    .select(sql`pg_notify(${changeChannel}, ${JSON.stringify(notice)})`.as('notified'))
    .execute();
  return id;
}

/** As `recordEvent`, for an object whose row does not count its events: those that were written are counted. */
export async function recordNextEvent(tx: Tx, event: Omit<NewEvent, 'sequence'>): Promise<string> {
  const { last } = await tx
    .selectFrom('events')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .where('merchant_id', '=', event.merchantId)
    .where('resource_id', '=', event.resourceId)
    .executeTakeFirstOrThrow();
  return await recordEvent(tx, { ...event, sequence: last + 1 });
}

/** Writes many events in one statement. The caller announces the changes. */
export async function recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const texts = (of: (event: NewEvent) => string | null) => textArray(events.map(of));
  await sql`
    insert into events
      (merchant_id, id, livemode, type, resource_id, sequence, object, previous, api_version, created_at)
    select merchant_id, id, livemode, type, resource_id, sequence, object::json, previous::json, ${apiVersion}, created_at
    from unnest(
      ${texts(event => event.merchantId)}::text[], ${texts(event => event.id ?? newId('event'))}::text[],
      ${booleanArray(events.map(event => event.livemode))}::bool[], ${texts(event => event.type)}::text[],
      ${texts(event => event.resourceId)}::text[], ${bigintArray(events.map(event => BigInt(event.sequence)))}::int8[],
      ${texts(event => JSON.stringify(event.object))}::text[],
      ${texts(event => (event.previous === null ? null : JSON.stringify(event.previous)))}::text[],
      ${timestampArray(events.map(event => event.now))}::timestamptz[]
    ) as new (merchant_id, id, livemode, type, resource_id, sequence, object, previous, created_at)`.execute(tx);
}

/**
 * SQL of a common table expression `recorded`, for a statement that creates objects in bulk: the first event of each row of
 * `new` whose id is among those of `made`. `new` has the columns merchant_id, id, livemode, event_id, object, api_version
 * and created_at. An event of a merchant without webhook endpoints needs no dispatch and is written as dispatched.
 */
export const recordCreations = (type: EventType, made: string) => `recorded as (
  insert into events
    (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at, dispatched)
  select new.merchant_id, event_id, new.livemode, '${type}', new.id, 1, object::json, api_version, created_at,
    not exists (
      select from webhook_endpoints w
      where w.merchant_id = new.merchant_id and w.livemode = new.livemode and w.status = 'enabled')
  from new where new.id in (select id from ${made})
  returning resource_id, dispatched
)`;

/** Wakes live listeners when the transaction commits, for a change without an event; nothing is heard when it rolls back. */
export async function announceChange(tx: Tx, notice: ChangeNotice): Promise<void> {
  await sql`select pg_notify(${changeChannel}, ${JSON.stringify(notice)})`.execute(tx);
}

/** As `announceChange`, for many changes at once. */
export async function announceChanges(tx: Tx, notices: readonly ChangeNotice[]): Promise<void> {
  const payloads = notices.map(notice => JSON.stringify(notice));
  await sql`select pg_notify(${changeChannel}, payload) from unnest(${payloads}::text[]) payload`.execute(tx);
}

/** The fields of an object that changed, as they were: what an event carries as `previous`. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name as keyof T]),
  );
  return Object.fromEntries(changed) as Partial<T>;
}
