import { idPrefixes } from '../../core/id.ts';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import { activeDomains } from './domain.store.ts';
import { urlWithHost } from './domain.view.ts';

/** The active domains of all merchants, in memory. A request or a new payment therefore needs no query for them. */
export interface DomainDirectory extends PageHosts {
  /** Reads all domains. */
  load(): Promise<void>;
  /** Reads a merchant's domains again after a change. A database notification makes other processes do the same. */
  refresh(merchantId: string): Promise<void>;
  /** Ends the subscription to changes. */
  close(): void;
}

interface DirectoryDeps {
  readonly db: Db;
  readonly live: Pick<Live, 'subscribeToAll'>;
  readonly log: Pick<Log, 'error'>;
  readonly publicUrl: () => string;
}

/** Creates an empty directory. It follows the changes of all processes. */
export function createDomainDirectory({ db, live, log, publicUrl }: DirectoryDeps): DomainDirectory {
  let owners: ReadonlyMap<string, string> = new Map();
  let names: ReadonlyMap<string, readonly string[]> = new Map();
  let reading: Promise<void> = Promise.resolve();

  /** Waits for the previous read, so that an older answer never replaces a newer one. */
  function read(merchantId?: string): Promise<void> {
    const next = reading.then(async () => {
      const rows = await activeDomains(db, merchantId);
      const kept = merchantId === undefined ? [] : [...owners].filter(([, owner]) => owner !== merchantId);
      const keptNames = merchantId === undefined ? [] : [...names].filter(([owner]) => owner !== merchantId);
      owners = new Map([...kept, ...rows.map(row => [row.name, row.merchant_id] as const)]);
      const groups = Map.groupBy(rows, row => row.merchant_id);
      names = new Map([
        ...keptNames,
        ...[...groups].map(([owner, own]) => [owner, own.map(({ name }) => name)] as const),
      ]);
    });
    reading = next.catch(() => undefined);
    return next;
  }

  const primaryOf = (merchantId: string) => names.get(merchantId)?.[0] ?? null;

  const follow = (merchantId?: string) =>
    void read(merchantId).catch(err => log.error({ err }, 'the domains of merchants could not be read'));
  const close = live.subscribeToAll(notice => {
    if (notice === null) follow();
    else if (notice.resourceId.startsWith(`${idPrefixes.domain}_`)) follow(notice.merchantId);
  });

  return {
    merchantOf: hostname => {
      if (owners.size === 0 || hostname === undefined) return null;
      const name = hostname.toLowerCase().replace(/\.$/, '');
      return name === new URL(publicUrl()).hostname ? null : (owners.get(name) ?? null);
    },
    primaryOf,
    baseUrl: merchantId => {
      const primary = primaryOf(merchantId);
      return primary === null ? publicUrl() : urlWithHost(publicUrl(), primary);
    },
    originsOf: merchantId => (names.get(merchantId) ?? []).map(name => urlWithHost(publicUrl(), name)),
    load: () => read(),
    refresh: read,
    close,
  };
}
