import type { CompiledQuery, QueryExecutorProvider, QueryResult, RawBuilder } from 'kysely';
import type { Executor, Tx } from './database.ts';
import { type DatabaseMemory, memoryOf } from './database-memory.ts';
import { isOldPlan } from './outage.ts';

/** Maximum rows of a prepared statement. Its plan expects few rows. With many rows, its loops could take minutes. */
const mostRows = 100;

/**
 * Executes a statement that each connection prepares once, by name. Use it for frequent statements with a constant text
 * that take longer to plan than to run. With many rows, the statement is not prepared but planned for them. After a
 * migration that changes its result columns, a transaction with the statement fails once. `transact` and the group
 * writer repeat it; other requests answer 503.
 */
export async function executePrepared<Row>(
  db: QueryExecutorProvider & Pick<Executor, 'executeQuery' | 'isTransaction'>,
  query: Pick<RawBuilder<Row>, 'compile'>,
): Promise<QueryResult<Row>> {
  const memory = memoryOf(db);
  const execute = async () => {
    const compiled = named(memory, query.compile(db));
    return await forgettingOld(memory, [compiled], () => db.executeQuery(compiled));
  };
  // The database refuses an old plan before it runs. Only a transaction is lost with its first attempt.
  return await execute().catch(error => {
    if (db.isTransaction || !isOldPlan(error)) throw error;
    return execute();
  });
}

/** The rows of each statement. */
type Results<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: readonly Rows[Index][] };

/**
 * Executes prepared statements in one round trip: each is sent without waiting for the previous answer. The database
 * runs them in order. If a statement waits for a lock, later statements see the changes that it waited for.
 */
export async function executeTogether<Rows extends readonly unknown[]>(
  tx: Tx,
  ...queries: { readonly [Index in keyof Rows]: RawBuilder<Rows[Index]> }
): Promise<Results<Rows>> {
  const memory = memoryOf(tx);
  const compiled = queries.map(query => named(memory, query.compile(tx)));
  // Kysely itself waits for each answer before it sends a transaction's next statement.
  const results = await forgettingOld(memory, compiled, () =>
    tx
      .getExecutor()
      .provideConnection(connection => Promise.all(compiled.map(each => connection.executeQuery<unknown>(each)))),
  );
  return results.map(({ rows }) => rows) as unknown as Results<Rows>;
}

/** The statement with its name, or unchanged if it is not prepared. */
function named<Row>(memory: DatabaseMemory, compiled: CompiledQuery<Row>): CompiledQuery<Row> {
  const isLarge = compiled.parameters.some(parameter => valuesIn(parameter) > mostRows);
  const name = isLarge ? null : memory.nameOf(compiled.sql);
  if (name === null) return compiled;
  // Kysely does not support named statements, but passes `sql` unchanged to `pg`, which accepts an object.
  return { ...compiled, sql: { name, text: compiled.sql } as unknown as string };
}

/** If the execution fails because a plan is old, forgets the statements' names. The next calls use new names. */
async function forgettingOld<T>(
  memory: DatabaseMemory,
  statements: readonly CompiledQuery[],
  execute: () => Promise<T>,
): Promise<T> {
  try {
    return await execute();
  } catch (error) {
    if (isOldPlan(error)) {
      for (const { sql } of statements) memory.forget((sql as unknown as { readonly text: string }).text);
    }
    throw error;
  }
}

/** Number of values of an array parameter. 1 for any other parameter. */
function valuesIn(parameter: unknown): number {
  if (Array.isArray(parameter)) return parameter.length;
  // PostgreSQL's binary arrays (`array_recv`) begin with dimensions, flags, type and length, four bytes each.
  return Buffer.isBuffer(parameter) && parameter.length >= 16 ? parameter.readInt32BE(12) : 1;
}
