import { Resolver } from 'node:dns/promises';

/** The DNS queries of the domain check. Each returns an empty list without such a record; other errors reject. */
export interface Dns {
  /** The targets of the CNAME records. */
  cname(name: string): Promise<readonly string[]>;
  /** The texts of the TXT records. */
  txt(name: string): Promise<readonly string[]>;
  /** The IPv4 and IPv6 addresses, also behind a CNAME. */
  addresses(name: string): Promise<readonly string[]>;
}

/** Error codes of `node:dns` for a name or a record that does not exist. */
const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

async function orNone<T>(query: Promise<T[]>): Promise<readonly T[]> {
  return await query.catch(error => {
    if (absent.has(error.code)) return [];
    throw error;
  });
}

/** Queries the name servers of this machine. */
export function createDns(): Dns {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return {
    cname: name => orNone(resolver.resolveCname(name)),
    txt: async name => (await orNone(resolver.resolveTxt(name))).map(parts => parts.join('')),
    addresses: async name =>
      (await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))])).flat(),
  };
}
