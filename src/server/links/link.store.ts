import { type Insertable, sql, type Updateable } from 'kysely';
import type { EventType } from '../../api/event.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { changedFields, type NewEvent, recordEvents } from '../platform/events/outbox.ts';
import { type LinkRow, linkMachine } from './link.ts';
import { type LinkViewContext, linkToWire } from './link.view.ts';
import type { PaymentLinksTable } from './tables.ts';

/** Which link is meant. */
export interface LinkKey {
  readonly merchantId: string;
  readonly linkId: string;
}

/** The link, or null when the merchant has none of this id. */
export async function findLink(db: Executor, key: LinkKey): Promise<LinkRow | null> {
  return (await selectLink(db, key).executeTakeFirst()) ?? null;
}

/** The link, locked until the transaction ends. Throws `resource_missing`. */
export async function lockLink(tx: Tx, key: LinkKey): Promise<LinkRow> {
  const row = await selectLink(tx, key).forUpdate().executeTakeFirst();
  if (!row) throw linkMissing(key.linkId);
  return row;
}

function selectLink(db: Executor, key: LinkKey) {
  return db
    .selectFrom('payment_links')
    .selectAll()
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.linkId);
}

/** The error for an id that is nobody's, or another merchant's: both look the same. */
export function linkMissing(linkId: string): PayError {
  return new PayError('resource_missing', `No payment link ${linkId.slice(0, 64)} exists. Check the id.`, {
    param: 'id',
  });
}

/** The merchant of a link that is known by its id alone, or null. */
export async function findLinkMerchant(db: Db, linkId: string): Promise<string | null> {
  const row = await db
    .selectFrom('payment_link_routes')
    .select('merchant_id')
    .where('link_id', '=', linkId)
    .executeTakeFirst();
  return row?.merchant_id ?? null;
}

/** Merchant and mode of a link that is known by its id alone, or null. */
export async function findLinkOwner(
  db: Db,
  linkId: string,
): Promise<{ readonly merchantId: string; readonly livemode: boolean } | null> {
  const row = await db
    .selectFrom('payment_link_routes as routes')
    .innerJoin('payment_links as links', join =>
      join.onRef('links.merchant_id', '=', 'routes.merchant_id').onRef('links.id', '=', 'routes.link_id'),
    )
    .select(['routes.merchant_id as merchantId', 'links.livemode'])
    .where('routes.link_id', '=', linkId)
    .executeTakeFirst();
  return row ?? null;
}

/** Writes a new link with the way to it and its event. */
export async function insertLink(
  tx: Tx,
  context: LinkViewContext,
  row: Insertable<PaymentLinksTable>,
): Promise<LinkRow> {
  const link = await tx.insertInto('payment_links').values(row).returningAll().executeTakeFirstOrThrow();
  await tx.insertInto('payment_link_routes').values({ link_id: link.id, merchant_id: link.merchant_id }).execute();
  const { created_at: now } = link;
  await tell(tx, link, {
    ...{ type: 'payment_link.created', sequence: 1, previous: null, now },
    object: linkToWire(context, link, now),
  });
  return link;
}

/** A change of a link. `events` are told in this order; each is counted. */
export interface LinkChange {
  readonly set: Omit<Updateable<PaymentLinksTable>, 'event_sequence'>;
  readonly events: readonly EventType[];
  readonly now: Date;
}

/**
 * Changes a link that the transaction holds locked, with its events. Throws `illegal_state` when the machine knows no
 * such step.
 */
export async function changeLink(
  tx: Tx,
  context: LinkViewContext,
  before: LinkRow,
  change: LinkChange,
): Promise<LinkRow> {
  const { set, events, now } = change;
  const to = set.status ?? before.status;
  if (to !== before.status && !linkMachine.can(before.status, to)) {
    throw new PayError('illegal_state', `The payment link is ${before.status} and cannot become ${to}.`);
  }
  const after = await tx
    .updateTable('payment_links')
    .set({ ...set, event_sequence: before.event_sequence + events.length })
    .where('merchant_id', '=', before.merchant_id)
    .where('id', '=', before.id)
    .where('status', 'in', to === before.status ? [to] : [...linkMachine.sourcesOf(to)])
    .returningAll()
    .executeTakeFirstOrThrow();
  const object = linkToWire(context, after, now);
  const previous = changedFields(linkToWire(context, before, now), object);
  for (const [index, type] of events.entries()) {
    await tell(tx, after, { type, sequence: before.event_sequence + index + 1, object, previous, now });
  }
  return after;
}

async function tell(
  tx: Tx,
  link: LinkRow,
  event: Pick<NewEvent, 'type' | 'sequence' | 'object' | 'previous' | 'now'>,
): Promise<void> {
  await recordEvents(tx, [
    {
      merchantId: link.merchant_id,
      livemode: link.livemode,
      resourceId: link.id,
      ...event,
    },
  ]);
}

/** A page of the merchant's links. */
export async function listLinks(
  db: Db,
  scope: { readonly merchantId: string; readonly livemode: boolean },
  filters: { readonly status?: LinkRow['status']; readonly reference?: string },
  request: PageRequest,
): Promise<Page<LinkRow>> {
  return await readPage(db, { table: 'payment_links', ...scope }, request, { equal: filters });
}

/** Somebody who looks at a link, as keyed hashes; `most` visitors are noted of a network in a day. */
interface Visit extends LinkKey {
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
