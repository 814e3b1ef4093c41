import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

/** The database outside a transaction. */
export type Db = Kysely<Tables>;
/** The database inside a transaction. */
export type Tx = Transaction<Tables>;
/** Either: for reads, and for writes that are one statement. */
export type Executor = Db | Tx;

/** How to reach PostgreSQL. */
export interface DatabaseOptions {
  readonly connection: pg.PoolConfig;
  /** Largest number of connections. */
  readonly max?: number;
  /** Told of connections that break while idle. */
  readonly onError?: (error: Error) => void;
}

/** An open database: Kysely for queries, the pool for LISTEN and for hand-written hot statements. */
export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

const int8 = 20;
const numeric = 1700;

/** Opens a pool. 8-byte integers and integer numerics come back as bigint, so that money never passes through a float. */
export function createDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    max: options.max ?? 16,
    connectionTimeoutMillis: 4_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric
          ? parseInteger
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    ...options.connection,
  });
  pool.on('error', error => options.onError?.(error));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    // Kysely's own destroy() leaves the pool open when no query went through Kysely.
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

function parseInteger(text: string): bigint {
  return BigInt(text);
}
