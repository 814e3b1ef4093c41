import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { dueRows } from '../db/due.ts';
import type { EventContent } from './event.view.ts';

/** The key of a delivery, with the number of the attempt its holder makes: who comes too late has an older number. */
export interface DeliveryKey {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly id: string;
  readonly recordedAt: Date;
  readonly livemode: boolean;
  readonly attempt: number;
}

/** A delivery taken for one attempt, with all that the attempt needs. */
export interface ClaimedDelivery {
  readonly key: DeliveryKey;
  readonly event: EventContent;
  readonly url: string;
  /** Sealed. */
  readonly secret: Buffer;
  /** Sealed; null where there is none or its day is over. */
  readonly previousSecret: Buffer | null;
  /** Whether the endpoint's last attempt failed. */
  readonly failing: boolean;
}

/** How much may be claimed. */
export interface ClaimLimits {
  readonly now: Date;
  /** Deliveries in all. */
  readonly limit: number;
  /** Deliveries of an endpoint that has none under way in this process: one that works, one that fails. */
  readonly perEndpoint: number;
  readonly perFailingEndpoint: number;
  /** Endpoints that have some under way, with how many more they may get. */
  readonly room: ReadonlyMap<string, number>;
  readonly leaseSeconds: number;
}

/** What a claim brought: `canceled` counts due deliveries whose endpoint is disabled or gone. */
export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly canceled: number;
}

/** How many due rows are looked through for one claim: many more than are taken, since one endpoint may own a long stretch of them. */
const claimWindow = 256;

interface ClaimedRow extends EventContent {
  merchant_id: string;
  endpoint_id: string;
  delivery_id: string;
  delivery_recorded_at: Date;
  attempts: number;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  failing: boolean;
  canceled: number;
}

/** Takes due deliveries, a few of each endpoint, in one statement: the lease and the attempt are counted with it. */
export async function claimDeliveries(db: Db, limits: ClaimLimits): Promise<Claim> {
  const room = [...limits.room];
  const full = room.filter(([, free]) => free <= 0).map(([id]) => id);
  const { rows } = await sql<ClaimedRow>`
    with ${dueRows({
      table: 'webhook_deliveries',
      dueAt: 'next_attempt_at',
      columns: ['merchant_id', 'endpoint_id', 'id', 'recorded_at', 'next_attempt_at'],
      where: sql`t.status = 'pending' and (t.leased_until is null or t.leased_until <= now())
        and t.endpoint_id <> all (${full}::text[])`,
      now: limits.now,
      limit: claimWindow,
    })}, ranked as (
      select due.*, w.status as endpoint_status, w.url, w.secret, w.failing_since is not null as failing,
        case when w.previous_secret_until > due.clock then w.previous_secret end as previous_secret,
        row_number() over (partition by due.merchant_id, due.endpoint_id order by due.next_attempt_at) as place
      from due left join webhook_endpoints w on w.merchant_id = due.merchant_id and w.id = due.endpoint_id
    ), canceled as (
      update webhook_deliveries d set status = 'canceled', next_attempt_at = null, leased_until = null
      from ranked r where ${sameDelivery} and r.endpoint_status is distinct from 'enabled'
      returning 1
    ), chosen as (
      select r.* from ranked r
      left join unnest(${room.map(([id]) => id)}::text[], ${room.map(([, free]) => free)}::integer[])
        as known (endpoint_id, free) on known.endpoint_id = r.endpoint_id
      where r.endpoint_status = 'enabled' and r.place <= coalesce(known.free,
        case when r.failing then ${limits.perFailingEndpoint}::integer else ${limits.perEndpoint}::integer end)
      order by r.place, r.next_attempt_at limit ${limits.limit}
    ), claimed as (
      update webhook_deliveries d
      set attempts = d.attempts + 1, leased_until = now() + make_interval(secs => ${limits.leaseSeconds})
      from chosen r where ${sameDelivery}
      returning d.merchant_id, d.endpoint_id, d.id as delivery_id, d.recorded_at as delivery_recorded_at, d.attempts,
        d.event_id, d.event_recorded_at, r.url, r.secret, r.previous_secret, r.failing
    )
    select c.*, e.id, e.type, e.sequence, e.object, e.previous, e.api_version, e.sample, e.livemode, e.created_at,
      (select count(*)::integer from canceled) as canceled
    from (select count(*) from canceled) as always
    left join claimed c on true
    left join events e on e.merchant_id = c.merchant_id and e.id = c.event_id and e.recorded_at = c.event_recorded_at
    `.execute(db);
  return {
    canceled: rows[0]?.canceled ?? 0,
    deliveries: rows.filter(row => row.delivery_id !== null).map(claimedDelivery),
  };
}

const sameDelivery = sql`d.merchant_id = r.merchant_id and d.endpoint_id = r.endpoint_id and d.id = r.id
  and d.recorded_at = r.recorded_at`;

function claimedDelivery(row: ClaimedRow): ClaimedDelivery {
  return {
    key: {
      merchantId: row.merchant_id,
      endpointId: row.endpoint_id,
      id: row.delivery_id,
      recordedAt: row.delivery_recorded_at,
      livemode: row.livemode,
      attempt: row.attempts,
    },
    event: row,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret,
    failing: row.failing,
  };
}
