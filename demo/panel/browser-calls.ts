import { systemClock } from '../../src/core/clock.ts';
import type { CallActivity, Entry } from '../activity.ts';
import { masked } from '../server/mask.ts';

/** Calls from the browser to the service. The shop's server reports its own calls. */
const servicePath = /^\/v1\//;
const longestBody = 20_000;

/** Reports each call of this page to the payment service, with masked bodies. Requests and responses pass unchanged. */
export function recordBrowserCalls(add: (call: CallActivity) => void): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    if (!servicePath.test(url.pathname)) return original(input, init);
    const begun = performance.now();
    const call = {
      kind: 'call',
      from: 'browser',
      method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
      path: url.pathname + url.search,
      request: shown(typeof init?.body === 'string' ? init.body : ''),
    } as const;
    const since = () => Math.round(performance.now() - begun);
    try {
      const answer = await original(input, init);
      const ms = since();
      const isLive = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const text = isLive ? Promise.resolve('"a live stream"') : answer.clone().text();
      void text.then(body => add({ ...call, status: answer.status, ms, response: shown(body) })).catch(() => undefined);
      return answer;
    } catch (error) {
      add({ ...call, status: null, ms: since(), response: null });
      throw error;
    }
  };
}

function shown(text: string): unknown {
  if (text === '') return null;
  if (text.length > longestBody) return `${text.length} characters`;
  try {
    return masked(JSON.parse(text));
  } catch {
    return masked(text);
  }
}

const key = 'nordlys-calls';
const kept = 40;

/** Calls of this browser tab, kept across page loads. */
export function createRememberedCalls() {
  let entries = load();
  const save = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(entries));
    } catch {
      // The browser's storage is full. The panel of this page still shows the call.
    }
  };
  return {
    all: (): readonly Entry[] => entries,
    add(call: CallActivity): Entry {
      const entry: Entry = { ...call, sequence: 0, at: systemClock.now().toISOString() };
      entries = [...entries, entry].slice(-kept);
      save();
      return entry;
    },
    clear(): void {
      entries = [];
      save();
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
