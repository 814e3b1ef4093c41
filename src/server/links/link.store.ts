import { type Insertable, sql } from 'kysely';
import type { LinkStatus, PaymentLink } from '../../api/link.ts';
import { PayError } from '../../core/error.ts';
import { closingOf } from '../payments/payment-owner.store.ts';
import { type Change, changeRow, type Resource } from '../platform/db/change.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type DueWork, findDue } from '../platform/db/lease.ts';
import { recordEvents } from '../platform/events/outbox.ts';
import { type LinkRow, linkMachine } from './link.ts';
import { type LinkViewContext, linkToWire } from './link.view.ts';
import type { PaymentLinksTable } from './tables.ts';

/** The id of a link and of its merchant. */
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

function selectLink(db: Executor, { merchantId, linkId }: LinkKey) {
  return db.selectFrom('payment_links').selectAll().where('merchant_id', '=', merchantId).where('id', '=', linkId);
}

/** The error for an unknown id and for another merchant's id: both look the same. */
export function linkMissing(linkId: string): PayError {
  return new PayError('resource_missing', `No payment link ${linkId.slice(0, 64)} exists. Check the id.`, {
    param: 'id',
  });
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

/** Writes a new link with its route and its event. */
export async function insertLink(
  tx: Tx,
  context: LinkViewContext,
  row: Insertable<PaymentLinksTable>,
): Promise<LinkRow> {
  const link = await tx.insertInto('payment_links').values(row).returningAll().executeTakeFirstOrThrow();
  const { id, merchant_id: merchantId, livemode, created_at: now } = link;
  await tx.insertInto('payment_link_routes').values({ link_id: id, merchant_id: merchantId }).execute();
  await recordEvents(tx, [
    {
      ...{ type: 'payment_link.created', merchantId, livemode, resourceId: id, sequence: 1, now },
      ...{ object: linkToWire(context, link, now), previous: null },
    },
  ]);
  return link;
}

const links: Resource<LinkRow, LinkStatus, LinkViewContext, PaymentLink> = {
  table: 'payment_links',
  machine: linkMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The payment link is ${status} and cannot become ${to}.`),
  // Each caller names its events: `payment_link.paid` comes before the step that it causes.
  eventOf: () => undefined,
  toWire: linkToWire,
  keepsTransitions: false,
};

/** Changes a link that the transaction holds locked, with its events. Throws `illegal_state` for an illegal step. */
export async function changeLink(
  tx: Tx,
  context: LinkViewContext,
  before: LinkRow,
  change: Change<LinkRow, LinkStatus>,
): Promise<LinkRow> {
  return await changeRow(tx, links, context, before, change);
}

/** A link with work that is due, and its merchant's clock. */
export interface DueLink extends LinkKey {
  readonly clock: Date;
}

const expiringLinks: DueWork = {
  ...{ table: 'payment_links', key: ['merchant_id', 'id'], dueAt: 'expires_at', clock: 'merchant' },
  where: sql`t.status in ('active', 'disabled')`,
};

/** Finds links whose end has passed by their merchant's clock. */
export async function findOverdueLinks(db: Db, now: Date, limit: number): Promise<readonly DueLink[]> {
  return await findDue(db, expiringLinks, { now, limit }, sql`t.merchant_id as "merchantId", t.id as "linkId"`);
}

/** When the open payments of a link are ended. */
export const linkClosing = closingOf<LinkRow>('payment_links');

/**
 * Closes a completed link again after an attempt at one of its payments ended. Call it with that payment locked and its
 * reservation released. The lock waits for a transaction that completes the link and cannot see the payment's end.
 */
export async function closeAgain(tx: Tx, key: LinkKey, now: Date): Promise<void> {
  const known = await findLink(tx, key);
  // An unlimited link never completes.
  if (known === null || known.max_uses === null) return;
  const { status } = await lockLink(tx, key);
  if (status !== 'completed') return;
  await linkClosing.schedule(tx, key.merchantId, key.linkId, now);
}

/** A visitor of a link, as keyed hashes. At most `most` visitors of a network count in a day. */
interface Visit extends LinkKey {
  readonly visitor: Buffer;
  readonly network: Buffer;
  readonly most: number;
  readonly now: Date;
}

/** Records a visit. False when the visitor came within the last day, or enough others did from the same network. */
export async function insertVisit(db: Db, visit: Visit): Promise<boolean> {
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

/** Links with visits that they do not count yet. */
export async function findVisited(db: Db, limit: number): Promise<LinkKey[]> {
  return await db
    .selectFrom('payment_link_visits')
    .select(['merchant_id as merchantId', 'link_id as linkId'])
    .distinct()
    .where('told', '=', false)
    .limit(limit)
    .execute();
}

/** Marks the new visits of the link as counted, and returns their number. */
export async function takeVisits(tx: Tx, { merchantId, linkId }: LinkKey): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('payment_link_visits')
    .set({ told: true })
    .where(eb => eb.and({ merchant_id: merchantId, link_id: linkId, told: false }))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes counted visits before a moment. A test clock runs ahead, so its visits stay longer. */
export async function deleteVisits(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from payment_link_visits where ctid in (
      select ctid from payment_link_visits where told and seen_at < ${before} limit ${limit})
    returning link_id`.execute(db);
  return rows.length;
}
