import { sql } from 'kysely';
import type { Due } from '../../server/platform/db/lease.ts';
import type { SandboxDb } from '../sandbox-tables.ts';

/** An answer that appears in the inbox at `due_at`. */
export interface NewAnswer {
  readonly name: string;
  readonly content: string;
  readonly due_at: Date;
}

/**
 * Stores name and reference of a file. False: the name is already stored. Rejects if another file has the reference.
 */
export async function insertReceivedFile(
  tx: SandboxDb,
  file: { readonly name: string; readonly reference: string; readonly received_at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sandbox.bank_files')
    .values(file)
    .onConflict(conflict => conflict.column('name').doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function insertAnswers(tx: SandboxDb, answers: readonly NewAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  await tx
    .insertInto('sandbox.bank_answers')
    .values(answers.map(answer => ({ ...answer, is_archived: false })))
    .execute();
}

export const waitingAnswers: Due = now => sql`exists (
  select from sandbox.bank_answers where not is_archived and due_at <= ${now}::timestamptz)`;

/** Names of answers in the inbox that are due, oldest first. */
export async function dueAnswers(db: SandboxDb, now: Date, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sandbox.bank_answers')
    .select('name')
    .where('is_archived', '=', false)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** The content of an answer. Rejects for an unknown name. */
export async function readAnswer(db: SandboxDb, name: string): Promise<string> {
  const query = db.selectFrom('sandbox.bank_answers').select('content').where('name', '=', name);
  return (await query.executeTakeFirstOrThrow()).content;
}

/** Removes an answer from the inbox. The answer stays stored. */
export async function archiveAnswer(db: SandboxDb, name: string): Promise<void> {
  await db.updateTable('sandbox.bank_answers').set({ is_archived: true }).where('name', '=', name).execute();
}
