import type { Selectable } from 'kysely';
import type { MobilePromptsTable, SandboxDb } from '../sandbox-tables.ts';

export type PromptRow = Selectable<MobilePromptsTable>;

/** Stores a prompt unless the attempt already has one. Returns the stored prompt. */
export async function keepPrompt(db: SandboxDb, row: PromptRow): Promise<PromptRow> {
  const inserted = await db
    .insertInto('sandbox.mobile_prompts')
    .values(row)
    .onConflict(conflict => conflict.columns(['rail', 'attempt_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
  const kept = inserted ?? (await findPrompt(db, row.rail, row.attempt_id));
  if (kept === null) throw new Error(`the prompt of ${row.attempt_id} was not stored`);
  return kept;
}

/** The prompt of an attempt, or null. */
export async function findPrompt(db: SandboxDb, rail: string, attemptId: string): Promise<PromptRow | null> {
  const row = await db
    .selectFrom('sandbox.mobile_prompts')
    .selectAll()
    .where(eb => eb.and({ rail, attempt_id: attemptId }))
    .executeTakeFirst();
  return row ?? null;
}

/** Which prompts to find: those of a phone, or those of a merchant. */
export type PromptFilter = Partial<Pick<PromptRow, 'number' | 'merchant_id' | 'payment_id' | 'id'>>;

/** Prompts that end after `now`, the newest first. */
export async function promptsAfter(
  db: SandboxDb,
  filter: PromptFilter,
  now: Date,
  limit: number,
): Promise<PromptRow[]> {
  return await db
    .selectFrom('sandbox.mobile_prompts')
    .selectAll()
    .where(eb => eb.and(filter))
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

/** Stores the answer of a prompt that has not ended. The first answer counts. Returns null if it changes nothing. */
export async function answerPrompt(
  db: SandboxDb,
  id: string,
  { code, now }: { readonly code: PromptRow['code']; readonly now: Date },
): Promise<PromptRow | null> {
  const row = await db
    .updateTable('sandbox.mobile_prompts')
    .set({ code, answered_at: now })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where(eb => eb.or([eb('answered_at', 'is', null), eb('answered_at', '>', now)]))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
