import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { dueRows } from '../platform/db/due.ts';
import { findLink, type LinkKey, lockLink } from './link.store.ts';

/** A link whose time has come, and its merchant's clock. */
export interface DueLink extends LinkKey {
  readonly livemode: boolean;
  readonly clock: Date;
}

const columns = ['merchant_id', 'id', 'livemode'] as const;

/** Links whose time has ended on their merchant's clock. */
export async function findOverdueLinks(db: Db, now: Date, limit: number): Promise<DueLink[]> {
  const due = dueRows({
    ...{ table: 'payment_links', dueAt: 'expires_at', columns, now, limit },
    where: sql`t.status in ('active', 'disabled')`,
  });
  const { rows } = await sql<DueLink>`
    with ${due} select merchant_id as "merchantId", id as "linkId", livemode, clock from due`.execute(db);
  return rows;
}

/** How long a link that is being closed is left to whoever took it. */
const leaseSeconds = 30;

/** Takes links whose open payments are to be ended. */
export async function claimClosingLinks(db: Db, now: Date, limit: number): Promise<DueLink[]> {
  const due = dueRows({
    ...{ table: 'payment_links', dueAt: 'closing_at', columns, now, limit },
    where: sql`t.closing_at is not null`,
  });
  const { rows } = await sql<DueLink>`
    with ${due}
    update payment_links l set closing_at = due.clock + ${leaseSeconds} * interval '1 second'
    from due where l.merchant_id = due.merchant_id and l.id = due.id
    returning l.merchant_id as "merchantId", l.id as "linkId", l.livemode, due.clock`.execute(db);
  return rows;
}

/**
 * Has a link that is all paid looked through again: a payment of it came to rest just now. Call it with that payment locked
 * and its place given up: it waits for whoever completes the link at this moment, and would not see it otherwise.
 */
export async function closeAgain(tx: Tx, key: LinkKey, now: Date): Promise<void> {
  const known = await findLink(tx, key);
  // One without a limit is never all paid.
  if (known === null || known.max_uses === null) return;
  const { status } = await lockLink(tx, key);
  if (status !== 'completed') return;
  await tx
    .updateTable('payment_links')
    .set({ closing_at: now })
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.linkId)
    .execute();
}

/**
 * The link is closed: nothing of it is left to be ended. One that was opened again meanwhile, or asked to be looked through
 * again, is left as it is.
 */
export async function endClosing(db: Db, { clock, ...key }: DueLink): Promise<void> {
  await db
    .updateTable('payment_links')
    .set({ closing_at: null })
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.linkId)
    .where('closing_at', '=', sql<Date>`${clock}::timestamptz + ${leaseSeconds} * interval '1 second'`)
    .execute();
}
