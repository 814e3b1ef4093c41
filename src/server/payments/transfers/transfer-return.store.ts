import type { Updateable } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { TransfersTable } from './tables.ts';
import type { TransferRow } from './transfer.store.ts';

/** Which transfer is meant. */
export interface TransferKey {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly transferId: string;
}

/** The transfer, locked, or null when the merchant has none of this id in the mode. */
export async function lockTransfer(tx: Tx, key: TransferKey): Promise<TransferRow | null> {
  const row = await tx
    .selectFrom('transfers')
    .selectAll()
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.transferId)
    .where('livemode', '=', key.livemode)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Changes a transfer that the transaction holds locked. */
export async function updateTransfer(tx: Tx, row: TransferRow, set: Updateable<TransfersTable>): Promise<TransferRow> {
  return await tx
    .updateTable('transfers')
    .set(set)
    .where('merchant_id', '=', row.merchant_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether the payment has other money that names it and does not count. */
export async function hasProblem(db: Executor, merchantId: string, paymentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .where('payment_id', '=', paymentId)
    .where('problem', 'is not', null)
    .where('status', '<>', 'returned')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
