import { sql } from 'kysely';
import { newId } from '../../../core/id.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { anyRow } from '../../platform/db/lease.ts';

export const resetRequests = anyRow('password_reset_requests');

export async function insertResetRequest(db: Executor, email: string, now: Date): Promise<void> {
  const values = { id: newId('resetRequest'), email, created_at: now };
  await db.insertInto('password_reset_requests').values(values).execute();
}

/** Deletes and returns the oldest requests, in the transaction that queues their mails. */
export async function takeResetRequests(tx: Tx, limit: number) {
  const { rows } = await sql<{ id: string; email: string; created_at: Date }>`
    delete from password_reset_requests where id in (
      select id from password_reset_requests order by created_at limit ${limit} for update skip locked
    ) returning *`.execute(tx);
  return rows;
}
