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
