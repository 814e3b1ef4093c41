import type { Selectable } from 'kysely';
import type { KycChecksTable, SandboxDb } from '../sandbox-tables.ts';

export type SandboxCheck = Selectable<KycChecksTable>;

/** Stores a check of a newer attempt. Returns the stored one, which is an earlier one for a repeated request. */
export async function storeCheck(db: SandboxDb, check: SandboxCheck): Promise<SandboxCheck | null> {
  await db
    .insertInto('sandbox.kyc_checks')
    .values(check)
    .onConflict(conflict =>
      conflict.column('subject').doUpdateSet(check).where('sandbox.kyc_checks.attempt', '<', check.attempt),
    )
    .execute();
  return await findCheck(db, check.subject);
}

export async function findCheck(db: SandboxDb, subject: string): Promise<SandboxCheck | null> {
  const found = db.selectFrom('sandbox.kyc_checks').selectAll().where('subject', '=', subject);
  return (await found.executeTakeFirst()) ?? null;
}
