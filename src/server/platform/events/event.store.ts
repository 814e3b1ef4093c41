import { type ColumnType, type Generated, type Selectable, sql } from 'kysely';
import type { Event } from '../../../api/event.ts';
import { PayError } from '../../../core/error.ts';
import type { Db, Executor } from '../db/database.ts';
import { type Page, type PageRequest, readPage } from '../db/page.ts';
import type { Json, Moment, MomentByDefault } from '../db/tables.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import type { MerchantScope } from '../merchant.ts';

export interface EventFilter {
  /** An event type, or a family of types, for example `payment.*`. */
  readonly type?: string;
  /** Id of the object that the events describe. */
  readonly resource?: string;
}

/** A page of events. Throws PayError `invalid_cursor`. */
export async function listEvents(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
  filter: EventFilter,
): Promise<Page<EventRow>> {
  const family = filter.type?.endsWith('.*') ? filter.type.slice(0, -1) : undefined;
  const all = { table: 'events', ...scope } as const;
  // Several events of one object may have the same time.
  const list =
    filter.resource === undefined ? all : { ...all, only: { resource_id: filter.resource }, newestBy: 'sequence' };
  return await readPage(db, list, request, {
    equal: { type: family === undefined ? filter.type : undefined },
    and: family === undefined ? [] : [sql<boolean>`starts_with(type, ${family})`],
  });
}

/** The event. Null if the merchant has no event with this id. */
export async function findEvent(db: Executor, scope: MerchantScope, id: string): Promise<EventRow | null> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where(({ and }) => and({ merchant_id: scope.merchantId, livemode: scope.livemode, id }))
    .executeTakeFirst();
  return row ?? null;
}

/** The event. Throws PayError `resource_missing`. */
export async function requireEvent(db: Executor, scope: MerchantScope, id: string): Promise<EventRow> {
  const row = await findEvent(db, scope, id);
  if (row === null) throw new PayError('resource_missing', `There is no event ${id}.`, { param: 'id' });
  return row;
}

/** The oldest events at or after `from` (merchant's clock), except the events in `seen`. */
export async function readEventsFrom(
  db: Executor,
  scope: MerchantScope,
  { from, seen }: { readonly from: Date; readonly seen: ReadonlyMap<string, unknown> },
  limit: number,
): Promise<EventRow[]> {
  return await db
    .selectFrom('events')
    .selectAll()
    .where(({ and }) => and({ merchant_id: scope.merchantId, livemode: scope.livemode }))
    .where('created_at', '>=', from)
    .where(sql<boolean>`id <> all (${[...seen.keys()]}::text[])`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Whether the object has an event. */
export async function hasEvents(db: Executor, merchantId: string, resourceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where(({ and }) => and({ merchant_id: merchantId, resource_id: resourceId }))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type EventRow = Selectable<EventsTable>;

/** The part of an event that is delivered. */
export type EventContent = Omit<EventRow, 'merchant_id' | 'resource_id' | 'recorded_at' | 'dispatched'>;

/** The event in its wire form, for lists and streams. */
export function eventToWire(row: EventRow): Event {
  const { id, data, ...rest } = eventPayload(row);
  return { id, object: 'event', ...rest, data, created_at: row.created_at.toISOString() };
}

/** The body of a delivery. The same event always has the same bytes. */
export function eventPayload(row: EventContent) {
  return {
    id: row.id,
    type: row.type,
    timestamp: row.created_at.toISOString(),
    api_version: row.api_version,
    livemode: row.livemode,
    sequence: row.sequence,
    data: { object: row.object, previous: row.previous },
    ...(row.sample ? { sample: true as const } : {}),
  };
}

/**
 * Creates the partitions of events and deliveries for this month and the next two. A partition must exist before its
 * first row is written.
 */
export async function ensureEventPartitions(db: Db): Promise<void> {
  await sql`select ensure_event_partitions()`.execute(db);
}

/** Creates new partitions while the service runs. */
export function createPartitionSweep(db: Db): Sweep {
  return {
    name: 'events.partitions',
    everyMs: 6 * 3_600_000,
    run: () => ensureEventPartitions(db).then(() => 0),
  };
}

interface EventsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  type: string;
  resource_id: string;
  sequence: number;
  object: Json<unknown>;
  previous: ColumnType<unknown | null, string | null, string | null>;
  api_version: string;
  sample: Generated<boolean>;
  created_at: Moment;
  recorded_at: MomentByDefault;
  dispatched: Generated<boolean>;
}

declare module '../db/tables.ts' {
  interface Tables {
    events: EventsTable;
  }
}
