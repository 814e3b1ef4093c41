import type { CallActivity } from '../activity.ts';
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
