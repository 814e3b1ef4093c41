import type { TSchema } from 'typebox';
import type { AttentionSource } from './db/attention.ts';
import type { PageId, SearchSource } from './db/search.ts';
import type { Erasure } from './erasure.ts';
import type { EventDefinition } from './events/sample.ts';
import type { Guests } from './http/access/guest.ts';
import type { ScopeRoles } from './http/access/roles.ts';
import type { HttpApp } from './http/http-app.ts';
import type { FieldNotes, RequestExamples } from './http/openapi/field-note.ts';
import type { Sweep } from './jobs/sweeper.ts';
import type { Gauge } from './metrics.ts';
import type { OverdueCheck } from './overdue.ts';
import type { PageDeps } from './pages/static-files.ts';

/** What a module brings for other modules, in their types. */
interface Brings {
  readonly purposes?: unknown;
  readonly outbound?: unknown;
  readonly approvals?: unknown;
  readonly payoutOwners?: unknown;
  /** Services by their names in the dependencies of modules that use them. */
  readonly services?: object;
}

type Brought<B extends Brings, Name extends keyof Brings> = B extends { readonly [N in Name]: infer Type }
  ? Type
  : never;

type Creators<Deps, Services> = { readonly [Name in keyof Services]: (deps: Deps) => Services[Name] };

/**
 * The manifest of a module: everything that the composition root (`app.ts`) registers for it. `Deps`: its dependencies.
 * `B`: what it brings for other modules.
 */
export interface Module<Deps, B extends Brings = Record<never, never>> {
  readonly name: string;
  /** Tables and views. Only stores of this module's folder use them. All stores may read `merchants`. */
  readonly tables?: readonly string[];
  /** Triggers on tables of other modules that write tables of this module. */
  readonly triggers?: readonly string[];
  /** Schemas of the module's objects, by their names in the OpenAPI document. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** The module's events by type. Each has the schema of the object that it carries, and a sample. */
  readonly events?: Readonly<Record<string, EventDefinition>>;
  /** Kinds of callers without a key, and how their credentials identify them. */
  readonly guests?: Guests<Deps>;
  /** How the module's credentials are sent: security schemes of OpenAPI, by name. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Families of scopes for restricted keys, and the roles of people that have them. */
  readonly scopes?: ScopeRoles;
  /** Meanings of fields without a description, for the documentation. */
  readonly fieldNotes?: FieldNotes;
  /** Examples of the bodies of the module's calls, for the documentation. */
  readonly requestExamples?: RequestExamples;
  /** Groups of the module's calls in the documentation, each with a sentence. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Creates the services that other modules call. Creators read what they need, and spread nothing. */
  readonly provides?: Creators<Deps, B extends { readonly services: infer Services } ? Services : Record<never, never>>;
  /** The module's purposes of payments. */
  readonly purposes?: (deps: Deps) => readonly Brought<B, 'purposes'>[];
  /** How the module books money that it sends (`outbound/`). */
  readonly outbound?: (deps: Deps) => readonly Brought<B, 'outbound'>[];
  /** What the module does with its objects once people have approved or canceled them (`approvals/`). */
  readonly approvals?: (deps: Deps) => readonly Brought<B, 'approvals'>[];
  /** How the module erases the personal data of customers. */
  readonly erasures?: (deps: Deps) => readonly Erasure[];
  /** How the module learns that its payouts have ended (`payouts/`). */
  readonly payoutOwners?: (deps: Deps) => readonly Brought<B, 'payoutOwners'>[];
  /** Registers the module's API calls. */
  readonly routes?: (app: HttpApp, deps: Deps) => void;
  /** Registers calls that exist only on servers without real money: the sandbox and the testnet. */
  readonly testRoutes?: (app: HttpApp, deps: Deps) => void | Promise<void>;
  /** Registers calls on servers of every role, including workers. */
  readonly sharedRoutes?: (app: HttpApp, deps: Deps) => Promise<void>;
  /** Registers the module's pages. Called only if there is a browser build. */
  readonly pages?: (app: HttpApp, deps: Deps & PageDeps) => void | Promise<void>;
  /** The sweeps, which do work that becomes due with time. */
  readonly sweeps?: (deps: Deps) => readonly Sweep[];
  readonly gauges?: (deps: Deps) => readonly Gauge[];
  /** Checks for overdue work, by kind of work. */
  readonly overdue?: Readonly<Record<string, OverdueCheck>>;
  /** How the search finds the module's objects by a text. */
  readonly search?: readonly SearchSource[];
  /** How the search finds an object by the URL of its hosted page, by the first part of the path. */
  readonly pageIds?: Readonly<Record<string, PageId>>;
  /** Sources of the counts of objects that wait for a person of the merchant, by kind. Reports show the counts. */
  readonly attention?: Readonly<Record<string, AttentionSource>>;
  /** Problems for the operator to fix, one sentence each. `/readyz` shows them. */
  readonly remarks?: (deps: Deps) => readonly string[];
  /** Called once the server listens, before any sweep runs. */
  readonly start?: (deps: Deps) => void | Promise<void>;
  /** Called after the last request was answered and the last sweep has ended. */
  readonly stop?: (deps: Deps) => void | Promise<void>;
}

export function defineModule<Deps, B extends Brings = Record<never, never>>(module: Module<Deps, B>): Module<Deps, B> {
  return module;
}

/** The declarations that are records by name. */
const records = [
  ...(['schemas', 'events', 'scopes', 'guests', 'securitySchemes', 'tags', 'fieldNotes', 'requestExamples'] as const),
  ...(['overdue', 'attention', 'pageIds'] as const),
];

/** The merged declarations of all modules. */
export type Declarations = Required<Pick<Module<never>, (typeof records)[number] | 'search'>>;

/** A module of any dependencies. */
type AnyModule = Omit<Module<never, AnythingBrought>, 'provides'> & { readonly provides?: object };
interface AnythingBrought {
  readonly purposes: unknown;
  readonly outbound: unknown;
  readonly approvals: unknown;
  readonly payoutOwners: unknown;
}

/** Merges the declarations. Throws Error if two modules declare the same table, schema, event, overdue check, service or guest. */
export function declarationsOf(modules: readonly AnyModule[]): Declarations {
  const names = modules.flatMap(
    ({ tables = [], schemas = {}, events = {}, overdue = {}, provides = {}, guests = {} }) =>
      [tables, ...[schemas, events, overdue, provides, guests].map(Object.keys)].flatMap((list, kind) =>
        list.map(name => `${kind} ${name}`),
      ),
  );
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`two modules declare ${twice.slice(2)}`);
  const merged = records.map(kind => [kind, Object.assign({}, ...modules.map(module => module[kind]))]);
  return { ...Object.fromEntries(merged), search: modules.flatMap(({ search = [] }) => search) };
}

/** The schemas that files of the API contract export: exported objects whose names begin with a capital. */
export function schemasIn(...files: readonly object[]): Readonly<Record<string, TSchema>> {
  const exports = files.flatMap(file => Object.entries(file) as [string, unknown][]);
  return Object.fromEntries(
    exports.filter(
      (entry): entry is [string, TSchema] =>
        /^[A-Z]/.test(entry[0]) && typeof entry[1] === 'object' && !Array.isArray(entry[1]),
    ),
  );
}
