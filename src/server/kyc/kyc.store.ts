import { sql } from 'kysely';
import type { KycStatus } from '../../api/kyc/kyc.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork, moveDue } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { findRow, insertRows } from '../platform/db/rows.ts';
import type { Erasure } from '../platform/erasure.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { deleteFiles, listFiles } from './files/kyc-file.store.ts';
import { kycIdOf } from './kyc.ts';
import type { KycRow } from './tables.ts';

/** Checks about which the provider is asked next. */
export const dueChecks: DueWork = {
  table: 'kyc_records',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  where: sql`t.due_at is not null`,
  clock: 'merchant',
};

/** A claimed check, and the current time on its merchant's clock. */
export type DueCheck = KycRow & { readonly clock: Date };

/** Seconds after which a check whose worker crashed is due again. */
const leaseSeconds = 60;

export async function claimChecks(db: Db, request: DueRequest): Promise<readonly DueCheck[]> {
  return await claimDue<KycRow>(db, dueChecks, { ...request, leaseSeconds });
}

/** Asks again later about a check without an answer. */
export async function postponeCheck(db: Executor, check: KycRow, to: Date): Promise<void> {
  await moveDue(db, dueChecks, check, { to, set: sql`asked = asked + 1` });
}

/** Makes a record due now, unless its review has ended. Returns whether it is due. */
export async function makeCheckDue(db: Executor, row: KycRow, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update kyc_records set due_at = ${now}
    where merchant_id = ${row.merchant_id} and id = ${row.id} and due_at is not null returning id`.execute(db);
  return rows.length > 0;
}

/** The record with this id, or null. */
export async function findKyc(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  id: string,
): Promise<KycRow | null> {
  return await findRow(db, 'kyc_records', { merchant_id: merchantId, livemode, id });
}

/** The record that a provider's callback names, or null. */
export async function findKycOfCallback(db: Executor, merchantId: string, id: string): Promise<KycRow | null> {
  return await findRow(db, 'kyc_records', { merchant_id: merchantId, id });
}

/** Locks the record until the transaction ends. Inserts it first if it is new. */
export async function lockKyc(tx: Tx, fresh: KycRow): Promise<KycRow> {
  await insertRows(tx, 'kyc_records', [fresh], ['merchant_id', 'id']);
  const row = await findRow(tx, 'kyc_records', { merchant_id: fresh.merchant_id, id: fresh.id }, 'lock');
  if (row === null) throw new Error(`the record ${fresh.id} was not inserted`);
  return row;
}

/** Lists records, newest first. */
export async function listKyc(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
  equal: { readonly status?: KycStatus | undefined },
): Promise<Page<KycRow>> {
  return await readPage(db, { table: 'kyc_records', ...scope }, request, { equal: { ...equal } });
}

/** Deletes the customer's record and files. The provider keeps what it was sent. */
export const kycErasure: Erasure = {
  objectsOf: async (tx, scope, _known) => {
    const files = await listFiles(tx, scope, scope.customerId);
    return [kycIdOf(scope.customerId), ...files.map(({ id }) => id)];
  },
  erase: async (tx, { merchantId, customerId }) => {
    await deleteFiles(tx, merchantId, customerId, null);
    await sql`delete from kyc_records where merchant_id = ${merchantId} and customer_id = ${customerId}`.execute(tx);
  },
};
