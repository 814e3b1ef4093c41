import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { StellarBalance } from '../stellar/network.ts';

/** What was seen last of a balance of the treasury. */
export interface SeenBalance {
  readonly asset: string;
  readonly low: boolean;
  readonly authorized: boolean;
  /** How many alarms have been raised about it. */
  readonly alarms: number;
}

/** What was seen last of each balance. Of servers that look at once one after the other decides, until the transaction ends. */
export async function lockSeen(tx: Tx, treasury: string): Promise<ReadonlyMap<string, SeenBalance>> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${treasury}, 0))`.execute(tx);
  const rows = await tx
    .selectFrom('treasury_balances')
    .select(['asset', 'low', 'authorized', 'alarms'])
    .where('treasury', '=', treasury)
    .execute();
  return new Map(rows.map(row => [row.asset, row]));
}

/** Keeps what is seen now. */
export async function saveSeen(
  tx: Tx,
  treasury: string,
  balance: Pick<StellarBalance, 'asset' | 'spendable' | 'authorized'>,
  state: { readonly low: boolean; readonly alarms: number },
): Promise<void> {
  const values = { spendable: balance.spendable, authorized: balance.authorized, ...state };
  await tx
    .insertInto('treasury_balances')
    .values({ treasury, asset: balance.asset, ...values })
    .onConflict(conflict => conflict.columns(['treasury', 'asset']).doUpdateSet({ ...values, seen_at: sql`now()` }))
    .execute();
}
