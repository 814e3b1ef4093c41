import type { PageEntry } from './dashboard-module.ts';

const root = '/dashboard';

/** The URL of a page. For example, `/payments` becomes `/dashboard/payments`. */
export function pathTo(path: string): string {
  return path === '/' || path.startsWith('/?') ? `${root}${path}` : `${root}${path.replace(/^\/?/, '/')}`;
}

/** The page that a URL shows. */
export interface Place {
  readonly page: PageEntry;
  /** The path below `/dashboard`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

interface Router {
  /** The page of the current URL. Null for an unknown path. */
  current(): Place | null;
  /** Whether there is a page for the path. The query does not matter. */
  has(path: string): boolean;
  /** Opens a path below `/dashboard`. With `replace`, the browser's history gets no new entry. */
  go(path: string, options?: { readonly replace?: boolean }): void;
  /** Stops following the URL. */
  stop(): void;
}

/** The path below `/dashboard`, without a final slash. */
export function pathBelow(pathname: string): string {
  return pathname.replace(/^\/dashboard/, '').replace(/\/+$/, '') || '/';
}

/**
 * Finds the page of the URL and follows changes of the URL. Clicks on links below `/dashboard` change the page without
 * a request. Calls `moved` after each change.
 */
export function createRouter(pages: readonly PageEntry[], moved: () => void): Router {
  const patterns = pages.map(page => ({ page, pattern: new URLPattern({ pathname: page.path }) }));
  const ended = new AbortController();
  const go: Router['go'] = (path, { replace = false } = {}) => {
    const url = pathTo(path);
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    moved();
  };
  const { signal } = ended;
  addEventListener('popstate', moved, { signal });
  document.addEventListener('click', event => follow(event, go), { signal });
  return {
    go,
    current() {
      const path = pathBelow(location.pathname);
      for (const { page, pattern } of patterns) {
        const groups = pattern.exec({ pathname: path })?.pathname.groups;
        if (groups === undefined) continue;
        const params = Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decoded(text ?? '')]));
        return { page, path, params, query: new URLSearchParams(location.search) };
      }
      return null;
    },
    has: path => patterns.some(({ pattern }) => pattern.test({ pathname: path.replace(/\?.*/, '') })),
    stop: () => ended.abort(),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Opens a clicked link of the dashboard. Ignores clicks for a new tab, a download or another site. */
function follow(event: MouseEvent, go: Router['go']): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.composedPath().find(target => target instanceof HTMLAnchorElement);
  if (!link?.href || link.target || link.hasAttribute('download')) return;
  const { origin, pathname, search } = new URL(link.href);
  if (origin !== location.origin || !/^\/dashboard(\/|$)/.test(pathname)) return;
  event.preventDefault();
  go(pathBelow(pathname) + search);
}
