import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Runs work that may fail without spoiling the transaction: what it wrote is taken back, and the transaction goes on.
 * Rejects with the error of the work.
 */
export async function withSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint attempt`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx);
    throw error;
  }
}

/** Whether the database refused the values themselves (SQLSTATE classes 22 and 23): trying again would fail again. */
export function isRefusedByData(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code);
}
