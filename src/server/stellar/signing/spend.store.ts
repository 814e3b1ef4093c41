import { sql } from 'kysely';
import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Moment } from '../../platform/db/tables.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    signer_spend: {
      treasury: string;
      hash: string;
      asset: string;
      amount: bigint;
      signed_at: Moment;
    };
  }
}

/** Seconds for which an outflow counts against the daily limits. */
const windowSeconds = 86_400;

/** Outflows of a transaction in stroops, each with the daily limit of its asset. Null: no limit. */
export interface Spend {
  readonly treasury: string;
  /** The transaction's hash (hex). A transaction that is signed several times is booked once. */
  readonly hash: string;
  readonly outflows: readonly { readonly asset: string; readonly amount: bigint; readonly cap: bigint | null }[];
}

/** The treasury's outflows of the last day. */
export interface SpendBook {
  /**
   * Books the outflows of assets with a limit, and returns null. If an asset's limit would be exceeded, books nothing
   * and returns that asset.
   */
  book(spend: Spend): Promise<string | null>;
  /** Removes the outflows of a transaction that can never enter a ledger. */
  forget(treasury: string, hash: string): Promise<void>;
}

/** The book in the database, which all servers share. */
export function createSpendBook(db: Db, clock: Clock): SpendBook {
  return {
    book: async ({ treasury, hash, outflows }) => {
      const capped = outflows.filter(({ amount, cap }) => cap !== null && amount > 0n);
      if (capped.length === 0) return null;
      const now = clock.now();
      return await db.transaction().execute(async tx => {
        // The lock prevents two servers from spending the same remaining limit.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`spend ${treasury}`}, 0))`.execute(tx);
        await tx
          .deleteFrom('signer_spend')
          .where('treasury', '=', treasury)
          .where('signed_at', '<', addSeconds(now, -windowSeconds))
          .execute();
        const spent = await tx
          .selectFrom('signer_spend')
          .select(['asset', sql<bigint>`sum(amount)::bigint`.as('amount')])
          .where('treasury', '=', treasury)
          .where('hash', '<>', hash)
          .groupBy('asset')
          .execute();
        const spentOf = (asset: string) => spent.find(row => row.asset === asset)?.amount ?? 0n;
        const over = capped.find(({ asset, amount, cap }) => spentOf(asset) + amount > (cap ?? 0n));
        if (over !== undefined) return over.asset;
        await tx
          .insertInto('signer_spend')
          .values(capped.map(({ asset, amount }) => ({ treasury, hash, asset, amount, signed_at: now })))
          .onConflict(conflict => conflict.columns(['treasury', 'asset', 'hash']).doNothing())
          .execute();
        return null;
      });
    },
    forget: async (treasury, hash) => {
      await db.deleteFrom('signer_spend').where('treasury', '=', treasury).where('hash', '=', hash).execute();
    },
  };
}
