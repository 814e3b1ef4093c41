import { sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';

/** Counts one attempt of the subject in windows of `seconds`. Returns the count and the end of the window. */
export async function countAttempt(db: Executor, subject: Buffer, seconds: number, now: Date) {
  const ends = new Date(now.getTime() + seconds * 1000);
  return await db
    .insertInto('sign_in_attempts')
    .values({ subject, count: 1, ends_at: ends })
    .onConflict(conflict =>
      conflict.column('subject').doUpdateSet({
        count: sql`case when sign_in_attempts.ends_at <= ${now} then 1 else sign_in_attempts.count + 1 end`,
        ends_at: sql`case when sign_in_attempts.ends_at <= ${now} then ${ends} else sign_in_attempts.ends_at end`,
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
}

/** Subtracts one attempt of each subject, because the attempt was right. */
export async function forgiveAttempts(db: Executor, subjects: readonly Buffer[]): Promise<void> {
  await db
    .updateTable('sign_in_attempts')
    .set({ count: sql`greatest(count - 1, 0)` })
    .where('subject', 'in', subjects)
    .execute();
}

/** Deletes ended windows, expired tokens and invitations, and devices that were last seen before `unseenSince`. */
export async function deleteOldTraces(db: Executor, now: Date, unseenSince: Date): Promise<number> {
  const results = await Promise.all([
    db.deleteFrom('sign_in_attempts').where('ends_at', '<=', now).executeTakeFirst(),
    db.deleteFrom('used_tokens').where('expires_at', '<=', now).executeTakeFirst(),
    db.deleteFrom('known_devices').where('seen_at', '<=', unseenSince).executeTakeFirst(),
    db.deleteFrom('invitations').where('expires_at', '<=', now).executeTakeFirst(),
  ]);
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}

/** Marks a token as used. Returns false if it was used before. */
export async function useToken(db: Executor, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await db
    .insertInto('used_tokens')
    .values({ hash, expires_at: expiresAt })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return inserted === 1n;
}

/** Whether the device is known as a device of the person with this e-mail address. */
export async function isKnownDevice(db: Executor, hash: Buffer, emailKey: string): Promise<boolean> {
  const device = await db
    .selectFrom('known_devices as d')
    .innerJoin('people as p', 'p.id', 'd.person_id')
    .select('d.person_id')
    .where('d.hash', '=', hash)
    .where('p.email_key', '=', emailKey)
    .executeTakeFirst();
  return device !== undefined;
}

export async function keepDevice(db: Executor, hash: Buffer, personId: string, now: Date): Promise<void> {
  await db
    .insertInto('known_devices')
    .values({ hash, person_id: personId, seen_at: now })
    .onConflict(conflict => conflict.columns(['hash', 'person_id']).doUpdateSet({ seen_at: now }))
    .execute();
}

/** Forgets all known devices of a person. */
export async function deleteDevices(db: Executor, personId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('person_id', '=', personId).execute();
}
