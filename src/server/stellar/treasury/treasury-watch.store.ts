import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { StellarBalance } from '../network.ts';

/** What was seen last of a balance of the treasury. */
export interface SeenBalance {
  readonly asset: string;
  readonly low: boolean;
  readonly authorized: boolean;
}

/** Of servers that watch the treasury at once one after the other decides, until its transaction ends. */
export async function lockTreasury(tx: Tx, treasury: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${treasury}, 0))`.execute(tx);
}

/** What was seen last of each balance. */
export async function findSeen(tx: Tx, treasury: string): Promise<ReadonlyMap<string, SeenBalance>> {
  const rows = await tx
    .selectFrom('treasury_balances')
    .select(['asset', 'low', 'authorized'])
    .where('treasury', '=', treasury)
    .execute();
  return new Map(rows.map(row => [row.asset, row]));
}

/** Keeps what is seen now. */
export async function saveSeen(
  tx: Tx,
  treasury: string,
  { asset, spendable, authorized }: Pick<StellarBalance, 'asset' | 'spendable' | 'authorized'>,
  low: boolean,
): Promise<void> {
  const values = { spendable, authorized, low };
  await tx
    .insertInto('treasury_balances')
    .values({ treasury, asset, ...values })
    .onConflict(conflict => conflict.columns(['treasury', 'asset']).doUpdateSet({ ...values, seen_at: sql`now()` }))
    .execute();
}
