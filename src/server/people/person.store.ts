import { type Selectable, sql, type Updateable } from 'kysely';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { Role } from '../platform/http/access/roles.ts';
import type { PeopleTable } from './tables.ts';

export type PersonRow = Readonly<Selectable<PeopleTable>>;

/** A merchant to which a person belongs, and the person's role. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The number of the database lock that lets only one request create the first owner. No other lock uses it. */
const ownerLock = 7_094_225_312;

/** The search key of an e-mail address. Lowers only ASCII letters, because other letters may name another mailbox. */
export function emailKey(email: string): string {
  return email.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

export async function findPerson(db: Executor, id: string): Promise<PersonRow | null> {
  return (await db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The person of a session. Throws `invalid_session` if the person no longer exists. */
export async function requirePerson(db: Executor, id: string): Promise<PersonRow> {
  const person = await findPerson(db, id);
  if (person === null) throw new PayError('invalid_session', 'You are signed out. Sign in again.');
  return person;
}

export async function findPersonByEmail(db: Executor, email: string): Promise<PersonRow | null> {
  const key = emailKey(email);
  return (await db.selectFrom('people').selectAll().where('email_key', '=', key).executeTakeFirst()) ?? null;
}

/** All people of the server, for its operator. */
export async function listEveryone(db: Executor): Promise<readonly Pick<PersonRow, 'id' | 'email' | 'name'>[]> {
  return await db.selectFrom('people').select(['id', 'email', 'name']).orderBy('created_at').orderBy('id').execute();
}

/** Changes the person. Throws `invalid_email` if another person has the e-mail address. */
export async function updatePerson(tx: Executor, id: string, set: Updateable<PeopleTable>): Promise<void> {
  if (Object.keys(set).length === 0) return;
  try {
    await tx.updateTable('people').set(set).where('id', '=', id).execute();
  } catch (error) {
    if (!isEmailTaken(error)) throw error;
    throw new PayError('invalid_email', 'Another person uses this e-mail address.', { param: 'email' });
  }
}

/** Whether a write failed because another person has the e-mail address. */
function isEmailTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'people_email_key_key';
}

/** Whether any person can sign in without the start token. */
export async function isClaimed(db: Executor): Promise<boolean> {
  const [person, passkey] = await Promise.all([
    db.selectFrom('people').select('id').where('password_hash', 'is not', null).limit(1).executeTakeFirst(),
    db.selectFrom('passkeys').select('id').limit(1).executeTakeFirst(),
  ]);
  return person !== undefined || passkey !== undefined;
}

/** The id of the operator, who owns the merchant. The first call creates the person; concurrent calls wait for it. */
export async function ensureOwner(tx: Tx, merchantId: string, now: Date): Promise<string> {
  await sql`select pg_advisory_xact_lock(${ownerLock})`.execute(tx);
  const known = await tx.selectFrom('people').select('id').where('is_operator', '=', true).executeTakeFirst();
  if (known !== undefined) return known.id;
  const id = newId('person');
  await tx.insertInto('people').values({ id, is_operator: true, created_at: now }).execute();
  await insertMembership(tx, merchantId, id, 'owner', now);
  return id;
}

/** Creates a person. Throws `illegal_state` if another call has just created a person with the e-mail address. */
export async function insertPerson(
  tx: Tx,
  person: Pick<PersonRow, 'id' | 'email' | 'email_key' | 'email_verified_at' | 'name' | 'password_hash' | 'created_at'>,
): Promise<void> {
  try {
    await tx.insertInto('people').values(person).execute();
  } catch (error) {
    if (!isEmailTaken(error)) throw error;
    throw new PayError('illegal_state', 'An account with this e-mail address was created a moment ago. Try again.');
  }
}

/** The person, locked until the transaction ends. */
export async function lockPerson(tx: Tx, id: string): Promise<PersonRow | null> {
  return (await tx.selectFrom('people').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

export async function insertMembership(tx: Tx, merchantId: string, personId: string, role: Role, now: Date) {
  const values = { merchant_id: merchantId, person_id: personId, role, created_at: now };
  const insert = tx.insertInto('memberships').values(values);
  await insert.onConflict(conflict => conflict.columns(['merchant_id', 'person_id']).doNothing()).execute();
}

/** The merchants of a person, in the order of joining. */
export async function findMemberships(db: Executor, personId: string): Promise<readonly Membership[]> {
  return await db
    .selectFrom('memberships as m')
    .innerJoin('merchants', 'merchants.id', 'm.merchant_id')
    .select(['m.merchant_id as id', 'merchants.name', 'm.role'])
    .where('m.person_id', '=', personId)
    .orderBy('m.created_at')
    .orderBy('m.merchant_id')
    .execute();
}
