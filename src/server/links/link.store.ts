import { sql } from 'kysely';
import type { LinkStatus, PaymentLink } from '../../api/link.ts';
import { PayError } from '../../core/error.ts';
import { closingOf } from '../payments/payment-owner.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { anyRow, type DueWork, findDue } from '../platform/db/lease.ts';
import { insertRows } from '../platform/db/rows.ts';
import { type Change, changeRow, createRows, type Resource } from '../platform/events/change.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { type LinkRow, linkMachine } from './link.ts';
import { type LinkViewContext, linkToWire } from './link.view.ts';

/** The id of a link and of its merchant. */
export interface LinkKey {
  readonly merchantId: string;
  readonly linkId: string;
}

/** The link, or null if the merchant has no link with this id. */
export async function findLink(db: Executor, key: LinkKey): Promise<LinkRow | null> {
  return (await selectLink(db, key).executeTakeFirst()) ?? null;
}

/** Locks the link until the transaction ends. Throws `resource_missing`. */
export async function lockLink(tx: Tx, key: LinkKey): Promise<LinkRow> {
  const row = await selectLink(tx, key).forUpdate().executeTakeFirst();
  if (!row) throw linkMissing(key.linkId);
  return row;
}

function selectLink(db: Executor, { merchantId, linkId }: LinkKey) {
  return db.selectFrom('payment_links').selectAll().where('merchant_id', '=', merchantId).where('id', '=', linkId);
}

/** The error for an unknown id. The id of another merchant's link gives the same error. */
export function linkMissing(linkId: string): PayError {
  return new PayError('resource_missing', `No payment link ${linkId.slice(0, 64)} exists. Check the id.`, {
    param: 'id',
  });
}

/** Merchant and mode of a link, by the link's id only. Null for an unknown id. */
export async function findLinkOwner(db: Db, linkId: string): Promise<MerchantScope | null> {
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

/** Columns with the same values in all new links. */
const newColumns = {
  status: 'active',
  completed_at: null,
  closing_at: null,
  event_sequence: 1,
  uses: 0,
  opens: 0,
  unpaid_reservation_seconds: 0,
  collected: 0n,
  received: {},
} as const satisfies Partial<LinkRow>;

/** The columns that depend on the request for a link. */
export type LinkDraft = Omit<LinkRow, keyof typeof newColumns>;

/** Inserts a new link with its route and event. */
export async function insertLink(tx: Tx, context: LinkViewContext, draft: LinkDraft): Promise<LinkRow> {
  const link = { ...newColumns, ...draft };
  await createRows(tx, links, context, 'payment_link.created', [link]);
  await insertRows(tx, 'payment_link_routes', [{ link_id: link.id, merchant_id: link.merchant_id }]);
  return link;
}

const links: Resource<LinkRow, LinkStatus, LinkViewContext, PaymentLink> = {
  table: 'payment_links',
  machine: linkMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The payment link is ${status} and cannot become ${to}.`),
  // The caller names the events, because `payment_link.paid` must come before the event of the status change.
  eventOf: () => undefined,
  toWire: linkToWire,
  keepsTransitions: false,
};

/** Changes a locked link and records the events. Throws `illegal_state` for an illegal step. */
export async function changeLink(
  tx: Tx,
  context: LinkViewContext,
  before: LinkRow,
  change: Change<LinkRow, LinkStatus>,
): Promise<LinkRow> {
  return await changeRow(tx, links, context, before, change);
}

/** A link with due work, and the current time on its merchant's clock. */
export interface DueLink extends LinkKey {
  readonly clock: Date;
}

export const expiringLinks: DueWork = {
  table: 'payment_links',
  key: ['merchant_id', 'id'],
  dueAt: 'expires_at',
  clock: 'merchant',
  where: sql`t.status in ('active', 'disabled')`,
};

/** Finds links whose end has passed on their merchant's clock. */
export async function findOverdueLinks(db: Db, now: Date, limit: number): Promise<readonly DueLink[]> {
  return await findDue(db, expiringLinks, { now, limit }, sql`t.merchant_id as "merchantId", t.id as "linkId"`);
}

/** The schedule that ends the open payments of a closed link. */
export const linkClosing = closingOf<LinkRow>('payment_links');

/**
 * Schedules a completed link for closing again, after an attempt of one of its payments ended. That payment must be
 * locked, and its reservation released. Locking the link waits for a concurrent transaction that completes it.
 */
export async function closeAgain(tx: Tx, key: LinkKey, now: Date): Promise<void> {
  const known = await findLink(tx, key);
  // An unlimited link never completes.
  if (known === null || known.max_uses === null) return;
  const { status } = await lockLink(tx, key);
  if (status !== 'completed') return;
  await linkClosing.schedule(tx, key.merchantId, key.linkId, now);
}

/** A visit: keyed hashes of the browser and of its IP network. At most `most` browsers of a network count per day. */
interface Visit extends LinkKey {
  readonly visitor: Buffer;
  readonly network: Buffer;
  readonly most: number;
  readonly now: Date;
}

/** Records a visit. Returns false if the browser visited within the last day, or the network's limit is reached. */
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

/** Links with visits that are not counted yet. */
export async function findVisited(db: Db, limit: number): Promise<LinkKey[]> {
  return await db
    .selectFrom('payment_link_visits')
    .select(['merchant_id as merchantId', 'link_id as linkId'])
    .distinct()
    .where('told', '=', false)
    .limit(limit)
    .execute();
}

/** Visits that are not counted yet. */
export const newVisits = anyRow('payment_link_visits', sql`not t.told`);

/** Marks the new visits of the link as counted, and returns their number. */
export async function takeVisits(tx: Tx, { merchantId, linkId }: LinkKey): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('payment_link_visits')
    .set({ told: true })
    .where(eb => eb.and({ merchant_id: merchantId, link_id: linkId, told: false }))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes counted visits before a time. A test clock runs ahead, so its visits stay longer. */
export async function deleteVisits(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from payment_link_visits where ctid in (
      select ctid from payment_link_visits where told and seen_at < ${before} limit ${limit})
    returning link_id`.execute(db);
  return rows.length;
}
