import type { Selectable } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import type { PasskeysTable } from '../tables.ts';

export type PasskeyRow = Readonly<Selectable<PasskeysTable>>;

export async function listPasskeys(db: Executor, personId: string): Promise<readonly PasskeyRow[]> {
  return await db.selectFrom('passkeys').selectAll().where('person_id', '=', personId).orderBy('created_at').execute();
}

export async function findPasskey(db: Executor, credentialId: string): Promise<PasskeyRow | null> {
  const row = await db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
  return row ?? null;
}

/** Inserts a passkey. Returns false if it already exists. */
export async function insertPasskey(db: Executor, passkey: PasskeyRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict(conflict => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  return inserted === 1n;
}

export async function notePasskeyUse(db: Executor, id: string, counter: bigint, now: Date): Promise<void> {
  await db.updateTable('passkeys').set({ counter, last_used_at: now }).where('id', '=', id).execute();
}

/** Deletes one passkey of the person, or all. Returns the number of deleted passkeys. */
export async function deletePasskeys(db: Executor, personId: string, id?: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .$if(id !== undefined, query => query.where('id', '=', id ?? ''))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
