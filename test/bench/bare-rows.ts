import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type LoadResult, summary } from './http-load.ts';

/**
 * The baseline of a flow: bare `pg` writes the same rows. The rows are the difference of two snapshots of the database.
 * Each copy gets fresh ids. No HTTP, no validation, no rules.
 */

type Row = Readonly<Record<string, unknown>>;

interface Table {
  readonly key: readonly string[];
  readonly types: Readonly<Record<string, string>>;
  readonly rows: ReadonlyMap<string, Row>;
}

/** All rows of all tables, except the sandbox's and `leftOut`. Take it while the database is small and does no work. */
export type Snapshot = ReadonlyMap<string, Table>;

/**
 * Tables whose rows also steer the running service, and the log of calls. The log is written later and in groups, so a
 * snapshot would contain the rows of other calls.
 */
const leftOut: ReadonlySet<string> = new Set(['rail_cursors', 'invoice_counters', 'api_requests']);

export async function takeSnapshot(pool: pg.Pool): Promise<Snapshot> {
  const { rows: tables } = await pool.query<{ name: string; key: string[]; types: Record<string, string> }>(`
    select c.relname as name,
      (select json_agg(a.attname) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
       where i.indrelid = c.oid and i.indisprimary) as key,
      (select json_object_agg(a.attname, t.typname) from pg_attribute a join pg_type t on t.oid = a.atttypid
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as types
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  const snapshot = new Map<string, Table>();
  for (const { name, key, types } of tables) {
    if (key === null || leftOut.has(name)) continue;
    const { rows } = await pool.query<{ row: Row }>(`select to_jsonb(t) as row from ${name} t`);
    const byKey = new Map(rows.map(({ row }) => [JSON.stringify(key.map(column => row[column])), atRest(row)]));
    snapshot.set(name, { key, types, rows: byKey });
  }
  return snapshot;
}

/** The row, changed so that the sweeps of a running service find no work in it. */
function atRest(row: Row): Row {
  const rest = Object.entries(row).map(([name, value]) => {
    if (name === 'dispatched') return [name, true];
    return [name, name.endsWith('due_at') && value !== null ? '2100-01-01T00:00:00Z' : value];
  });
  return Object.fromEntries(rest);
}

/** One insert or update of a statement. */
interface RowChange {
  readonly table: string;
  readonly types: Table['types'];
  /** The columns that identify the row. Empty: the row is inserted. */
  readonly key: readonly string[];
  readonly set: Row;
  readonly row: Row;
}

/** The rows that one step inserted and changed, and the former state of the changed rows. */
export interface Step {
  readonly changes: readonly RowChange[];
  readonly earlier: readonly RowChange[];
}

export function stepBetween(before: Snapshot, after: Snapshot): Step {
  const changes: RowChange[] = [];
  const earlier: RowChange[] = [];
  for (const [table, { key, types, rows }] of after) {
    for (const [id, row] of rows) {
      const was = before.get(table)?.rows.get(id);
      if (was === undefined) changes.push({ table, types, key: [], set: row, row });
      else if (JSON.stringify(was) !== JSON.stringify(row)) {
        const set = Object.fromEntries(Object.entries(row).filter(([name, value]) => !isSame(was[name], value)));
        changes.push({ table, types, key, set, row });
        earlier.push({ table, types, key, set: was, row: was });
      }
    }
  }
  return { changes, earlier };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A flow: each step is one statement. */
export interface BareFlow {
  readonly steps: readonly Step[];
  /** Texts that are the same in all copies, for example the merchant's id. */
  readonly fixed: readonly string[];
  /** Texts that are different in each copy, besides ids. */
  readonly fresh: readonly string[];
}

type Names = readonly string[];

/**
 * Runs the flow over connections of bare `pg`, until the time is over. `prepared`: the number of copies of the rows
 * that the first step changes. They are inserted first, and the run also ends when they are used up.
 */
export async function loadBareRows(
  connection: pg.PoolConfig,
  flow: BareFlow,
  load: { readonly connections: number; readonly seconds: number; readonly prepared?: number },
): Promise<LoadResult> {
  const pool = new pg.Pool({ ...connection, max: load.connections });
  const words = wordsOf(flow);
  const own = (flow.steps[0]?.earlier ?? []).filter(({ row, key }) =>
    isOwn(
      key.map(column => row[column]),
      words,
    ),
  );
  const prepare = statementOf(
    own.map(each => ({ ...each, key: [] })),
    words,
  );
  const statements = flow.steps.map(({ changes }) => statementOf(changes, words));
  const ready: Names[] = Array.from({ length: load.prepared ?? 0 }, () => freshWords(words));
  const waiting = [...ready];
  await eachConnection(pool, load.connections, async client => {
    for (let names = waiting.pop(); names !== undefined; names = waiting.pop()) {
      await client.query({ name: 'prepare', text: prepare.text, values: prepare.values(names) });
    }
  });
  const latencies: number[] = [];
  const started = performance.now();
  await eachConnection(pool, load.connections, async client => {
    while (performance.now() < started + load.seconds * 1000) {
      const names = load.prepared === undefined ? freshWords(words) : ready.pop();
      if (names === undefined) break;
      const begun = performance.now();
      for (const [index, { text, values }] of statements.entries()) {
        await client.query({ name: `bare_${index}`, text, values: values(names) });
      }
      latencies.push(performance.now() - begun);
    }
  });
  const seconds = (performance.now() - started) / 1000;
  await pool.end();
  return summary(latencies, 0, seconds);
}

async function eachConnection(pool: pg.Pool, count: number, work: (client: pg.PoolClient) => Promise<void>) {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const client = await pool.connect();
      await work(client);
      client.release();
    }),
  );
}

const idPattern = /[a-z]+(?:_[a-z]+)*_[A-Za-z0-9]{12,}|[A-Z]{3}[0-9a-f]{24,}|[0-9a-f]{8}-[0-9a-f-]{27}/g;
/** Longer texts, such as the objects in events, keep the ids of the sampled rows. */
const longestName = 300;

/** The words that are different in each copy: ids in short texts of the new rows, and the words of `fresh`. */
function wordsOf({ steps, fixed, fresh }: BareFlow): string[] {
  const words = new Set(fresh);
  for (const { row } of steps.flatMap(({ changes }) => changes)) {
    for (const value of Object.values(row)) {
      if (typeof value !== 'string' || value.length > longestName) continue;
      for (const word of value.match(idPattern) ?? []) if (!fixed.includes(word)) words.add(word);
    }
  }
  return [...words];
}

function isOwn(values: readonly unknown[], words: readonly string[]): boolean {
  return values.some(value => words.some(word => String(value).includes(word)));
}

function freshWords(words: readonly string[]): Names {
  return words.map(word => {
    const random = randomBytes(Math.max(word.length, 20)).toString('hex').toUpperCase();
    return /^[0-9a-f-]{36}$/.test(word) ? random.slice(0, 36) : `${word.slice(0, 4)}${random.slice(0, 20)}`;
  });
}

function statementOf(changes: readonly RowChange[], words: readonly string[]) {
  const parameters: ((names: Names) => unknown)[] = [];
  const put = (type: string | undefined, value: unknown) => `$${parameters.push(parameterOf(type, value, words))}`;
  const parts = changes.map(({ table, types, key, set, row }) => {
    const columns = Object.keys(set);
    const values = columns.map(column => put(types[column], set[column]));
    if (key.length === 0) return `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`;
    const assignments = columns.map((column, index) => `${column} = ${values[index]}`);
    const same = key.map(column => `${column} = ${put(types[column], row[column])}`);
    return `update ${table} set ${assignments.join(', ')} where ${same.join(' and ')}`;
  });
  return {
    text: `with ${parts.map((part, index) => `c${index} as (${part})`).join(', ')} select 1`,
    values: (names: Names) => parameters.map(parameter => parameter(names)),
  };
}

function parameterOf(type: string | undefined, value: unknown, words: readonly string[]): (names: Names) => unknown {
  const plain = type === 'json' || type === 'jsonb' ? (value === null ? null : JSON.stringify(value)) : value;
  if (typeof plain !== 'string' || plain.length > longestName) return () => plain;
  const used = words.map((word, index) => ({ word, index })).filter(({ word }) => plain.includes(word));
  if (used.length === 0) return () => plain;
  return names => used.reduce((text, { word, index }) => text.replaceAll(word, names[index] ?? ''), plain);
}
