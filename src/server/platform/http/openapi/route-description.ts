import type { RouteOptions } from 'fastify';
import type { Access } from '../access/caller.ts';
import type { JsonSchema } from '../violations.ts';

// The fields of a route's schema that only describe it; the same as those of the framework's documentation plugin.
declare module 'fastify' {
  interface FastifySchema {
    /** Left out of the documentation. */
    hide?: boolean;
    tags?: readonly string[];
    summary?: string;
    description?: string;
  }
}

/** A route as the documentation shows it. */
export interface RouteDescription {
  readonly method: string;
  /** With parameters as `:id`. */
  readonly url: string;
  readonly access: Access;
  readonly scope: string | null;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | null;
  readonly params: JsonSchema | null;
  readonly query: JsonSchema | null;
  readonly body: JsonSchema | null;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<string, JsonSchema>>;
}

/** The description of a route, or null for one that is hidden: pages, files, and what only the service's own pages call. */
export function describeRoute(route: RouteOptions): RouteDescription | null {
  const { schema, config } = route;
  const method = String(route.method);
  if (!route.url.startsWith('/v1/') || schema?.hide === true || method === 'HEAD' || method === 'OPTIONS') return null;
  return {
    method,
    url: route.url,
    access: config?.access ?? 'public',
    scope: config?.scope ?? null,
    tag: schema?.tags?.[0] ?? 'Other',
    summary: schema?.summary ?? `${method} ${route.url}`,
    description: schema?.description ?? null,
    params: (schema?.params as JsonSchema | undefined) ?? null,
    query: (schema?.querystring as JsonSchema | undefined) ?? null,
    body: (schema?.body as JsonSchema | undefined) ?? null,
    answers: (schema?.response as Record<string, JsonSchema> | undefined) ?? {},
  };
}
