import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type DueWork, moveDue } from '../../platform/db/lease.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { DisputeRow } from './dispute.ts';

/** A dispute of the merchant and mode, or null. */
export async function findDispute(
  db: Executor,
  scope: { readonly merchantId: string; readonly livemode: boolean },
  id: string,
): Promise<DisputeRow | null> {
  return await findRow(db, 'disputes', { merchant_id: scope.merchantId, id, livemode: scope.livemode });
}

/** The dispute that the rail reported by this reference, or null. */
export async function findReported(
  db: Executor,
  merchantId: string,
  { rail, railReference }: { readonly rail: string; readonly railReference: string },
): Promise<DisputeRow | null> {
  return await findRow(db, 'disputes', { merchant_id: merchantId, rail, rail_reference: railReference });
}

/** Whether the rail has reported a dispute of the payment. */
export async function isDisputed(db: Executor, { merchantId, paymentId }: PaymentKey, rail: string): Promise<boolean> {
  return (await findRow(db, 'disputes', { merchant_id: merchantId, payment_id: paymentId, rail })) !== null;
}

/** Locks a dispute until the transaction ends. Lock its payment first. */
export async function lockDispute(tx: Tx, merchantId: string, id: string): Promise<DisputeRow> {
  const row = await findRow(tx, 'disputes', { merchant_id: merchantId, id }, 'lock');
  if (row === null) throw new Error(`dispute ${id} does not exist`);
  return row;
}

export const dueDisputes: DueWork = {
  table: 'disputes',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  clock: 'merchant',
  where: sql`t.due_at is not null`,
};

/** Sets when the rail is asked again. */
export async function moveDispute(db: Db, dispute: DisputeRow, to: Date): Promise<void> {
  await moveDue(db, dueDisputes, dispute, { to });
}
