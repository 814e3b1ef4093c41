import { sql, type Updateable } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { PeopleTable } from '../tables.ts';

export async function setTotp(
  db: Executor,
  personId: string,
  set: Pick<Updateable<PeopleTable>, 'totp_secret' | 'totp_confirmed_at' | 'totp_last_step'>,
): Promise<void> {
  await db.updateTable('people').set(set).where('id', '=', personId).execute();
}

/** Marks all codes up to this half-minute as used. Returns false if this half-minute or a later one was used before. */
export async function useTotpStep(db: Executor, personId: string, step: bigint): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('people')
    .set({ totp_last_step: step })
    .where('id', '=', personId)
    .where(sql<boolean>`coalesce(totp_last_step, -1) < ${step}`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function replaceRecoveryCodes(db: Executor, personId: string, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('person_id', '=', personId).execute();
  const rows = hashes.map(hash => ({ person_id: personId, hash }));
  if (rows.length > 0) await db.insertInto('recovery_codes').values(rows).execute();
}

/** Deletes a recovery code, because each works once. Returns false for an unknown code. */
export async function deleteRecoveryCode(db: Executor, personId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('person_id', '=', personId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
