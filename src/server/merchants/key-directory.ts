import { hash } from 'node:crypto';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { Merchant } from '../platform/merchant.ts';
import { type Credential, findCredential } from './api-key.store.ts';
import { findMerchant } from './merchant.store.ts';

/** Lifetime of a cache entry. A revocation takes effect within this time even if its notice is lost. */
const trustedMs = 5_000;
const largestSize = 10_000;

/** Finds out whose key a text is, mostly from memory; and merchants by their ids. */
export interface KeyDirectory {
  /** The credential if it is in memory. Texts that are no key are not cached: they would push out real keys. */
  peek(text: string): Credential | undefined;
  /** Looks it up; calls for the same text share one query. */
  load(text: string): Promise<Credential | null>;
  /** The merchant, from memory if it was read a moment ago; null when there is none. */
  findMerchant(merchantId: string): Promise<Merchant | null>;
  /** Forgets a merchant in this process at once; other processes are notified by the database. */
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

/** Values that are trusted for a moment after they were read, by key. */
function createMemory<Value>(monotonicMs: () => number) {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get: (key: string): Value | undefined => {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > monotonicMs() ? entry.value : undefined;
    },
    set: (key: string, value: Value): void => {
      if (entries.size >= largestSize) entries.clear();
      entries.set(key, { value, until: monotonicMs() + trustedMs });
    },
    forget: (isConcerned: (value: Value) => boolean): void => {
      for (const [key, { value }] of entries) if (isConcerned(value)) entries.delete(key);
    },
    clear: () => entries.clear(),
  };
}

/** Runs the look-up of a key once for all callers that ask while it runs. `clear` makes later callers read again. */
function createSharedLookup<Value>(look: (key: string) => Promise<Value>) {
  const running = new Map<string, Promise<Value>>();
  return {
    find: (key: string): Promise<Value> => {
      const known = running.get(key);
      if (known !== undefined) return known;
      const started = look(key).finally(() => {
        if (running.get(key) === started) running.delete(key);
      });
      running.set(key, started);
      return started;
    },
    clear: () => running.clear(),
  };
}

/** A directory that holds keys by their SHA-256 only and drops a merchant's as soon as anything of it changes. */
export function createKeyDirectory({
  db,
  live,
  monotonicMs = () => performance.now(),
}: KeyDirectoryDeps): KeyDirectory {
  const credentials = createMemory<Credential>(monotonicMs);
  const merchants = createMemory<Merchant>(monotonicMs);
  const unsubscribes = new Map<string, () => void>();
  let generation = 0;

  function forget(merchantId: string): void {
    generation++;
    lookup.clear();
    merchants.forget(({ id }) => id === merchantId);
    credentials.forget(({ merchant }) => merchant.id === merchantId);
  }

  /** Keeps what was read of a merchant, unless a change became known since: it may have been read before the change. */
  function keep(merchantId: string, readIn: number, store: () => void): void {
    if (readIn !== generation) return;
    store();
    if (unsubscribes.has(merchantId)) return;
    const unsubscribe = live.subscribe({ merchantId, resourceId: merchantId }, () => forget(merchantId));
    unsubscribes.set(merchantId, unsubscribe);
  }

  const lookup = createSharedLookup(async (digest: string) => {
    const before = generation;
    const credential = await findCredential(db, Buffer.from(digest, 'base64'));
    if (credential !== null) keep(credential.merchant.id, before, () => credentials.set(digest, credential));
    return credential;
  });

  return {
    peek: text => credentials.get(hash('sha256', text, 'base64')),
    load: text => lookup.find(hash('sha256', text, 'base64')),
    findMerchant: async merchantId => {
      const known = merchants.get(merchantId);
      if (known !== undefined) return known;
      const before = generation;
      const merchant = await findMerchant(db, merchantId);
      if (merchant !== null) keep(merchantId, before, () => merchants.set(merchantId, merchant));
      return merchant;
    },
    forget,
    close: () => {
      for (const unsubscribe of unsubscribes.values()) unsubscribe();
      unsubscribes.clear();
      credentials.clear();
      merchants.clear();
    },
  };
}
