import { sql } from 'kysely';
import { PayError } from '../../core/error.ts';
import { type Executor, type Tx, withSavepoint } from '../platform/db/database.ts';
import type { DueWork } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { announce } from '../platform/events/outbox.ts';
import { type CheckResult, checkedDomain, domainMachine } from './domain.ts';
import type { DomainRow, FailureCode } from './tables.ts';

/** Checks that are due, by the server's clock: DNS follows no test clock. */
export const dueChecks: DueWork = {
  table: 'domains',
  key: ['merchant_id', 'id'],
  dueAt: 'check_at',
  clock: 'real',
  where: sql`t.check_at is not null`,
};

/** Maximum number of domains per merchant. */
const maxDomains = 10;

/** Stores a pending domain. Throws PayError `illegal_state` if the merchant has it already, or has `maxDomains`. */
export async function insertDomain(
  tx: Tx,
  domain: Pick<DomainRow, 'merchant_id' | 'id' | 'livemode' | 'name' | 'created_at' | 'check_at'>,
): Promise<DomainRow> {
  const { count } = await tx
    .selectFrom('domains')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('merchant_id', '=', domain.merchant_id)
    .executeTakeFirstOrThrow();
  if (count >= BigInt(maxDomains)) {
    throw new PayError('illegal_state', `You already have ${maxDomains} domains. Remove one first.`);
  }
  const stored = await tx
    .insertInto('domains')
    .values({ ...domain, status: 'pending', failing_since: domain.created_at })
    .onConflict(conflict => conflict.columns(['merchant_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (stored !== undefined) return stored;
  throw new PayError('illegal_state', `You have already added ${domain.name}.`, { param: 'name' });
}

/** The merchant's domain. Throws `resource_missing`. */
export async function readDomain(db: Executor, merchantId: string, id: string): Promise<DomainRow> {
  const row = await db
    .selectFrom('domains')
    .selectAll()
    .where(({ and }) => and({ merchant_id: merchantId, id }))
    .executeTakeFirst();
  return row ?? missing(id);
}

/** A page of the merchant's domains. Throws PayError `invalid_cursor`. */
export async function listDomains(db: Executor, merchantId: string, request: PageRequest): Promise<Page<DomainRow>> {
  return await readPage(db, { table: 'domains', merchantId }, request);
}

/** All domains of the merchant, at most `maxDomains`, the newest first. */
export async function allDomains(db: Executor, merchantId: string): Promise<readonly DomainRow[]> {
  const all = { limit: maxDomains, startingAfter: null, endingBefore: null, created: [] };
  return (await listDomains(db, merchantId, all)).rows;
}

/** Removes a domain and notifies all processes. Throws PayError `resource_missing`. */
export async function deleteDomain(tx: Tx, merchantId: string, id: string): Promise<void> {
  const result = await tx
    .deleteFrom('domains')
    .where(({ and }) => and({ merchant_id: merchantId, id }))
    .executeTakeFirst();
  if (result.numDeletedRows === 0n) missing(id);
  await announce(tx, [{ merchantId, resourceId: id }]);
}

/**
 * Stores the result of a check and notifies all processes. The failure becomes `taken` if another merchant's domain
 * with this name is active. Returns null if the domain was removed, or its status changed, since `row` was read.
 */
export async function storeCheck(
  tx: Tx,
  row: DomainRow,
  failure: FailureCode | null,
  now: Date,
): Promise<DomainRow | null> {
  try {
    const stored = await withSavepoint(tx, () => updateChecked(tx, row, checkedDomain(row, failure, now)));
    if (stored !== undefined) await announce(tx, [{ merchantId: row.merchant_id, resourceId: row.id }]);
    return stored ?? null;
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (failure !== null || code !== '23505' || constraint !== 'domains_active') throw error;
    return await storeCheck(tx, row, 'taken', now);
  }
}

async function updateChecked(tx: Tx, row: DomainRow, checked: CheckResult): Promise<DomainRow | undefined> {
  const { status } = checked;
  return await tx
    .updateTable('domains')
    .set(checked)
    .where(({ and }) => and({ merchant_id: row.merchant_id, id: row.id, status: row.status }))
    .where('status', 'in', [status, ...domainMachine.sourcesOf(status)])
    .returningAll()
    .executeTakeFirst();
}

/** The id of the merchant's newest active domain, or null. */
export async function findPrimary(db: Executor, merchantId: string): Promise<string | null> {
  const [newest] = await activeDomains(db, merchantId);
  return newest?.id ?? null;
}

/** The active domains of the merchant, or of all merchants, the newest first. */
export async function activeDomains(db: Executor, merchantId?: string) {
  return await db
    .selectFrom('domains')
    .select(['id', 'name', 'merchant_id'])
    .where('status', '=', 'active')
    .$if(merchantId !== undefined, query => query.where('merchant_id', '=', merchantId as string))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

function missing(id: string): never {
  throw new PayError('resource_missing', `There is no domain ${id}.`, { param: 'id' });
}
