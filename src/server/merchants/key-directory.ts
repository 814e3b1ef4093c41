import { hash } from 'node:crypto';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { Credential, Credentials } from '../platform/http/access/auth.ts';
import type { Merchant } from '../platform/merchant.ts';
import { findCredential } from './api-key.store.ts';
import { findMerchant } from './merchant.store.ts';

/** Lifetime of a cache entry in milliseconds. If a notice is lost, a revoked key works for at most this time. */
const trustedMs = 5_000;
const largestSize = 10_000;

/** Finds credentials by the text of a key, and merchants by id. Caches both in memory. */
export interface KeyDirectory extends Credentials {
  findMerchant(merchantId: string): Promise<Merchant | null>;
  /** Removes a merchant from this process's cache at once. The database notifies other processes. */
  forget(merchantId: string): void;
  /** Ends the subscriptions to changes of merchants. */
  close(): void;
}

export interface KeyDirectoryDeps {
  readonly db: Db;
  readonly live: Pick<Live, 'subscribe'>;
}

/** A cache whose entries expire after `trustedMs`. */
function createMemory<Value>() {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get: (key: string): Value | undefined => {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > performance.now() ? entry.value : undefined;
    },
    set: (key: string, value: Value): void => {
      if (entries.size >= largestSize) entries.clear();
      entries.set(key, { value, until: performance.now() + trustedMs });
    },
    forget: (isConcerned: (value: Value) => boolean): void => {
      for (const [key, { value }] of entries) if (isConcerned(value)) entries.delete(key);
    },
  };
}

/** Runs one lookup per key at a time. Concurrent calls share its result. */
function shared<Value>(running: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  const known = running.get(key);
  if (known !== undefined) return known;
  const started = read().finally(() => {
    if (running.get(key) === started) running.delete(key);
  });
  running.set(key, started);
  return started;
}

/**
 * Creates a directory that caches keys by SHA-256 hash. It forgets a merchant's keys when the merchant or the keys
 * change. It does not cache unknown keys, because they would displace known keys.
 */
export function createKeyDirectory({ db, live }: KeyDirectoryDeps): KeyDirectory {
  const credentials = createMemory<Credential>();
  const merchants = createMemory<Merchant>();
  const loading = new Map<string, Promise<Credential | null>>();
  const unsubscribes = new Map<string, () => void>();
  let generation = 0;

  function forget(merchantId: string): void {
    generation++;
    loading.clear();
    merchants.forget(({ id }) => id === merchantId);
    credentials.forget(({ merchant }) => merchant.id === merchantId);
  }

  /** Caches a value, unless a merchant has changed since the read began: the value may then be outdated. */
  function keep(merchantId: string, readIn: number, store: () => void): void {
    if (readIn !== generation) return;
    store();
    if (unsubscribes.has(merchantId)) return;
    const unsubscribe = live.subscribe({ merchantId, resourceId: merchantId }, () => forget(merchantId));
    unsubscribes.set(merchantId, unsubscribe);
  }

  async function read(digest: string): Promise<Credential | null> {
    const before = generation;
    const credential = await findCredential(db, Buffer.from(digest, 'base64'));
    if (credential !== null) keep(credential.merchant.id, before, () => credentials.set(digest, credential));
    return credential;
  }

  return {
    peek: text => credentials.get(hash('sha256', text, 'base64')),
    load: text => {
      const digest = hash('sha256', text, 'base64');
      return shared(loading, digest, () => read(digest));
    },
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
    },
  };
}
