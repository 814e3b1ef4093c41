import { type Selectable, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { Role } from '../../platform/http/access/roles.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { InvitationsTable, PersonActionsTable } from '../tables.ts';

/** The members of a merchant, in the order of joining. A merchant has few members, so the list has one page. */
export async function listMembers(db: Executor, merchantId: string) {
  return await db
    .selectFrom('memberships as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select(['p.id', 'p.email', 'p.name', 'm.role', 'm.created_at', 'm.last_seen_at'])
    .select(
      sql<boolean>`p.totp_confirmed_at is not null
        or exists (select 1 from passkeys where passkeys.person_id = p.id)`.as('has_second_factor'),
    )
    .where('m.merchant_id', '=', merchantId)
    .orderBy('m.created_at')
    .orderBy('p.id')
    .limit(1000)
    .execute();
}

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

/** The roles of all members by person. The rows are locked, so that two requests cannot remove the last two owners. */
export async function lockRoles(tx: Tx, merchantId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx
    .selectFrom('memberships')
    .select(['person_id', 'role'])
    .where('merchant_id', '=', merchantId)
    .orderBy('person_id')
    .forUpdate()
    .execute();
  return new Map(rows.map(row => [row.person_id, row.role]));
}

/** The person's role at the merchant. Null: the person is no member. */
export async function findRole(db: Executor, merchantId: string, personId: string): Promise<Role | null> {
  const row = await db
    .selectFrom('memberships')
    .select('role')
    .where(eb => eb.and({ merchant_id: merchantId, person_id: personId }))
    .executeTakeFirst();
  return row?.role ?? null;
}

export async function setRole(tx: Tx, merchantId: string, personId: string, role: Role): Promise<void> {
  await membership(tx.updateTable('memberships').set({ role }), merchantId, personId).execute();
}

export async function deleteMembership(tx: Tx, merchantId: string, personId: string): Promise<void> {
  await membership(tx.deleteFrom('memberships'), merchantId, personId).execute();
}

interface Filtered<Query> {
  where(column: 'merchant_id' | 'person_id', operator: '=', value: string): Query;
}

function membership<Query extends Filtered<Query>>(query: Query, merchantId: string, personId: string): Query {
  return query.where('merchant_id', '=', merchantId).where('person_id', '=', personId);
}

export type InvitationRow = Readonly<Selectable<InvitationsTable>>;

/** Stores an invitation, and replaces an earlier one for the same address. */
export async function replaceInvitation(tx: Tx, invitation: InvitationRow): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where('merchant_id', '=', invitation.merchant_id)
    .where('email_key', '=', invitation.email_key)
    .execute();
  await tx.insertInto('invitations').values(invitation).execute();
}

export async function listInvitations(db: Executor, merchantId: string, now: Date): Promise<readonly InvitationRow[]> {
  return await db
    .selectFrom('invitations')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute();
}

export async function findInvitation(db: Executor, merchantId: string, id: string): Promise<InvitationRow | null> {
  const found = await db
    .selectFrom('invitations')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return found ?? null;
}

/** Deletes an invitation that was used or withdrawn. Returns false if it no longer exists. */
export async function deleteInvitation(db: Executor, merchantId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export type AuditRow = Readonly<Selectable<PersonActionsTable>>;

export async function insertAuditEntry(db: Executor, entry: AuditRow): Promise<void> {
  await db.insertInto('person_actions').values(entry).execute();
}

export async function setAuditStatus(
  db: Executor,
  { merchant_id: merchantId, id }: Pick<AuditRow, 'merchant_id' | 'id'>,
  status: number,
): Promise<void> {
  const update = db.updateTable('person_actions').set({ status }).where('merchant_id', '=', merchantId);
  await update.where('id', '=', id).execute();
}

/** A page of the merchant's audit log, and the people in it by id. */
export async function readAuditLog(db: Executor, scope: MerchantScope, request: PageRequest) {
  const page: Page<AuditRow> = await readPage(db, { table: 'person_actions', ...scope }, request);
  const ids = [...new Set(page.rows.map(row => row.person_id))];
  const people =
    ids.length === 0
      ? []
      : await db.selectFrom('people').select(['id', 'name', 'email']).where('id', 'in', ids).execute();
  return { page, people: new Map(people.map(person => [person.id, person])) };
}
