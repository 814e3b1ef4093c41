import { type ColumnType, type Generated, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Delivery, DeliveryAttempt, DeliveryDetails } from '../../../api/event.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Executor, Tx } from '../db/database.ts';
import { anyRow } from '../db/lease.ts';
import { type Page, type PageRequest, readPage } from '../db/page.ts';
import { executePrepared } from '../db/prepared.ts';
import { rowSource } from '../db/rows.ts';
import { searchIn } from '../db/search.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../db/tables.ts';
import { type EventRow, eventPayload } from '../events/event.store.ts';
import type { MerchantScope } from '../merchant.ts';
import type { OverdueWork } from '../overdue.ts';
import { fixedHeaders } from './delivery.ts';

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/** How the search finds deliveries. The condition names endpoints, because they precede the id in the primary key. */
export const deliverySearch = searchIn('webhook_deliveries', {
  kind: 'delivery',
  type: 'webhook_delivery',
  path: null,
  scope: 'webhooks:read',
  only: sql`endpoint_id in (select e.id from webhook_endpoints e where e.merchant_id = webhook_deliveries.merchant_id)`,
  show: row => ({ title: row.event_type, subtitle: row.status, parent: row.endpoint_id }),
});

/** The delivery in its wire form. */
export function deliveryToWire(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    object: 'webhook_delivery',
    event: row.event_id,
    event_type: row.event_type,
    endpoint: row.endpoint_id,
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    last_error: row.last_error,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

/** The delivery with each attempt and with the sent content. `event` is null if it is no longer stored. */
export function deliveryDetailsToWire(row: DeliveryRow, event: EventRow | null): DeliveryDetails {
  const last = row.attempt_log.at(-1);
  const sentAt = last === undefined ? [] : [Math.floor((Date.parse(last.at) - last.duration_ms) / 1000)];
  return {
    ...deliveryToWire(row),
    attempt_log: row.attempt_log.map(attempt => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
    request: {
      headers: {
        ...fixedHeaders,
        'webhook-id': row.event_id,
        ...Object.fromEntries(sentAt.map(seconds => ['webhook-timestamp', String(seconds)])),
      },
      body: event === null ? null : JSON.stringify(eventPayload(event)),
    },
  };
}

/** One delivery to an endpoint. Throws PayError `resource_missing`. */
export async function readDelivery(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  endpointId: string,
  id: string,
): Promise<DeliveryRow> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where(({ and }) => and({ merchant_id: merchantId, livemode, endpoint_id: endpointId, id }))
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new PayError('resource_missing', 'This endpoint has no delivery with this id.', { param: 'delivery' });
}

/** An event to deliver to an endpoint, due at once on the merchant's clock. */
export interface NewDelivery {
  readonly event: Pick<EventRow, 'merchant_id' | 'id' | 'type' | 'livemode' | 'recorded_at'>;
  readonly endpointId: string;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/** Whether an endpoint `w` listens to an event type: by its name, by its family (`payment.*`), or by `*`. */
export function listensTo(type: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`w.events && array['*', split_part(${type}, '.', 1) || '.*', ${type}]`;
}

const newDelivery = {
  merchant_id: 'text',
  id: 'text',
  endpoint_id: 'text',
  event_id: 'text',
  event_type: 'text',
  livemode: 'bool',
  event_recorded_at: 'timestamptz',
  next_attempt_at: 'timestamptz',
} as const;

/**
 * Adds due deliveries and wakes their endpoints, in one statement. Returns the added deliveries in order. Skips
 * deliveries to deleted endpoints.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.map(({ event, endpointId, now }) => ({
    merchant_id: event.merchant_id,
    id: newId('delivery'),
    endpoint_id: endpointId,
    event_id: event.id,
    event_type: event.type,
    event_recorded_at: event.recorded_at,
    livemode: event.livemode,
    next_attempt_at: now,
  }));
  const inserted = await sql<DeliveryRow>`
    with wanted as (
      select * from ${rowSource(newDelivery, rows)} as n
    ), there as (
      -- The same lock order in all writers prevents deadlocks.
      select w.merchant_id, w.id, first.look_at
      from (select merchant_id, endpoint_id, min(next_attempt_at) as look_at from wanted group by 1, 2) first
      join webhook_endpoints w on w.merchant_id = first.merchant_id and w.id = first.endpoint_id
      order by w.merchant_id, w.id for no key update of w
    ), woken as (
      update webhook_endpoints w set look_at = least(w.look_at, there.look_at), wakes = w.wakes + 1
      from there where w.merchant_id = there.merchant_id and w.id = there.id
      returning w.merchant_id, w.id
    )
    insert into webhook_deliveries (merchant_id, id, endpoint_id, event_id, event_type, event_recorded_at, livemode,
      status, next_attempt_at, created_at)
    select r.merchant_id, r.id, r.endpoint_id, r.event_id, r.event_type, r.event_recorded_at, r.livemode,
      'pending', r.next_attempt_at, r.next_attempt_at
    from wanted r join woken on woken.merchant_id = r.merchant_id and woken.id = r.endpoint_id
    returning *`.execute(tx);
  const made = new Map(inserted.rows.map(row => [row.id, row]));
  return rows.flatMap(({ id }) => made.get(id) ?? []);
}

/** A dispatched event and an endpoint that gets it. Without listening endpoints, `endpoint_id` is null. */
interface DispatchRow extends Pick<EventRow, 'merchant_id' | 'id' | 'type' | 'livemode' | 'recorded_at'> {
  readonly endpoint_id: string | null;
  readonly clock: Date;
}

export const undispatched = anyRow('events', sql`not t.dispatched`);

/**
 * Marks up to `limit` events as dispatched, the oldest first, and creates a delivery for each enabled endpoint that
 * listens. Runs two statements in the caller's transaction. Skips events marked by another worker.
 */
export async function dispatchEvents(
  tx: Tx,
  limit: number,
  now: Date,
): Promise<{ events: number; deliveries: number }> {
  const { rows } = await executePrepared(
    tx,
    sql<DispatchRow>`with batch as (
      update events e set dispatched = true
      from (
        select merchant_id, id, recorded_at from events where not dispatched order by recorded_at limit ${limit}
      ) due
      where e.merchant_id = due.merchant_id and e.id = due.id and e.recorded_at = due.recorded_at and not e.dispatched
      returning e.merchant_id, e.id, e.type, e.livemode, e.recorded_at
    )
    select b.*, w.id as endpoint_id, ${now}::timestamptz
      + case when b.livemode then 0 else m.test_clock_offset_ms end * interval '1 millisecond' as clock
    from batch b join merchants m on m.id = b.merchant_id
    left join webhook_endpoints w on w.merchant_id = b.merchant_id and w.livemode = b.livemode
      and w.status = 'enabled' and ${listensTo(sql`b.type`)}`,
  );
  const wanted = rows.flatMap(({ endpoint_id: endpointId, clock, ...event }) =>
    endpointId === null ? [] : [{ event, endpointId, now: clock }],
  );
  const deliveries = await insertDeliveries(tx, wanted);
  return { events: new Set(rows.map(row => row.id)).size, deliveries: deliveries.length };
}

/** A page of the deliveries to an endpoint or of an event. Throws PayError `invalid_cursor`. */
export async function listDeliveries(
  db: Executor,
  scope: MerchantScope & ({ readonly endpoint_id: string } | { readonly event_id: string }),
  request: PageRequest,
  status?: DeliveryRow['status'],
): Promise<Page<DeliveryRow>> {
  const { merchantId, livemode, ...only } = scope;
  return await readPage(db, { table: 'webhook_deliveries', merchantId, livemode, only }, request, {
    equal: { status },
  });
}

/** A page of the deliveries of all events of an object. */
export async function listDeliveriesAbout(
  db: Executor,
  scope: MerchantScope,
  resourceId: string,
  request: PageRequest,
): Promise<Page<DeliveryRow>> {
  const among = sql<boolean>`event_id in (
    select e.id from events e where e.merchant_id = ${scope.merchantId} and e.resource_id = ${resourceId})`;
  return await readPage(db, { table: 'webhook_deliveries', ...scope, among }, request);
}

/** Undispatched events, and due deliveries. An event's wait begins when it is recorded, by the database's clock. */
export async function findOverdueDeliveries(db: Executor, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, ${now}::timestamptz - (now() - min(recorded_at)) as since
    from events where not dispatched
    union all
    select coalesce(sum(due.count), 0)::int, min(due.since)
    from webhook_endpoints e cross join lateral (
      select count(*) as count, min(d.next_attempt_at) as since from webhook_deliveries d
      where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= ${now}
    ) due
    where e.look_at <= ${now}`.execute(db);
  return rows;
}

interface WebhookDeliveriesTable {
  merchant_id: string;
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  event_recorded_at: Moment;
  livemode: boolean;
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  attempts: Generated<number>;
  response_status: number | null;
  last_error: string | null;
  /** Only `writeResults` writes this column. */
  attempt_log: ColumnType<readonly DeliveryAttempt[], undefined, never>;
  next_attempt_at: MomentOrNull;
  delivered_at: MomentOrNull;
  created_at: Moment;
  recorded_at: MomentByDefault;
}

declare module '../db/tables.ts' {
  interface Tables {
    webhook_deliveries: WebhookDeliveriesTable;
  }
}
