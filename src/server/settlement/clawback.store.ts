import type { Executor, Tx } from '../platform/db/database.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import type { Clawback } from '../stellar/network.ts';

/** The cursor up to which the network was read for clawbacks. Null before the first reading. */
export async function findClawbackCursor(db: Executor, treasury: string): Promise<string | null> {
  const query = db.selectFrom('treasury_cursors').select('cursor').where('treasury', '=', treasury);
  return (await executePrepared(db, query)).rows[0]?.cursor ?? null;
}

export async function saveClawbackCursor(tx: Tx, treasury: string, cursor: string): Promise<void> {
  await tx
    .insertInto('treasury_cursors')
    .values({ treasury, cursor })
    .onConflict(conflict => conflict.column('treasury').doUpdateSet({ cursor }))
    .execute();
}

/** Stores a clawback. Returns false if it is already stored. */
export async function insertClawback(tx: Tx, treasury: string, clawback: Clawback): Promise<boolean> {
  const row = await tx
    .insertInto('treasury_clawbacks')
    .values({
      treasury,
      reference: clawback.reference,
      asset: clawback.asset,
      amount: clawback.amount,
      tx_hash: clawback.transactionHash,
      created_at: clawback.createdAt,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('reference')
    .executeTakeFirst();
  return row !== undefined;
}
