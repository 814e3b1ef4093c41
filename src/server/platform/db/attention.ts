import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { MerchantScope } from '../merchant.ts';
import type { Executor } from './database.ts';
import type { Tables } from './tables.ts';

/** The largest exact count of a kind. The limit keeps a count from reading many rows. */
export const mostCounted = 100;

/** Counts objects that wait for a person. `url`: the API's list of these objects. */
export interface AttentionSource {
  readonly url: string;
  /** Counts the objects. `mostCounted + 1` means more. */
  readonly count: (db: Executor, scope: MerchantScope) => Promise<number>;
}

/**
 * Counts the rows of a table that have one of the given values in each column. An index must find these rows.
 * `further`: an additional condition.
 */
export function attentionIn(
  table: keyof Tables,
  columns: Readonly<Record<string, readonly (string | boolean)[]>>,
  url: string,
  further: RawBuilder<SqlBool> = sql<SqlBool>`true`,
): AttentionSource {
  return {
    url,
    count: async (db, { merchantId, livemode }) => {
      const same = Object.entries(columns).map(
        ([name, values]) => sql<SqlBool>`${sql.ref(name)} in (${sql.join(values)})`,
      );
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from (
          select from ${sql.table(table)}
          where merchant_id = ${merchantId} and livemode = ${livemode} and ${sql.join(same, sql` and `)} and ${further}
          limit ${mostCounted + 1}) found`.execute(db);
      return rows[0]?.count ?? 0;
    },
  };
}
