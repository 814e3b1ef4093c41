import type { Clock } from '../../src/core/clock.ts';
import { randomText } from '../../src/core/id.ts';
import { type ActivityLog, createActivityLog } from './activity-log.ts';

/** Somebody in the shop, known by a cookie. */
export interface Visitor {
  readonly id: string;
  readonly log: ActivityLog;
}

/** Who is in the shop. */
export interface Visitors {
  /** The visitor whom the `Cookie` header names, or a new one, whose cookie is then to be set. */
  of(cookies: string | null): { readonly visitor: Visitor; readonly cookie: string | null };
  find(id: string): Visitor | null;
  all(): Iterable<Visitor>;
}

const cookieName = 'nordlys';
/** With what each log may hold, some 50 MB of JSON at most. */
const keptVisitors = 200;

/** Nobody yet. */
export function createVisitors({ clock }: { readonly clock: Clock }): Visitors {
  const visitors = new Map<string, Visitor>();
  return {
    find: id => visitors.get(id) ?? null,
    all: () => visitors.values(),
    of(cookies) {
      const id = new RegExp(`(?:^|; )${cookieName}=([0-9A-Za-z]{32})(?:;|$)`).exec(cookies ?? '');
      const known = id?.[1] === undefined ? undefined : visitors.get(id[1]);
      if (known) return { visitor: known, cookie: null };
      const visitor: Visitor = { id: randomText(32), log: createActivityLog({ clock }) };
      visitors.set(visitor.id, visitor);
      const [oldest] = visitors.values();
      if (visitors.size > keptVisitors && oldest !== undefined) {
        oldest.log.close();
        visitors.delete(oldest.id);
      }
      return { visitor, cookie: `${cookieName}=${visitor.id}; Path=/demo; HttpOnly; SameSite=Lax` };
    },
  };
}
