import type { TSchema } from 'typebox';
import type { AttentionSource } from './db/attention.ts';
import type { SearchSource } from './db/search.ts';
import type { EventDefinition } from './events/sample.ts';
import type { HttpApp } from './http/http-app.ts';
import type { Sweep } from './jobs/sweeper.ts';
import type { Gauge } from './metrics.ts';
import type { OverdueCheck } from './overdue.ts';
import type { PageDeps } from './pages/static-files.ts';

/**
 * The manifest of a module; the composition root sees nothing else of it. `Deps` are its dependencies,
 * `Purpose` its purposes of payments, `Sent` its purposes of outbound money.
 */
export interface Module<Deps, Purpose = never, Sent = never> {
  readonly name: string;
  /** Tables and views that this module alone reads and writes. */
  readonly tables?: readonly string[];
  /** The schemas of its objects, by their names in the OpenAPI document. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** Its events by type: the schema of the object they carry, and a sample. */
  readonly events?: Readonly<Record<string, EventDefinition>>;
  /** Families of scopes for restricted keys: `invoices` means `invoices:read` and `invoices:write`. */
  readonly scopes?: readonly string[];
  /** Groups of its calls in the documentation, each with a sentence. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Its purposes of payments. */
  readonly purposes?: (deps: Deps) => readonly Purpose[];
  /** How it books money that it sends (`outbound/`). */
  readonly outbound?: (deps: Deps) => readonly Sent[];
  /** Registers its calls of the API. */
  readonly routes?: (app: HttpApp, deps: Deps) => void;
  /** Registers its calls that exist only in the sandbox. */
  readonly testRoutes?: (app: HttpApp, deps: Deps) => void | Promise<void>;
  /** Registers its calls on servers of every role, workers included. */
  readonly sharedRoutes?: (app: HttpApp, deps: Deps) => Promise<void>;
  /** Registers its pages; called only with a browser build. */
  readonly pages?: (app: HttpApp, deps: Deps & PageDeps) => void | Promise<void>;
  /** Work that becomes due with time. */
  readonly sweeps?: (deps: Deps) => readonly Sweep[];
  readonly gauges?: (deps: Deps) => readonly Gauge[];
  /** Checks for overdue work, by kind of work. */
  readonly overdue?: Readonly<Record<string, OverdueCheck>>;
  /** How its objects are found by a text; search asks all modules. */
  readonly search?: readonly SearchSource[];
  /** What waits for a person of the merchant, by kind; reports count it. */
  readonly attention?: Readonly<Record<string, AttentionSource>>;
  /** Faults for the operator to fix, one sentence each; `/readyz` shows them. */
  readonly remarks?: (deps: Deps) => readonly string[];
  /** Called when the server listens, before any sweep runs. */
  readonly start?: (deps: Deps) => void | Promise<void>;
  /** Called when the last request was answered and the last sweep has ended. */
  readonly stop?: (deps: Deps) => void | Promise<void>;
}

export function defineModule<Deps, Purpose = never, Sent = never>(
  module: Module<Deps, Purpose, Sent>,
): Module<Deps, Purpose, Sent> {
  return module;
}

/** The declarations of all modules together. */
export type Declarations = Required<
  Pick<Module<never>, 'schemas' | 'events' | 'scopes' | 'tags' | 'overdue' | 'attention' | 'search'>
>;

/** Merges the declarations of the modules. Throws Error when two declare the same name. */
export function declarationsOf(modules: readonly Module<never, unknown, unknown>[]): Declarations {
  const names = modules.flatMap(({ tables = [], schemas = {}, events = {}, overdue = {} }) =>
    [tables, Object.keys(schemas), Object.keys(events), Object.keys(overdue)].flatMap((list, kind) =>
      list.map(name => `${kind} ${name}`),
    ),
  );
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`two modules declare ${twice.slice(2)}`);
  return {
    schemas: Object.assign({}, ...modules.map(({ schemas }) => schemas)),
    events: Object.assign({}, ...modules.map(({ events }) => events)),
    scopes: modules.flatMap(({ scopes = [] }) => scopes),
    tags: Object.assign({}, ...modules.map(({ tags }) => tags)),
    overdue: Object.assign({}, ...modules.map(({ overdue }) => overdue)),
    attention: Object.assign({}, ...modules.map(({ attention }) => attention)),
    search: modules.flatMap(({ search = [] }) => search),
  };
}

/** The schemas among the exports of files of the API contract: all exports with a capital initial that are objects. */
export function schemasIn(...files: readonly object[]): Readonly<Record<string, TSchema>> {
  const exports = files.flatMap(file => Object.entries(file) as [string, unknown][]);
  return Object.fromEntries(
    exports.filter(
      (entry): entry is [string, TSchema] =>
        /^[A-Z]/.test(entry[0]) && typeof entry[1] === 'object' && !Array.isArray(entry[1]),
    ),
  );
}
