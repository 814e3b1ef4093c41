import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../platform/db/database.ts';
import { announce } from '../../platform/events/outbox.ts';
import type { PersonSessionsTable } from '../tables.ts';

export type SessionRow = Readonly<Selectable<PersonSessionsTable>>;

/** Stores a new session, and the time as the person's last visit. */
export async function insertSession(db: Executor, session: SessionRow): Promise<void> {
  await db.insertInto('person_sessions').values(session).execute();
  const seen = { last_seen_at: session.created_at };
  await db.updateTable('memberships').set(seen).where('person_id', '=', session.person_id).execute();
}

/** An open session, its person and a merchant: `merchantId` if the person belongs to it, otherwise the first one. */
export async function findOpenSession(db: Executor, hash: Buffer, merchantId: string | null, now: Date) {
  const session = await db
    .selectFrom('person_sessions as s')
    .innerJoin('people as p', 'p.id', 's.person_id')
    .innerJoin('memberships as m', 'm.person_id', 's.person_id')
    .select(['s.id', 's.person_id', 's.created_at', 's.last_seen_at', 's.expires_at', 'p.is_operator'])
    .select(['m.merchant_id', 'm.role'])
    .where('s.hash', '=', hash)
    .where('s.expires_at', '>', now)
    .orderBy(sql`(m.merchant_id = ${merchantId ?? ''})`, 'desc')
    .orderBy('m.created_at')
    .orderBy('m.merchant_id')
    .limit(1)
    .executeTakeFirst();
  return session ?? null;
}

/** Records the use of a session and of the person's membership, and extends the session. */
export async function touchSession(
  db: Executor,
  session: { readonly id: string; readonly person_id: string; readonly merchant_id: string },
  now: Date,
  expiresAt: Date,
): Promise<void> {
  const { id, person_id: personId, merchant_id: merchantId } = session;
  const set = { last_seen_at: now, expires_at: expiresAt };
  await db.updateTable('person_sessions').set(set).where('id', '=', id).execute();
  await db
    .updateTable('memberships')
    .set({ last_seen_at: now })
    .where('merchant_id', '=', merchantId)
    .where('person_id', '=', personId)
    .execute();
}

/** The topic of live notices about the end of a session. */
export function topicOfSession(id: string) {
  return { merchantId: 'sessions', resourceId: id };
}

/** Notifies all processes of ended sessions, so that their streams end at once. */
async function announceEnded(db: Executor, ended: readonly { readonly id: string }[]): Promise<void> {
  await announce(
    db,
    ended.map(({ id }) => topicOfSession(id)),
  );
}

export async function deleteSession(db: Executor, id: string): Promise<void> {
  await announceEnded(db, await db.deleteFrom('person_sessions').where('id', '=', id).returning('id').execute());
}

/** Ends the session with this token hash, if there is one. */
export async function deleteSessionWith(db: Executor, hash: Buffer): Promise<void> {
  await announceEnded(db, await db.deleteFrom('person_sessions').where('hash', '=', hash).returning('id').execute());
}

/** Ends all sessions of a person except the session `keptId`. */
export async function deleteOtherSessions(db: Executor, personId: string, keptId: string | null): Promise<void> {
  const ended = await db
    .deleteFrom('person_sessions')
    .where('person_id', '=', personId)
    .where('id', '!=', keptId ?? '')
    .returning('id')
    .execute();
  await announceEnded(db, ended);
}

export async function deleteExpiredSessions(db: Executor, now: Date, limit: number): Promise<number> {
  const expired = db.selectFrom('person_sessions').select('id').where('expires_at', '<=', now).limit(limit);
  const { numDeletedRows } = await db.deleteFrom('person_sessions').where('id', 'in', expired).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function findSession(db: Executor, id: string): Promise<SessionRow | null> {
  return (await db.selectFrom('person_sessions').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function setConfirmed(db: Executor, id: string, now: Date): Promise<void> {
  await db.updateTable('person_sessions').set({ confirmed_at: now }).where('id', '=', id).execute();
}

/** The open sessions of a person, at most 100. The last used session is first. */
export async function listSessions(db: Executor, personId: string, now: Date): Promise<readonly SessionRow[]> {
  return await db
    .selectFrom('person_sessions')
    .selectAll()
    .where('person_id', '=', personId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .limit(100)
    .execute();
}

/** Ends one session of the person. Returns false if the session does not exist. */
export async function deleteSessionOf(db: Executor, personId: string, id: string): Promise<boolean> {
  const ended = await db
    .deleteFrom('person_sessions')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  await announceEnded(db, ended);
  return ended.length === 1;
}
