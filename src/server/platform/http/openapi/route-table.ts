import type { RouteOptions } from 'fastify';
import type { Access } from '../access/caller.ts';

/** What the server serves, for the answers that the router itself does not give: 405, `Allow`, and preflights. */
export interface RouteTable {
  add(route: RouteOptions): void;
  /** Methods that the path takes; empty for a path that does not exist. */
  methodsOf(path: string): readonly string[];
  /** Who may use the method of the path, or null when there is none. */
  accessOf(path: string, method: string): Access | null;
}

interface Entry {
  readonly pattern: RegExp;
  readonly method: string;
  readonly access: Access;
}

/** Makes an empty table. */
export function createRouteTable(): RouteTable {
  const entries: Entry[] = [];
  const matching = (path: string) => entries.filter(entry => entry.pattern.test(path));
  return {
    add: route => {
      const pattern = patternOf(route.url);
      const access = route.config?.access ?? 'public';
      for (const method of [route.method].flat()) entries.push({ pattern, method, access });
    },
    methodsOf: path => [...new Set(matching(path).map(entry => entry.method))].sort(),
    accessOf: (path, method) => matching(path).find(entry => entry.method === method)?.access ?? null,
  };
}

/** `/v1/payments/:id` as a regular expression; a `*` takes the rest of the path. */
function patternOf(url: string): RegExp {
  const source = url
    .split(/(:[A-Za-z_]+(?:\([^)]*\))?|\*)/)
    .map(part => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
