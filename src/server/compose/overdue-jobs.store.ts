import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** Kinds of work that time brings about and somebody waits for. */
export const lateKinds = ['mail', 'reminder', 'recurring', 'webhook'] as const;

/** One of them. */
export type LateKind = (typeof lateKinds)[number];

/** Work of a kind that is past its time: how much, and since when the oldest. */
export interface LateWork {
  readonly kind: LateKind;
  readonly count: number;
  /** Null: since the hour of issue of the `day` in the `timezone`. */
  readonly since: Date | null;
  readonly timezone: string | null;
  readonly day: string | null;
}

/** A recurring invoice that could not be made is put off by an hour: its row says so, and its day stays. */
const putOffSeconds = 3_600;

/**
 * What is past its time, in a few rows; those with a day may also lie ahead of it by up to an hour. One statement on the partial indexes of what is still to be done; what only a
 * test clock that runs ahead has made due is left out. A mail waits since it was written, however often it was tried.
 */
export async function readLateWork(db: Db, at: Date): Promise<readonly LateWork[]> {
  const now = sql`${at}::timestamptz`;
  const nowhere = sql`null::text as timezone, null::text as day`;
  const { rows } = await sql<LateWork>`
    select 'mail' as kind, count(*)::int as count, min(created_at) as since, ${nowhere}
    from mails where status = 'queued' and created_at <= ${now}
    union all
    select 'reminder', count(*)::int, min(remind_at), ${nowhere}
    from invoice_reminders where status = 'planned' and remind_at <= ${now}
    union all
    select 'recurring', count(*)::int, null, timezone, next_on
    from recurring_invoices
    where status = 'active' and next_at <= ${now} + make_interval(secs => ${putOffSeconds})
      and (next_at <= ${now} or last_error is not null)
    group by timezone, next_on
    union all
    select 'recurring', count(*)::int, min(created_at), ${nowhere}
    from recurring_occurrences where send_at is not null and created_at <= ${now}
    union all
    -- Events are recorded by the database's clock.
    select 'webhook', count(*)::int, ${now} - (now() - min(recorded_at)), ${nowhere}
    from events where not dispatched
    union all
    select 'webhook', coalesce(sum(due.count), 0)::int, min(due.since), ${nowhere}
    from webhook_endpoints e cross join lateral (
      select count(*) as count, min(d.next_attempt_at) as since from webhook_deliveries d
      where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= ${now}
    ) due
    where e.look_at <= ${now}`.execute(db);
  return rows.filter(({ count }) => count > 0);
}
