import type { Caller } from '../platform/http/access/caller.ts';
import type { WatchCredential } from '../platform/http/sse.ts';
import { findApiKey } from './api-key.store.ts';
import type { KeyDirectoryDeps } from './key-directory.ts';

/** The streams that a key has opened in this process. */
interface WatchedKey {
  readonly closes: Set<() => void>;
  readonly unsubscribe: () => void;
}

/** Milliseconds until a failed check is repeated. A check fails, for example, while the database is unreachable. */
const retryMs = 1_000;

/**
 * Creates the watch that ends streams as soon as their API key is revoked, in every process. All streams of a key share
 * one subscription and one read.
 */
export function createKeyWatch(deps: KeyDirectoryDeps): WatchCredential {
  const watched = new Map<string, WatchedKey>();

  function watchKey(keyId: string, caller: Caller): WatchedKey {
    const closes = new Set<() => void>();
    const { id: merchantId } = caller.merchant;
    const check = async (): Promise<void> => {
      if (closes.size === 0) return;
      try {
        const key = await findApiKey(deps.db, { merchantId, livemode: caller.livemode }, keyId);
        if (key === null) for (const close of closes) close();
      } catch {
        setTimeout(() => void check(), retryMs).unref();
      }
    };
    const unsubscribe = deps.live.subscribe({ merchantId, resourceId: merchantId }, () => void check());
    // The key may have been revoked after the request was authenticated.
    queueMicrotask(() => void check());
    return { closes, unsubscribe };
  }

  return ({ caller }, close) => {
    const keyId = caller?.keyId ?? null;
    if (caller === null || keyId === null || caller.person !== undefined) return () => undefined;
    const key = watched.get(keyId) ?? watchKey(keyId, caller);
    watched.set(keyId, key);
    key.closes.add(close);
    return () => {
      key.closes.delete(close);
      if (key.closes.size > 0 || watched.get(keyId) !== key) return;
      watched.delete(keyId);
      key.unsubscribe();
    };
  };
}
