import { systemClock } from '../../src/core/clock.ts';
import type { CallActivity, Entry } from '../activity.ts';
import { recordingFetch } from '../recording-fetch.ts';

/** Paths of the service. The shop's server reports its own calls. */
const servicePath = /^\/v1\//;

/** Reports each call of this page to the payment service, with masked bodies. Requests and responses pass unchanged. */
export function recordBrowserCalls(add: (call: CallActivity) => void): void {
  const original = globalThis.fetch;
  const recorded = recordingFetch({ fetch: (url, init) => original(url, init), add, from: 'browser' });
  globalThis.fetch = async (input, init) => {
    if (input instanceof Request) return await original(input, init);
    const url = new URL(input, location.href);
    return servicePath.test(url.pathname) ? await recorded(url.href, init ?? {}) : await original(input, init);
  };
}

const key = 'nordlys-calls';
const kept = 40;

/** Calls of this browser tab, kept across page loads. */
export function createRememberedCalls() {
  let entries = load();
  return {
    all: (): readonly Entry[] => entries,
    add(call: CallActivity): Entry {
      const entry: Entry = { ...call, sequence: 0, at: systemClock.now().toISOString() };
      entries = [...entries, entry].slice(-kept);
      try {
        sessionStorage.setItem(key, JSON.stringify(entries));
      } catch {
        // The browser's storage is full. The panel of this page still shows the call.
      }
      return entry;
    },
  };
}

function load(): Entry[] {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(saved) ? (saved as Entry[]) : [];
  } catch {
    return [];
  }
}
