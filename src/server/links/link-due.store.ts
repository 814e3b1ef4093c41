import { sql } from 'kysely';
import type { PaymentPhase } from '../../api/payment.ts';
import type { Db } from '../db/database.ts';
import { dueRows } from '../db/due.ts';
import type { LinkKey } from './link.store.ts';

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

/** The link's open payments in one of the phases. */
export async function findOpenPayments(
  db: Db,
  key: LinkKey,
  phases: readonly PaymentPhase[],
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('payments')
    .select('id')
    .where('merchant_id', '=', key.merchantId)
    .where('payment_link', '=', key.linkId)
    .where('status', '=', 'pending')
    .where('phase', 'in', [...phases])
    .where('amount_received', '=', 0n)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The link is closed: nothing of it is left to be ended. One that was opened again meanwhile is not touched. */
export async function endClosing(db: Db, key: LinkKey): Promise<void> {
  await db
    .updateTable('payment_links')
    .set({ closing_at: null })
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.linkId)
    .where('status', '!=', 'active')
    .execute();
}
