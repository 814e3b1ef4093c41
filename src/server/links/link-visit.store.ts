import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import type { LinkKey } from './link.store.ts';

/** Somebody who looks at a link, as keyed hashes; `most` visitors are noted of a network in a day. */
export interface Visit extends LinkKey {
  readonly visitor: Buffer;
  readonly network: Buffer;
  readonly most: number;
  readonly now: Date;
}

/** Notes that a visitor was there; false when that is known of the last day, or enough came from the network. */
export async function noteVisit(db: Db, visit: Visit): Promise<boolean> {
  const { merchantId, linkId, visitor, network, most, now } = visit;
  const { rows } = await sql`
    insert into payment_link_visits as known (merchant_id, link_id, visitor, network, seen_at, told)
    select ${merchantId}, ${linkId}, ${visitor}::bytea, ${network}::bytea, ${now}::timestamptz, false
    where (select count(*) from payment_link_visits others
      where others.merchant_id = ${merchantId} and others.link_id = ${linkId} and others.network = ${network}
        and others.seen_at > ${now}::timestamptz - interval '1 day') < ${most}
    on conflict (merchant_id, link_id, visitor)
      do update set seen_at = excluded.seen_at, network = excluded.network, told = false
      where known.seen_at <= excluded.seen_at - interval '1 day'
    returning link_id`.execute(db);
  return rows.length > 0;
}

/** Links that somebody has opened of whom is not told yet. */
export async function findUntold(db: Db, limit: number): Promise<LinkKey[]> {
  return await db
    .selectFrom('payment_link_visits')
    .select(['merchant_id as merchantId', 'link_id as linkId'])
    .distinct()
    .where('told', '=', false)
    .limit(limit)
    .execute();
}

/** How many have come to the link since it was last asked. */
export async function countVisits(tx: Tx, key: LinkKey): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('payment_link_visits')
    .set({ told: true })
    .where('merchant_id', '=', key.merchantId)
    .where('link_id', '=', key.linkId)
    .where('told', '=', false)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Forgets visitors of days gone by. A test clock runs ahead, so that its visits are kept the longer. */
export async function forgetVisits(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from payment_link_visits where ctid in (
      select ctid from payment_link_visits where told and seen_at < ${before} limit ${limit})
    returning link_id`.execute(db);
  return rows.length;
}
