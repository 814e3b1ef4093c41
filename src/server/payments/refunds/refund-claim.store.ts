import { sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';

/** Has what is on its way back with this id (a part of a refund, a transfer’s return) asked after at its next turn. */
export async function makeDue(db: Executor, merchantId: string, id: string): Promise<void> {
  for (const table of ['refund_parts', 'transfer_returns'] as const) {
    await sql`
      update ${sql.table(table)} set due_at = least(due_at, created_at)
      where merchant_id = ${merchantId} and id = ${id} and due_at is not null`.execute(db);
  }
}
