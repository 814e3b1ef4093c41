import { type RawBuilder, sql } from 'kysely';
import { keptPlan } from './kept-plans.ts';

/** Rows of a table whose hour has come on their merchant's clock. */
export interface DueOptions {
  /** The table; in the conditions below its alias is `t`. It has `merchant_id`. */
  readonly table: string;
  /** The column that says when a row is due. Index it, where rows may be due at all. */
  readonly dueAt: string;
  /** Columns to take from the table: its key. */
  readonly columns: readonly string[];
  /** Which rows may be due at all, for example sql`t.status = 'pending'`: the condition of the partial index. */
  readonly where: RawBuilder<unknown>;
  /** Which of those belong to test mode and so follow the merchant's test clock; the default is sql`not t.livemode`. */
  readonly inTestMode?: RawBuilder<unknown>;
  /** The real time. */
  readonly now: Date;
  /** Largest number of rows from either branch. */
  readonly limit: number;
}

/**
 * The common table expression `due` for `with ${dueRows(…)} update …`: locked rows (skipping those another worker
 * holds) with the columns asked for and `clock`, the present moment of the row's merchant.
 *
 * A test clock only ever runs ahead. So whatever is due by the real time is due for everybody, and one scan of the
 * plain index finds it; only merchants that moved their clock need a second look, each at its own window of the index.
 */
export function dueRows(options: DueOptions): RawBuilder<unknown> {
  const { limit, where } = options;
  const columns = sql.join(options.columns.map(column => sql.ref(`t.${column}`)));
  const table = sql.table(options.table);
  const dueAt = sql.ref(`t.${options.dueAt}`);
  const now = sql`${options.now}::timestamptz`;
  const clock = sql`${now} + m.test_clock_offset_ms * interval '1 millisecond'`;
  const inTestMode = options.inTestMode ?? sql`not t.livemode`;
  return sql`${sql.raw(keptPlan)} due_by_real_time as (
      select ${columns}, ${now} + case when ${inTestMode} then m.test_clock_offset_ms else 0 end * interval '1 millisecond' as clock
      from ${table} t join merchants m on m.id = t.merchant_id
      where (${where}) and ${dueAt} <= ${now}
      order by ${dueAt} limit ${limit} for update of t skip locked
    ), due_by_test_clock as (
      select moved.* from merchants m cross join lateral (
        select ${columns}, ${clock} as clock
        from ${table} t
        where t.merchant_id = m.id and (${where}) and (${inTestMode}) and ${dueAt} > ${now} and ${dueAt} <= ${clock}
        order by ${dueAt} limit ${limit} for update of t skip locked
      ) moved
      where m.test_clock_offset_ms > 0 limit ${limit}
    ), due as (
      select * from due_by_real_time union all select * from due_by_test_clock
    )`;
}
