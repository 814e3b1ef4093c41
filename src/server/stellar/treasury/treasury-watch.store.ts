import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/db/database.ts';
import type { StellarBalance } from '../network.ts';

export interface SeenBalance {
  readonly asset: string;
  readonly low: boolean;
  readonly authorized: boolean;
}

/** Waits until no other server watches the treasury. The lock lasts until the transaction ends. */
export async function lockTreasury(tx: Tx, treasury: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${treasury}, 0))`.execute(tx);
}

export async function findSeen(tx: Tx, treasury: string): Promise<ReadonlyMap<string, SeenBalance>> {
  const rows = await tx
    .selectFrom('treasury_balances')
    .select(['asset', 'low', 'authorized'])
    .where('treasury', '=', treasury)
    .execute();
  return new Map(rows.map(row => [row.asset, row]));
}

/** The balances of the treasury at the last reading. */
export async function listSeen(db: Executor, treasury: string) {
  return await db
    .selectFrom('treasury_balances')
    .selectAll()
    .where('treasury', '=', treasury)
    .orderBy('asset')
    .execute();
}

/** A balance at a reading. `low`: it fell below its floor. */
export type ReadBalance = Pick<StellarBalance, 'asset' | 'spendable' | 'authorized'> & { readonly low: boolean };

export async function saveSeen(tx: Tx, treasury: string, balances: readonly ReadBalance[]): Promise<void> {
  await tx
    .insertInto('treasury_balances')
    .values(balances.map(({ asset, spendable, authorized, low }) => ({ treasury, asset, spendable, authorized, low })))
    .onConflict(conflict =>
      conflict.columns(['treasury', 'asset']).doUpdateSet(eb => ({
        spendable: eb.ref('excluded.spendable'),
        authorized: eb.ref('excluded.authorized'),
        low: eb.ref('excluded.low'),
        seen_at: sql`now()`,
      })),
    )
    .execute();
}
