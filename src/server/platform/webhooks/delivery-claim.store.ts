import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { type DueRequest, type DueWork, dueRows } from '../db/lease.ts';
import { executePrepared } from '../db/prepared.ts';
import type { EventContent } from '../events/event.store.ts';

/**
 * A delivery claimed for one attempt, with its event and endpoint. `attempts` includes this attempt, so a worker that
 * lost its lease has a smaller number.
 */
export interface ClaimedDelivery extends EventContent {
  readonly merchant_id: string;
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly delivery_recorded_at: Date;
  readonly attempts: number;
  readonly url: string;
  /** The endpoint's secret, encrypted. */
  readonly secret: Buffer;
  /** The endpoint's previous secret, encrypted. Null if there is none, or if it has expired. */
  readonly previous_secret: Buffer | null;
  /** Whether the endpoint's last attempt failed. */
  readonly failing: boolean;
}

/** How many deliveries may be claimed. */
interface ClaimLimits extends DueRequest {
  /** Limit for an endpoint without running deliveries in this process. A failing endpoint has its own limit. */
  readonly perEndpoint: number;
  readonly perFailingEndpoint: number;
  /** By endpoint with running deliveries: how many more deliveries the endpoint may get. */
  readonly room: ReadonlyMap<string, number>;
  readonly leaseSeconds: number;
}

/**
 * Claims a few due deliveries of each due endpoint in one statement, the longest waiting endpoint first. A claim moves
 * the delivery's `next_attempt_at` to the end of the lease. It moves the endpoint's `look_at` to now if more deliveries
 * are due, otherwise to the next retry or end of a lease. If a delivery or a result was written meanwhile (`wakes` has
 * changed), `look_at` does not change. `looked` is the number of endpoints.
 */
export async function claimDeliveries(db: Db, limits: ClaimLimits) {
  const claim = sql<ClaimedDelivery & { readonly looked: number }>`
    with ${turns(limits)}, ${takings(limits)}, ${nextLooks(limits)}, claimed as (
      update webhook_deliveries d
      set attempts = d.attempts + 1, next_attempt_at = t.clock + make_interval(secs => ${limits.leaseSeconds})
      from taken t where t.status = 'enabled' and ${sameDelivery}
      returning d.merchant_id, d.endpoint_id, d.id as delivery_id, d.recorded_at as delivery_recorded_at, d.attempts,
        d.event_id, d.event_recorded_at, t.url, t.secret, t.previous_secret, t.failing
    ), canceled as (
      update webhook_deliveries d set status = 'canceled', next_attempt_at = null
      from taken t where t.status <> 'enabled' and ${sameDelivery}
    )
    select c.*, e.id, e.type, e.sequence, e.object, e.previous, e.api_version, e.sample, e.livemode, e.created_at,
      total.looked
    from (select count(*)::integer as looked from turn) total
    left join claimed c on true
    left join events e on e.merchant_id = c.merchant_id and e.id = c.event_id and e.recorded_at = c.event_recorded_at`;
  const { rows } = await executePrepared(db, claim);
  const deliveries: readonly ClaimedDelivery[] = rows.filter(row => row.delivery_id !== null);
  return { looked: rows[0]?.looked ?? 0, deliveries };
}

/** Endpoints with deliveries to attempt or to cancel. */
export const waitingEndpoints: DueWork = {
  table: 'webhook_endpoints',
  key: ['merchant_id', 'id'],
  dueAt: 'look_at',
  clock: 'merchant',
  where: sql`t.look_at is not null`,
};

/**
 * `turn`: the endpoints to look at, and how many deliveries each may get. A disabled endpoint's deliveries are
 * canceled, up to 1000.
 */
function turns({ now, limit, room: known, perEndpoint, perFailingEndpoint }: ClaimLimits): RawBuilder<unknown> {
  const room = [...known];
  const full = room.filter(([, free]) => free <= 0).map(([id]) => id);
  const where = sql`${waitingEndpoints.where} and t.id <> all (${full}::text[])`;
  const endpoints: DueWork = { ...waitingEndpoints, where };
  return sql`${dueRows(endpoints, { now, limit })}, turn as (
      select due.merchant_id, due.id as endpoint_id, due.due_at as look_at, due.clock, w.status, w.url, w.secret, w.wakes,
        w.failing_since is not null as failing,
        case when w.previous_secret_until > due.clock then w.previous_secret end as previous_secret,
        case
          when w.status <> 'enabled' then 1000
          else coalesce(known.free, case when w.failing_since is null then ${perEndpoint}::integer
            else ${perFailingEndpoint}::integer end)
        end as room
      from due join webhook_endpoints w on w.merchant_id = due.merchant_id and w.id = due.id
      left join unnest(${room.map(([id]) => id)}::text[], ${room.map(([, free]) => free)}::integer[])
        as known (endpoint_id, free) on known.endpoint_id = due.id
    )`;
}

/** `taken`: the deliveries to attempt or cancel. Every endpoint gets its first attempt before any gets a second. */
function takings(limits: ClaimLimits): RawBuilder<unknown> {
  return sql`found as (
      select turn.*, d.id, d.recorded_at, d.next_attempt_at,
        row_number() over (partition by turn.merchant_id, turn.endpoint_id order by d.next_attempt_at) as rank
      from turn cross join lateral (
        select d.id, d.recorded_at, d.next_attempt_at from webhook_deliveries d
        where ${sameEndpoint} and d.status = 'pending' and d.next_attempt_at <= turn.clock
        order by d.next_attempt_at limit turn.room
      ) d
    ), taken as (
      (select * from found where status = 'enabled' order by rank, look_at limit ${limits.limit})
      union all
      select * from found where status <> 'enabled'
    )`;
}

/** `looks`: sets when each endpoint of the turn is looked at again. */
function nextLooks({ leaseSeconds }: ClaimLimits): RawBuilder<unknown> {
  return sql`looks as (
      update webhook_endpoints w
      set look_at = least(
        case when rest.next_attempt_at <= turn.clock then turn.clock else rest.next_attempt_at end,
        case when exists (select from taken where taken.endpoint_id = turn.endpoint_id)
          then turn.clock + make_interval(secs => ${leaseSeconds}) end)
      from turn
      left join lateral (
        select d.next_attempt_at from webhook_deliveries d
        where ${sameEndpoint} and d.status = 'pending' and not exists (select from taken where taken.id = d.id)
        order by d.next_attempt_at limit 1
      ) rest on true
      where w.merchant_id = turn.merchant_id and w.id = turn.endpoint_id and w.wakes = turn.wakes
    )`;
}

const sameDelivery = sql`d.merchant_id = t.merchant_id and d.endpoint_id = t.endpoint_id and d.id = t.id
  and d.recorded_at = t.recorded_at and d.status = 'pending' and d.next_attempt_at = t.next_attempt_at`;
const sameEndpoint = sql`d.merchant_id = turn.merchant_id and d.endpoint_id = turn.endpoint_id`;
