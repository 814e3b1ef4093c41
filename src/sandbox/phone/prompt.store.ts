import { type Selectable, sql } from 'kysely';
import type { Db } from '../../server/platform/db/database.ts';
import { executePrepared } from '../../server/platform/db/prepared.ts';
import { columnList, rowSource } from '../../server/platform/db/rows.ts';
import { atOnce } from '../card-acquirer.store.ts';
import type { MobilePromptsTable, SandboxDb } from '../sandbox-tables.ts';

export type PromptRow = Selectable<MobilePromptsTable>;

const promptTypes = {
  rail: 'text',
  attempt_id: 'text',
  id: 'text',
  merchant_id: 'text',
  payment_id: 'text',
  payee: 'text',
  number: 'text',
  amount: 'int8',
  currency: 'text',
  code: 'text',
  answered_at: 'timestamptz',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} satisfies Record<keyof PromptRow, string>;

/**
 * Stores prompts without waiting for the disk, as charges of cards. Returns the stored prompt of each attempt: the new
 * one, or an earlier one. Undefined: another process has just stored the attempt.
 */
export async function storePrompts(db: SandboxDb, prompts: readonly PromptRow[]) {
  const columns = columnList(Object.keys(promptTypes));
  const { rows } = await executePrepared(
    // The cast is safe, because the statement uses only tables of the sandbox.
    db as unknown as Db,
    sql<PromptRow & { readonly committing: string }>`
      with asked as materialized (select * from ${rowSource(promptTypes, prompts)} as n), made as (
        insert into sandbox.mobile_prompts (${columns}) select ${columns} from asked on conflict do nothing returning *
      )
      select made.*, ${atOnce} from made
      union all
      select p.*, ${atOnce} from sandbox.mobile_prompts p join asked using (rail, attempt_id)`,
  );
  const byAttempt = new Map(rows.map(({ committing: _committing, ...row }) => [row.attempt_id, row]));
  return prompts.map(({ attempt_id: id }) => byAttempt.get(id));
}

/** The prompt of an attempt, or null. */
export async function findPrompt(db: SandboxDb, rail: string, attemptId: string): Promise<PromptRow | null> {
  const query = db
    .selectFrom('sandbox.mobile_prompts')
    .selectAll()
    .where(eb => eb.and({ rail, attempt_id: attemptId }));
  return (await executePrepared(db, query)).rows[0] ?? null;
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
