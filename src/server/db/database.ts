import type { Socket } from 'node:net';
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
  /**
   * A connection in use on which nothing moves for this long (milliseconds) is given up, and what waits on it fails.
   * Without that, a database that vanished without a word would hold requests for many minutes. 0: never, for work that
   * may take its time.
   */
  readonly silenceMs?: number;
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
  // A connection that breaks while in use fails what waits on it; without a listener it would end the process as well.
  pool.on('connect', client => client.on('error', () => undefined));
  giveUpSilentConnections(pool, options.silenceMs ?? 4_500);
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

function giveUpSilentConnections(pool: pg.Pool, silenceMs: number): void {
  if (silenceMs === 0) return;
  const inUse = new WeakSet<pg.PoolClient>();
  pool.on('acquire', client => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', client => {
    // The driver has no name for its socket, but no other way to notice silence either.
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.setTimeout(silenceMs);
    stream.on('timeout', () => {
      if (inUse.has(client)) stream.destroy(new Error('Connection terminated: the database went silent'));
    });
  });
}

function parseInteger(text: string): bigint {
  return BigInt(text);
}
