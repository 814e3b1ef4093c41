import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../../platform/db/lease.ts';
import { insertRows } from '../../platform/db/rows.ts';
import type { FileRailId } from './bank-file.ts';
import type { BankFileRow, NewBankFile } from './tables.ts';

export const handingOver: DueWork = {
  table: 'bank_files',
  key: ['id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null`,
  clock: 'real',
};

export async function insertBankFile(tx: Tx, file: NewBankFile): Promise<void> {
  await insertRows(tx, 'bank_files', [file]);
}

/** Number of files of the rail since the moment `since`. */
export async function countFiles(tx: Tx, rail: FileRailId, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bank_files where rail = ${rail} and created_at >= ${since}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function claimFiles(
  db: Db,
  request: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly BankFileRow[]> {
  return await claimDue<BankFileRow>(db, handingOver, request);
}

/** Records that the exchange has the claimed file. Returns false if the claim has ended. */
export async function markSent(tx: Tx, file: BankFileRow): Promise<boolean> {
  return await moveDue(tx, handingOver, file, { to: null, set: sql`state = 'sent'` });
}
