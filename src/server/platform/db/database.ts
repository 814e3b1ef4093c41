import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
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
  /** Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void;
  /** Milliseconds without traffic after which a used connection is closed: the database may be gone. 0: never. */
  readonly silenceMs?: number;
}

/** An open database: Kysely for queries, the pool for figures and hand-written statements. */
export type Database = ReturnType<typeof createDatabase>;

/** The default of `silenceMs`: callers are answered within five seconds. */
const servingSilenceMs = 4_500;

const int8 = 20;
const numeric = 1700;

type Queries = new (config?: pg.ClientConfig) => { query(...parameters: unknown[]): unknown };

/** A connection that asks `pg` by callback: of an awaited query, `pg` keeps the parameters in memory for long (20 MB). */
class Client extends (pg.Client as unknown as Queries) {
  override query(...parameters: unknown[]): unknown {
    if (parameters.some(parameter => typeof parameter === 'function')) return super.query(...parameters);
    return new Promise((resolve, reject) => {
      super.query(...parameters, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    });
  }
}

/** Opens a pool. 8-byte integers and integer numerics come back as bigint, so that money never passes through a float. */
export function createDatabase(options: DatabaseOptions) {
  const pool = new pg.Pool({
    Client: Client as unknown as typeof pg.Client,
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
  const limitSilence = giveUpSilentConnections(pool, options.silenceMs ?? servingSilenceMs);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    writes: watchWrites(pool),
    /** Sets `silenceMs` of all connections to its default. */
    limitSilence,
    // Kysely's own destroy() leaves the pool open when no query went through Kysely.
    close: async (): Promise<void> => {
      if (!pool.ending) await pool.end();
    },
  };
}

/** Returns what sets the limit to that of a server that serves. */
function giveUpSilentConnections(pool: pg.Pool, silenceMs: number): () => void {
  let limitMs = silenceMs;
  const inUse = new WeakSet<pg.PoolClient>();
  const streams = new Set<Socket>();
  pool.on('acquire', client => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', client => {
    // The driver's types do not name its socket, which is the only way to notice silence.
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    streams.add(stream);
    stream.on('close', () => streams.delete(stream));
    stream.setTimeout(limitMs);
    stream.on('timeout', () => {
      if (inUse.has(client)) stream.destroy(new Error('Connection terminated: the database went silent'));
    });
  });
  return () => {
    limitMs = servingSilenceMs;
    for (const stream of streams) stream.setTimeout(limitMs);
  };
}

function parseInteger(text: string): bigint {
  return BigInt(text);
}

/** SQLSTATEs of a database that answers and cannot write: no room, no memory, a read-only standby, a disk with faults. */
const states = /^(53[012]00|53000|25006|58030)$/;
/** A full disk lets some writes through: the trouble ends with a write this long after the last failure. */
const stickyMs = 60_000;

/** Listens to PostgreSQL's errors on each connection, since requests and sweeps write through the pool. */
function watchWrites(pool: pg.Pool) {
  let trouble: string | null = null;
  let failedAt = 0;
  pool.on('connect', client => {
    // The driver reports these messages only here; its types do not name the connection.
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    connection.on('errorMessage', ({ code = '', message }: pg.DatabaseError) => {
      if (!states.test(code)) return;
      trouble = `${message} (${code})`;
      failedAt = performance.now();
    });
    connection.on('commandComplete', ({ text }: { readonly text: string }) => {
      if (trouble === null || !isWrite(text) || performance.now() - failedAt < stickyMs) return;
      trouble = null;
    });
  });
  return { remarks: (): readonly string[] => (trouble === null ? [] : [`database: writes fail: ${trouble}`]) };
}

/** Whether the tag of a command, like `INSERT 0 1`, says that it wrote a row. */
function isWrite(tag: string): boolean {
  return /^(INSERT 0|UPDATE|DELETE) [1-9]/.test(tag);
}

/**
 * Runs work inside a savepoint. When the work rejects, its writes are undone, the transaction stays usable, and the
 * error is thrown.
 */
export async function withSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint attempt`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx);
    throw error;
  }
}

/** Whether the database refused the values themselves (SQLSTATE classes 22 and 23): trying again would fail again. */
export function isRefusedByData(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code);
}
