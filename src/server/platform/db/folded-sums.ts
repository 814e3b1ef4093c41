import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { anyRow } from './lease.ts';
import type { Tables } from './tables.ts';

/**
 * Sums that the database keeps up as rows change, so that a reader need not scan these rows. A trigger appends what a
 * statement changed to `changes`, so that concurrent writers never wait for one row. A sweep adds the changes to
 * `totals`. Both tables have the same columns.
 */
export interface FoldedSums {
  readonly totals: keyof Tables;
  readonly changes: keyof Tables;
  /** The primary key of `totals`. */
  readonly key: readonly string[];
  readonly sums: readonly string[];
}

/** Totals and changes together. One statement reads both tables, so it sees each change exactly once. */
export function rowsOfSums({ totals, changes }: FoldedSums, where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${sql.table(totals)} where ${where}
    union all select * from ${sql.table(changes)} where ${where}) f`;
}

/** Maximum changes that one fold takes. */
const batch = 5_000;

/** The sweep that folds the sums. Without its rest, steady writes would keep the sweep running. */
export function foldSweep(name: string, db: Db, sums: FoldedSums) {
  return { name, due: [anyRow(sums.changes)], rest: { ms: 2_000, fullBatch: batch }, run: () => foldSums(db, sums) };
}

/**
 * Adds up to `batch` changes to the totals, in one statement. Returns the number of changes. Concurrent workers take
 * different changes and write the totals in the same order.
 */
export async function foldSums(db: Db, { totals, changes, key: keys, sums: names }: FoldedSums): Promise<number> {
  const key = sql.join(keys.map(name => sql.ref(name)));
  const columns = sql.join(names.map(name => sql.ref(name)));
  const total = sql.table(totals);
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from ${sql.table(changes)} where ctid = any (array(
        select ctid from ${sql.table(changes)} limit ${batch} for update skip locked))
      returning *
    ), folded as (
      insert into ${total} (${key}, ${columns})
      select ${key}, ${sql.join(names.map(name => sql`sum(${sql.ref(name)})`))} from taken group by ${key} order by ${key}
      on conflict (${key}) do update set ${sql.join(
        names.map(name => sql`${sql.ref(name)} = ${total}.${sql.ref(name)} + excluded.${sql.ref(name)}`),
      )}
    )
    select count(*)::int as count from taken`.execute(db);
  return rows[0]?.count ?? 0;
}
