import { systemClock } from '../../src/core/clock.ts';
import type { CallActivity, Entry } from '../activity.ts';
import { masked } from '../server/mask.ts';

/** Only what goes straight to the service: the shop's server reports for itself. */
const servicePath = /^\/v1\//;
const longestBody = 20_000;

/**
 * Tells of each call that this page makes to the payment service, with its bodies masked. It looks on from beside:
 * requests and answers pass unchanged.
 */
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

/** The calls this browser tab has made, over page loads. The shop's server keeps its own. */
export function createRememberedCalls() {
  let entries = load();
  const save = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(entries));
    } catch {
      // Too much for the browser: the panel of this page has it all the same.
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
