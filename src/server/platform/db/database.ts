import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { DatabaseMemory } from './database-memory.ts';
import { isOldPlan } from './outage.ts';
import { createPlanning, type NamedCalls } from './planning.ts';
import type { Tables } from './tables.ts';

/** The database outside a transaction. */
export type Db = Kysely<Tables>;
/** The database inside a transaction. */
export type Tx = Transaction<Tables>;
/** For reads, and for writes in a single statement. */
export type Executor = Db | Tx;

/** Connection settings of PostgreSQL. */
export interface DatabaseOptions {
  readonly connection: pg.PoolConfig;
  /** Maximum number of connections. */
  readonly max?: number;
  /** Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void;
  /** Called once, when a frequent statement is not prepared because the maximum number is prepared. */
  readonly onStatementsFull?: () => void;
  /** Milliseconds without traffic until a connection in use is closed. 0: never. */
  readonly silenceMs?: number;
}

/** An open database: Kysely for queries, the pool for metrics and hand-written statements. */
export type Database = ReturnType<typeof createDatabase>;

/**
 * Milliseconds without a statement after which PostgreSQL ends a transaction. Its server is frozen, or has lost its
 * network or power, while other servers wait for its locks. TCP would notice after hours.
 */
const idleTransactionMs = 15_000;

/** Default of `silenceMs`. With it, a request is answered within five seconds even if the database is silent. */
const servingSilenceMs = 4_500;

const int8 = 20;
const numeric = 1700;

type Queries = new (config?: pg.ClientConfig) => { query(...parameters: unknown[]): unknown };

/** The pool passes its configuration to each of its connections. */
type Config = pg.ClientConfig & { readonly namedCalls: NamedCalls };

/** Calls `pg` with callbacks. A promise of `pg` would keep the parameters in memory for too long. */
class Client extends (pg.Client as unknown as Queries) {
  /** Why the last `begin` failed, until its transaction is rolled back. */
  #failedBegin: Error | null = null;
  /** Settles with the answer to `begin`. Null if no `begin` is waiting for its answer. */
  #begun: Promise<unknown> | null = null;
  /** Whether a statement waits for the answer to `begin`. Later statements wait behind it, so that all run in order. */
  #isHolding = false;
  readonly #planning: ReturnType<typeof createPlanning>;

  constructor(config: Config) {
    super(config);
    // If a setting fails, the transaction fails, and its next statement reports the error.
    this.#planning = createPlanning(text => void super.query(text, () => undefined), config.namedCalls);
  }

  override query(...parameters: unknown[]): unknown {
    if (parameters.some(parameter => typeof parameter === 'function')) return super.query(...parameters);
    const [first] = parameters;
    if (first === 'begin') return this.#begin(parameters);
    if (this.#begun === null || !(this.#isHolding || isWriting(first))) return this.#send(parameters);
    this.#isHolding = true;
    return this.#begun.then(() => this.#send(parameters));
  }

  async #begin(parameters: unknown[]): Promise<unknown> {
    this.#failedBegin = null;
    const answer = this.#send(parameters);
    this.#begun = answer.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await answer;
    } finally {
      this.#begun = null;
      this.#isHolding = false;
    }
  }

  #send(parameters: unknown[]): Promise<unknown> {
    const [text] = parameters;
    if (text === 'rollback') this.#failedBegin = null;
    else if (this.#failedBegin !== null) return Promise.reject(this.#failedBegin);
    this.#planning.prepareFor(text);
    return new Promise((resolve, reject) => {
      super.query(...parameters, (error: Error | null, result: unknown) => {
        if (error && text === 'begin') this.#failedBegin = error;
        const failure = error ?? (text === 'rollback' ? null : this.#failedBegin);
        if (failure) reject(failure);
        else resolve(result);
      });
    });
  }
}

/**
 * Whether a statement changes rows or settings, or notifies. The client sends it after the answer to `begin`. After a
 * failed `begin`, the statement would otherwise commit by itself. A claim of an Idempotency-Key may be sent earlier,
 * because a claim expires.
 */
function isWriting(statement: unknown): boolean {
  const text = typeof statement === 'string' ? statement : (statement as { readonly text: string }).text;
  const changes = text.replace(/\bfor (no key )?update\b|\bdo update\b|\binsert into idempotency_keys as kept\b/g, '');
  return /\b(insert into|update|delete from|truncate|merge into|pg_notify|set_config)\b/.test(changes);
}

/**
 * Sends `begin` together with a first statement that only reads or locks, which saves a round trip. If `begin` fails,
 * the client fails all statements of the transaction.
 */
class Driver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    super.beginTransaction(connection, settings).catch(() => undefined);
  }
}

class Dialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #memory: DatabaseMemory;

  constructor(config: PostgresDialectConfig, memory: DatabaseMemory) {
    super(config);
    this.#config = config;
    this.#memory = memory;
  }

  override createAdapter(): DatabaseMemory {
    return this.#memory;
  }

  override createDriver(): Driver {
    return new Driver(this.#config);
  }
}

/** Opens a pool. Returns 8-byte integers and numerics as bigint, so that money is never a float. */
export function createDatabase(options: DatabaseOptions) {
  const namedCalls: NamedCalls = { count: 0 };
  const config: pg.PoolConfig & Config = {
    namedCalls,
    Client: Client as unknown as typeof pg.Client,
    pipeline: true,
    max: options.max ?? 16,
    connectionTimeoutMillis: 4_000,
    // Sweeps that run each minute find connections with prepared statements.
    idleTimeoutMillis: 300_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: idleTransactionMs,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric
          ? parseInteger
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    ...options.connection,
  };
  const pool = new pg.Pool(config);
  pool.on('error', error => options.onError?.(error));
  // A broken connection fails its query. Without this listener, the connection's `error` event would end the process.
  pool.on('connect', client => client.on('error', () => undefined));
  reuseOldest(pool);
  const limitSilence = giveUpSilentConnections(pool, options.silenceMs ?? servingSilenceMs);
  const statements = new DatabaseMemory(options.onStatementsFull ?? (() => undefined));
  const db = new Kysely<Tables>({ dialect: new Dialect({ pool }, statements) });
  return {
    db,
    pool,
    /** The numbers of prepared statements, and of calls that were not prepared because of the maximum. */
    statements: statements as Pick<DatabaseMemory, 'prepared' | 'unprepared'>,
    writes: watchWrites(pool),
    /** Sets the limit of all connections to the default of `silenceMs`. */
    limitSilence,
    // Kysely's own destroy() leaves the pool open if Kysely has not sent a query.
    close: async (): Promise<void> => {
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * Makes the pool reuse its oldest idle connection, which has the most prepared statements and cached tables. Otherwise
 * each burst of calls would put a newer connection first, which plans every statement again.
 */
function reuseOldest(pool: pg.Pool): void {
  // The pool takes the last of this list, which its types do not contain.
  const { _idle: idle } = pool as unknown as { readonly _idle: { readonly client: object }[] };
  const numbers = new WeakMap<object, number>();
  let count = 0;
  const numberOf = ({ client }: { readonly client: object }) => numbers.get(client) ?? 0;
  pool.on('connect', client => numbers.set(client, ++count));
  // The pool reports the release just before it appends the connection.
  pool.on('release', () => queueMicrotask(() => idle.sort((one, other) => numberOf(other) - numberOf(one))));
}

/**
 * Closes connections in use that are silent for `silenceMs`. Returns a function that changes the limit to the default.
 */
function giveUpSilentConnections(pool: pg.Pool, silenceMs: number): () => void {
  let limitMs = silenceMs;
  const inUse = new WeakSet<pg.PoolClient>();
  const streams = new Set<Socket>();
  pool.on('acquire', client => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', client => {
    // Silence shows only on the driver's socket, which the driver's types do not contain.
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    streams.add(stream);
    stream.on('close', () => streams.delete(stream));
    stream.setTimeout(limitMs);
    stream.on('timeout', () => {
      if (inUse.has(client)) stream.destroy(new Error('Connection terminated: the database stopped answering'));
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

/** SQLSTATEs of a database that cannot write: no disk space, no memory, a read-only standby, disk errors. */
const states = /^(53[012]00|53000|25006|58030)$/;
/**
 * The problem counts as solved if a write succeeds this long after the last failure, in milliseconds. An earlier
 * success proves nothing, because some writes succeed on a full disk.
 */
const stickyMs = 60_000;

/** Listens to PostgreSQL's errors on each connection, because requests and sweeps write through the pool. */
function watchWrites(pool: pg.Pool) {
  let trouble: string | null = null;
  let failedAt = 0;
  pool.on('connect', client => {
    // The driver reports these messages only on its connection, which its types do not contain.
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

/** Whether a command's tag, for example `INSERT 0 1`, means that the command wrote a row. */
function isWrite(tag: string): boolean {
  return /^(INSERT 0|UPDATE|DELETE) [1-9]/.test(tag);
}

/**
 * Runs work inside a savepoint. If the work rejects, its writes are undone, the transaction stays usable, and the error
 * is thrown.
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

/**
 * Runs a transaction. Runs it again, up to twice, if PostgreSQL ended it because of a deadlock, a serialization
 * failure or a migration. The work must therefore change only the database.
 */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === mostTries || !(isLostRace(error) || isOldPlan(error))) throw error;
      // The pause lets the other transaction lock the rows first. Otherwise the same deadlock would happen again.
      await setTimeout(50 * tries);
    }
  }
}

const mostTries = 3;

/** Whether PostgreSQL rolled the work back in favour of a concurrent transaction (SQLSTATE 40001 and 40P01). */
export function isLostRace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '40001' || code === '40P01';
}

/** Whether the database rejected the values (SQLSTATE classes 22 and 23), so that a retry would fail again. */
export function isRefusedByData(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code);
}
