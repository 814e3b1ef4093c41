import { hash } from 'node:crypto';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import { type Credential, findCredential } from './api-key.store.ts';

/** How long an entry is trusted when nothing was heard of its merchant: the bound on a revocation whose notice was lost. */
const trustedMs = 5_000;
const largestSize = 10_000;

/** Finds out whose key a text is, mostly from memory. */
export interface KeyDirectory {
  /** The credential if it is in memory. Texts that are no key are never kept: they would push out those that are. */
  peek(text: string): Credential | undefined;
  /** Looks it up; calls for the same text share one query. */
  load(text: string): Promise<Credential | null>;
  /** Forgets what is known of a merchant in this process at once; other processes hear of it from the database. */
  forget(merchantId: string): void;
  /** Ends all subscriptions. */
  close(): void;
}

/** What the directory is made of. `monotonicMs` is a clock that only serves to age entries. */
export interface KeyDirectoryDeps {
  readonly db: Db;
  readonly live: Pick<Live, 'subscribe'>;
  readonly monotonicMs?: () => number;
}

interface Entry {
  readonly credential: Credential;
  readonly until: number;
}

/** A directory that holds keys by their SHA-256 only and drops a merchant's as soon as anything of it changes. */
export function createKeyDirectory({
  db,
  live,
  monotonicMs = () => performance.now(),
}: KeyDirectoryDeps): KeyDirectory {
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<Credential | null>>();
  const unsubscribes = new Map<string, () => void>();
  let generation = 0;

  function forget(merchantId: string): void {
    generation++;
    loading.clear();
    for (const [digest, { credential }] of entries) {
      if (credential.merchant.id === merchantId) entries.delete(digest);
    }
  }

  function keep(digest: string, credential: Credential): void {
    if (entries.size >= largestSize) entries.clear();
    entries.set(digest, { credential, until: monotonicMs() + trustedMs });
    const merchantId = credential.merchant.id;
    if (unsubscribes.has(merchantId)) return;
    unsubscribes.set(
      merchantId,
      live.subscribe({ merchantId, resourceId: merchantId }, () => forget(merchantId)),
    );
  }

  async function load(digest: string): Promise<Credential | null> {
    const before = generation;
    const credential = await findCredential(db, Buffer.from(digest, 'base64'));
    // What was read before a change became known may be what it was before the change.
    if (credential !== null && before === generation) keep(digest, credential);
    return credential;
  }

  function loadOnce(digest: string): Promise<Credential | null> {
    const running = loading.get(digest);
    if (running !== undefined) return running;
    const started = load(digest).finally(() => {
      if (loading.get(digest) === started) loading.delete(digest);
    });
    loading.set(digest, started);
    return started;
  }

  return {
    peek: text => {
      const entry = entries.get(hash('sha256', text, 'base64'));
      return entry !== undefined && entry.until > monotonicMs() ? entry.credential : undefined;
    },
    load: text => loadOnce(hash('sha256', text, 'base64')),
    forget,
    close: () => {
      for (const unsubscribe of unsubscribes.values()) unsubscribe();
      unsubscribes.clear();
      entries.clear();
    },
  };
}
