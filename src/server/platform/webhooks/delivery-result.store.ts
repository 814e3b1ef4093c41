import { sql } from 'kysely';
import type { Executor } from '../db/database.ts';
import { rowSource } from '../db/rows.ts';
import { disableAfterMs, type Verdict } from './delivery.ts';
import type { ClaimedDelivery } from './delivery-claim.store.ts';

export type AttemptResult = Verdict &
  Pick<
    ClaimedDelivery,
    'merchant_id' | 'endpoint_id' | 'delivery_id' | 'delivery_recorded_at' | 'attempts' | 'livemode'
  > & {
    readonly response_status: number | null;
    readonly error: string | null;
    readonly body: string | null;
    readonly duration_ms: number;
  };

/** An endpoint that the results of its deliveries have just disabled. */
export interface DisabledEndpoint {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly livemode: boolean;
  readonly url: string;
  readonly reason: 'gone' | 'failing';
}

const resultColumns = {
  merchant_id: 'text',
  endpoint_id: 'text',
  delivery_id: 'text',
  delivery_recorded_at: 'timestamptz',
  attempts: 'int4',
  livemode: 'bool',
  status: 'text',
  pause_ms: 'int8',
  response_status: 'int4',
  error: 'text',
  gone: 'bool',
  body: 'text',
  duration_ms: 'int4',
} as const;

/**
 * Stores the results of many attempts in one statement. Updates their endpoints: when to look at them next, since when
 * they fail, and whether they are disabled. Drops results of workers that lost their lease. Times are on the merchant's
 * clock.
 */
export async function writeResults(
  db: Executor,
  results: readonly AttemptResult[],
  now: Date,
): Promise<readonly DisabledEndpoint[]> {
  const { rows } = await sql<DisabledEndpoint>`
    with result as (
      select r.*, ${now}::timestamptz
        + case when r.livemode then 0 else m.test_clock_offset_ms end * interval '1 millisecond' as clock
      from ${rowSource(resultColumns, results)} as r
      join merchants m on m.id = r.merchant_id
    ), written as (
      update webhook_deliveries d
      set status = r.status, response_status = r.response_status, last_error = r.error,
        attempt_log = d.attempt_log || jsonb_build_object('number', r.attempts, 'at', r.clock,
          'duration_ms', r.duration_ms, 'response_status', r.response_status, 'error', r.error, 'response_body', r.body),
        next_attempt_at = r.clock + r.pause_ms * interval '1 millisecond',
        delivered_at = case when r.status = 'delivered' then r.clock end
      from result r where d.merchant_id = r.merchant_id and d.endpoint_id = r.endpoint_id and d.id = r.delivery_id
        and d.recorded_at = r.delivery_recorded_at and d.status = 'pending' and d.attempts = r.attempts
      returning r.merchant_id, r.endpoint_id, r.status = 'delivered' as delivered, r.gone, r.clock, d.next_attempt_at
    ), summary as (
      select merchant_id, endpoint_id, bool_or(delivered) as delivered, bool_or(gone) as gone, max(clock) as clock,
        min(next_attempt_at) as retry_at
      from written group by merchant_id, endpoint_id
    ), judged as (
      select w.merchant_id, w.id, summary.delivered, summary.clock, summary.retry_at, case
          when w.status = 'disabled' then null
          when summary.gone then 'gone'
          when not summary.delivered and summary.clock - w.failing_since >= ${disableAfterMs} * interval '1 millisecond'
            then 'failing'
        end as reason
      from summary join webhook_endpoints w on w.merchant_id = summary.merchant_id and w.id = summary.endpoint_id
      where not summary.delivered or summary.gone or summary.retry_at is not null or w.failing_since is not null
      order by w.merchant_id, w.id for update of w
    )
    update webhook_endpoints w
    set failing_since = case when judged.delivered then null else coalesce(w.failing_since, judged.clock) end,
      status = case when judged.reason is null then w.status else 'disabled' end,
      disabled_reason = coalesce(judged.reason, w.disabled_reason),
      look_at = least(w.look_at, judged.retry_at),
      wakes = w.wakes + 1
    from judged where w.merchant_id = judged.merchant_id and w.id = judged.id
    returning w.merchant_id as "merchantId", w.id as "endpointId", w.livemode, w.url, judged.reason`.execute(db);
  return rows.filter(row => row.reason !== null);
}
