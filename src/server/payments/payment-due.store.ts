import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { dueRows } from '../platform/db/due.ts';
import type { PaymentKey } from './payment.store.ts';

/** A payment whose time has come, and its mode. */
export type DuePayment = PaymentKey & { readonly livemode: boolean };

/** Payments whose session is over on their merchant's clock and whose phase may expire. */
export async function claimExpired(db: Db, now: Date, limit: number): Promise<DuePayment[]> {
  const due = dueRows({
    table: 'payments',
    dueAt: 'session_expires_at',
    columns: ['merchant_id', 'id', 'livemode'],
    where: sql`t.status = 'pending' and t.phase not in ('processing', 'confirming')`,
    now,
    limit,
  });
  const result = await sql<DuePayment>`
    with ${due} select merchant_id as "merchantId", id as "paymentId", livemode from due`.execute(db);
  return result.rows;
}
