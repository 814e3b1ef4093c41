import type { RouteOptions } from 'fastify';
import type { JsonSchema } from '../violations.ts';
import type { Access } from './caller.ts';

// The descriptive fields of a route's schema, like those of the framework's documentation plugin.
declare module 'fastify' {
  interface FastifySchema {
    /** Whether the documentation omits the route. */
    hide?: boolean;
    tags?: readonly string[];
    summary?: string;
    description?: string;
    /** The media type of the body besides JSON, for example `text/csv`. Without a body schema, it is the only one. */
    consumes?: string;
  }
}

/** A route as the documentation shows it. */
export interface RouteDescription {
  readonly method: string;
  /** The path, with parameters as `:id`. */
  readonly url: string;
  readonly access: Access;
  readonly scope: string | null;
  /** Whether the call takes an `Idempotency-Key`. */
  readonly takesKey: boolean;
  /** The field with a secret that a repeat lacks. */
  readonly shownOnce: string | null;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | null;
  readonly params: JsonSchema | null;
  readonly query: JsonSchema | null;
  readonly body: JsonSchema | null;
  /** The media type of the body besides JSON. If `body` is null, it is the only one. */
  readonly consumes: string | null;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<string, JsonSchema>>;
}

/** The description of a route. Null for hidden routes: pages, files, and calls of the service's own pages. */
export function describeRoute(route: RouteOptions): RouteDescription | null {
  const { schema, config } = route;
  const method = String(route.method);
  if (!route.url.startsWith('/v1/') || schema?.hide === true || method === 'HEAD' || method === 'OPTIONS') return null;
  return {
    method,
    url: route.url,
    access: config?.access ?? 'public',
    scope: config?.scope ?? null,
    // Without a merchant, there is no scope in which a key could be stored.
    takesKey: method === 'POST' && config?.ignoresKey !== true && (config?.access ?? 'public') !== 'public',
    shownOnce: config?.shownOnce ?? null,
    tag: schema?.tags?.[0] ?? 'Other',
    summary: schema?.summary ?? `${method} ${route.url}`,
    description: schema?.description ?? null,
    params: (schema?.params as JsonSchema | undefined) ?? null,
    query: (schema?.querystring as JsonSchema | undefined) ?? null,
    body: (schema?.body as JsonSchema | undefined) ?? null,
    consumes: schema?.consumes ?? null,
    answers: (schema?.response as Record<string, JsonSchema> | undefined) ?? {},
  };
}

/** The methods of each path, for answers that the router does not provide: 405, `Allow`, and preflights. */
export type RouteTable = ReturnType<typeof createRouteTable>;

export function createRouteTable() {
  const entries: { readonly pattern: RegExp; readonly method: string; readonly access: Access }[] = [];
  const matching = (path: string) => entries.filter(entry => entry.pattern.test(path));
  return {
    add: (route: RouteOptions): void => {
      const pattern = patternOf(route.url);
      const access = route.config?.access ?? 'public';
      for (const method of [route.method].flat()) entries.push({ pattern, method, access });
    },
    /** Methods that the path supports. Empty for a path that does not exist. */
    methodsOf: (path: string): readonly string[] => [...new Set(matching(path).map(entry => entry.method))].sort(),
    /** The callers that the method of the path admits. Null if there is no such route. */
    accessOf: (path: string, method: string) => matching(path).find(entry => entry.method === method)?.access ?? null,
  };
}

/** `/v1/payments/:id` as a regular expression. A `*` matches the rest of the path. */
function patternOf(url: string): RegExp {
  const source = url
    .split(/(:[A-Za-z_]+(?:\([^)]*\))?|\*)/)
    .map(part => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
