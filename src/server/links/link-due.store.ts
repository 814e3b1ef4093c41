import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue, type DueWork, findDue, moveDue } from '../platform/db/lease.ts';
import { findLink, type LinkKey, lockLink } from './link.store.ts';
import type { PaymentLinksTable } from './tables.ts';

/** A link whose time has come, and its merchant's clock. */
export interface DueLink extends LinkKey {
  readonly livemode: boolean;
  readonly clock: Date;
}

const columns = sql`t.merchant_id as "merchantId", t.id as "linkId", t.livemode`;

const expiringLinks: DueWork = {
  ...{ table: 'payment_links', key: ['merchant_id', 'id'], dueAt: 'expires_at', clock: 'merchant' },
  where: sql`t.status in ('active', 'disabled')`,
};

/** Finds links whose time has ended by their merchant's clock. */
export async function findOverdueLinks(db: Db, now: Date, limit: number): Promise<readonly DueLink[]> {
  return await findDue(db, expiringLinks, { now, limit }, columns);
}

/** Links whose open payments are to be ended. */
const closingLinks: DueWork = {
  ...{ table: 'payment_links', key: ['merchant_id', 'id'], dueAt: 'closing_at', clock: 'merchant' },
  where: sql`t.closing_at is not null`,
};
const leaseSeconds = 30;

/** A link that is being closed, claimed until `claimed.closing_at`. */
export interface ClosingLink extends DueLink {
  readonly claimed: object;
}

/** Claims links whose open payments are to be ended. */
export async function claimClosingLinks(db: Db, now: Date, limit: number): Promise<ClosingLink[]> {
  const rows = await claimDue<Selectable<PaymentLinksTable>>(db, closingLinks, { now, limit, leaseSeconds });
  return rows.map(claimed => {
    const { merchant_id: merchantId, id: linkId, livemode, clock } = claimed;
    return { merchantId, linkId, livemode, clock, claimed };
  });
}

/**
 * Closes a completed link again after an attempt at one of its payments ended. Call it with that payment locked and its
 * reservation released. It waits for a transaction that completes the link at this moment, which cannot see the
 * payment's end.
 */
export async function closeAgain(tx: Tx, key: LinkKey, now: Date): Promise<void> {
  const known = await findLink(tx, key);
  // An unlimited link never completes.
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

/** Ends a claim: the link is closed, unless it was opened again or is to be looked through again since. */
export async function endClosing(db: Db, { claimed }: ClosingLink): Promise<void> {
  await moveDue(db, closingLinks, claimed, { to: null });
}
