import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { dueRows } from '../../platform/db/due.ts';
import type { TransferReturnsTable, TransfersTable } from './tables.ts';
import type { TransferRow } from './transfer.store.ts';

/** Money of a transfer on its way back, as the database holds it. */
export type ReturnRow = Selectable<TransferReturnsTable>;

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

/** Writes a return. */
export async function insertReturn(tx: Tx, row: Insertable<TransferReturnsTable>): Promise<void> {
  await tx.insertInto('transfer_returns').values(row).execute();
}

/** Ends a return that is under way; false when it had ended already. */
export async function endReturn(
  tx: Tx,
  row: Pick<ReturnRow, 'merchant_id' | 'id'>,
  set: Pick<ReturnRow, 'state'> & Updateable<TransferReturnsTable>,
): Promise<boolean> {
  const ended = await tx
    .updateTable('transfer_returns')
    .set({ ...set, due_at: null })
    .where('merchant_id', '=', row.merchant_id)
    .where('id', '=', row.id)
    .where('state', '=', 'pending')
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** How long a claimed return is left to its claimer. */
const leaseSeconds = 30;

/** A return to be sent, with what its rail needs to know. */
export type DueReturn = ReturnRow & {
  readonly clock: Date;
  readonly transfer_reference: string;
  readonly sender: string | null;
};

/** Takes returns whose rail should be asked, and puts their next turn off. */
export async function claimDueReturns(db: Db, now: Date, limit: number): Promise<DueReturn[]> {
  const due = dueRows({
    table: 'transfer_returns',
    dueAt: 'due_at',
    columns: ['merchant_id', 'id'],
    where: sql`t.due_at is not null`,
    now,
    limit,
  });
  const result = await sql<DueReturn>`
    with ${due}, claimed as (
      update transfer_returns r set due_at = due.clock + ${leaseSeconds} * interval '1 second', attempts = r.attempts + 1
      from due where r.merchant_id = due.merchant_id and r.id = due.id
      returning r.*, due.clock
    )
    select c.*, t.rail_reference as transfer_reference, t.sender
    from claimed c join transfers t on t.merchant_id = c.merchant_id and t.id = c.transfer_id`.execute(db);
  return result.rows;
}
