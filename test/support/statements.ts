import pg from 'pg';

/** The statements that a process sent to PostgreSQL. */
export interface StatementLog {
  /** The statements in their order. `commits`: the statement ends a transaction that wrote, or writes without one. */
  readonly statements: readonly {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly isRoundTrip: boolean;
    readonly commits: boolean;
  }[];
  /** How often a connection changed the settings of planning. Each change is a transaction of its own. */
  settings(): number;
  clear(): void;
  /** Ends the log. */
  stop(): void;
}

type Statement = StatementLog['statements'][number];

const isRail = ({ text }: Statement) => /\bsandbox"?\./.test(text);

/** The statements without background work and the simulated outside world. */
function ownWork(statements: readonly Statement[]): readonly Statement[] {
  // A process trusts a key and its merchant for five seconds and reads both again, in whichever call comes next.
  const reread = new Set<string>();
  const isReread = (text: string) =>
    /^select \* from "(api_keys|merchants)" where "(hash|id)" = /.test(text) && reread.size < reread.add(text).size;
  // Calls are logged after their answers, many at once. A process reads the schema once, or every few seconds.
  const isBackground = ({ text }: Statement) =>
    /insert into "api_requests"|\bpg_attribute\b|\bis_breaking\b/.test(text) || isReread(text);
  return statements.filter(each => !isRail(each) && !isBackground(each));
}

/** Counts round trips and commits, without background work. `rail` counts those of the simulated outside world. */
export function costOf(statements: readonly Statement[]) {
  const count = (of: readonly Statement[]) => ({
    roundTrips: of.filter(({ isRoundTrip }) => isRoundTrip).length,
    commits: of.filter(({ commits }) => commits).length,
  });
  return { ...count(ownWork(statements)), rail: count(statements.filter(isRail)) };
}

/** How often each text was a round trip of its own, without background work and the simulated outside world. */
export function roundTripsByText(statements: readonly Statement[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text, isRoundTrip } of ownWork(statements)) {
    if (isRoundTrip) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

type Query = (...parameters: unknown[]) => unknown;

/**
 * Logs the statements of this process. Start it before the first connection, because each connection keeps its first
 * `query` function. A statement that is sent while another one of its connection runs is no round trip of its own.
 */
export function logStatements(): StatementLog {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  const statements: StatementLog['statements'][number][] = [];
  let settings = 0;
  const connections = new WeakMap<object, { running: number; isOpen: boolean; hasWritten: boolean }>();
  prototype.query = function (this: object, ...parameters: unknown[]) {
    const state = connections.get(this) ?? { running: 0, isOpen: false, hasWritten: false };
    connections.set(this, state);
    const [first] = parameters;
    const text = typeof first === 'string' ? first : (first as { readonly text: string }).text;
    // The settings of planning are sent together with the next statement.
    if (/plan_cache_mode|^discard plans$/.test(text)) {
      settings++;
      return Reflect.apply(query, this, parameters);
    }
    const isWrite = /\b(insert into|update|delete from)\b/.test(text) && !/^select /.test(text);
    if (text === 'begin') Object.assign(state, { isOpen: true, hasWritten: false });
    if (isWrite) state.hasWritten = true;
    statements.push({
      text,
      values: Array.isArray(parameters[1]) ? parameters[1] : [],
      isRoundTrip: state.running === 0,
      commits: state.isOpen ? text === 'commit' && state.hasWritten : isWrite,
    });
    if (text === 'commit' || text === 'rollback') state.isOpen = false;
    const callback = parameters.at(-1);
    if (typeof callback !== 'function') return Reflect.apply(query, this, parameters);
    state.running++;
    const ended = (...results: unknown[]) => {
      state.running--;
      Reflect.apply(callback, undefined, results);
    };
    return Reflect.apply(query, this, [...parameters.slice(0, -1), ended]);
  };
  return {
    statements,
    settings: () => settings,
    clear: () => {
      statements.splice(0);
      settings = 0;
    },
    stop: () => {
      prototype.query = query;
    },
  };
}
