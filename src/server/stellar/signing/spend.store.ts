import { sql } from 'kysely';
import { addSeconds, type Clock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Moment } from '../../platform/db/tables.ts';

/** Columns of `signer_spend`. */
interface SignerSpendTable {
  treasury: string;
  hash: string;
  asset: string;
  amount: bigint;
  signed_at: Moment;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    signer_spend: SignerSpendTable;
  }
}

/** How long what has left counts against the day’s caps, in seconds. */
const windowSeconds = 86_400;

/** What is about to leave by a transaction. */
export interface Spend {
  readonly treasury: string;
  /** Of the transaction, hex. Booked once, however often it is asked for. */
  readonly hash: string;
  /** Stroops by asset, each with what may leave of it in a day; null: any amount. */
  readonly outflows: readonly { readonly asset: string; readonly amount: bigint; readonly cap: bigint | null }[];
}

/** The book of what left the treasury within a day. */
export interface SpendBook {
  /** Books all of it, or nothing: then it is the asset of which there would be too much. */
  book(spend: Spend): Promise<string | null>;
  /** Takes back what a transaction was booked with, once it is known that it will never be in a ledger. */
  forget(treasury: string, hash: string): Promise<void>;
}

/** The book in the database, which all servers share. */
export function createSpendBook(db: Db, clock: Clock): SpendBook {
  return {
    book: async spend => {
      const capped = spend.outflows.filter(({ amount, cap }) => cap !== null && amount > 0n);
      if (capped.length === 0) return null;
      const now = clock.now();
      const since = addSeconds(now, -windowSeconds);
      return await db.transaction().execute(async tx => {
        // One after the other, so that two servers cannot both use up what is left.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`spend ${spend.treasury}`}, 0))`.execute(tx);
        await tx
          .deleteFrom('signer_spend')
          .where('treasury', '=', spend.treasury)
          .where('signed_at', '<', since)
          .execute();
        const spent = await tx
          .selectFrom('signer_spend')
          .select(['asset', sql<bigint>`sum(amount)::bigint`.as('amount')])
          .where('treasury', '=', spend.treasury)
          .where('hash', '<>', spend.hash)
          .groupBy('asset')
          .execute();
        const spentOf = (asset: string) => spent.find(row => row.asset === asset)?.amount ?? 0n;
        const over = capped.find(({ asset, amount, cap }) => spentOf(asset) + amount > (cap ?? 0n));
        if (over !== undefined) return over.asset;
        const row = { treasury: spend.treasury, hash: spend.hash, signed_at: now };
        await tx
          .insertInto('signer_spend')
          .values(capped.map(({ asset, amount }) => ({ ...row, asset, amount })))
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
