import { sql } from 'kysely';
import type { MerchantScope } from '../merchant.ts';
import type { Executor } from './database.ts';
import type { Tables } from './tables.ts';

/** Maximum number of results. Callers only need to know whether several objects have a name. */
const mostFound = 3;

/** Ids of the merchant's objects whose name in `column` has one of these plain forms (`namesIn`), at most three. */
export async function findByPlainName(
  db: Executor,
  { table, column }: { readonly table: keyof Tables; readonly column: string },
  { merchantId, livemode }: MerchantScope,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where merchant_id = ${merchantId} and livemode = ${livemode} and ${sql.ref(column)} is not null
      and plain_name(${sql.ref(column)}) = any(${[...names]}::text[])
    limit ${mostFound}`.execute(db);
  return rows.map(({ id }) => id);
}
