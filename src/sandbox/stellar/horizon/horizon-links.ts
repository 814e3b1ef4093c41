import type { Fields } from './horizon-values.ts';

/** Makes addresses below the one under which Horizon is reached, without a slash at the end. */
export interface Links {
  readonly base: string;
  /** A link; `{…}` in it makes it a template. */
  to(path: string): Fields;
  /** A link to a list that takes cursor, limit and order. */
  page(path: string): Fields;
}

/** Links for one request, under the address it was sent to. */
export function createLinks(base: string): Links {
  const to = (path: string): Fields => ({ href: base + path, ...(path.includes('{') && { templated: true }) });
  return { base, to, page: path => to(`${path}{?cursor,limit,order}`) };
}
