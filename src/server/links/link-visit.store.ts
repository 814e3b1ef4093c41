import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import type { LinkKey } from './link.store.ts';

/** Notes that a visitor was there; false when that is known of the last day. */
export async function noteVisit(tx: Tx, key: LinkKey, visitor: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into payment_link_visits as known (merchant_id, link_id, visitor, seen_at)
    values (${key.merchantId}, ${key.linkId}, ${visitor}, ${now})
    on conflict (merchant_id, link_id, visitor) do update set seen_at = excluded.seen_at
    where known.seen_at <= excluded.seen_at - interval '1 day'
    returning link_id`.execute(tx);
  return rows.length > 0;
}

/** Forgets visitors of days gone by. A test clock runs ahead, so that its visits are kept the longer. */
export async function forgetVisits(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from payment_link_visits where ctid in (
      select ctid from payment_link_visits where seen_at < ${before} limit ${limit})
    returning link_id`.execute(db);
  return rows.length;
}
