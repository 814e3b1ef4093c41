import type { Fetch } from '../../src/api/client/transport.ts';
import type { Activity } from '../activity.ts';
import { masked } from './mask.ts';

/** What recording needs. */
export interface RecordingDeps {
  readonly fetch: Fetch;
  readonly add: (activity: Activity) => void;
  readonly from: 'shop' | 'proxy';
  /** What the visitor's browser had sent, where the shop sends something else in its place. */
  readonly received?: () => unknown;
}

/** Longest body that is kept, in characters: room for any payment, none for a flood. */
const largestShown = 32_768;

/** The same for what the browser had sent, which anybody can fill. */
const largestReceived = 4_096;

/** A `fetch` that writes each call with its masked bodies into the visitor's log. Live streams are noted when they open. */
export function recordingFetch({ fetch, add, from, received }: RecordingDeps): Fetch {
  return async (url, init) => {
    const begun = performance.now();
    const { pathname, search } = new URL(url);
    const before = received?.();
    const call = {
      kind: 'call',
      from,
      method: init.method ?? 'GET',
      path: pathname + search,
      ...(before === undefined ? {} : { received: shown(JSON.stringify(before), largestReceived) }),
      request: shown(textOf(init.body)),
    } as const;
    const since = () => Math.round(performance.now() - begun);
    try {
      const answer = await fetch(url, init);
      const ms = since();
      const isLive = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const response = isLive ? 'a live stream' : shown(await answer.clone().text());
      add({ ...call, status: answer.status, ms, response });
      return answer;
    } catch (error) {
      add({ ...call, status: null, ms: since(), response: null });
      throw error;
    }
  };
}

function textOf(body: RequestInit['body']): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}

function shown(text: string, largest = largestShown): unknown {
  if (text === '') return null;
  if (text.length > largest) return `${text.length} characters`;
  try {
    return masked(JSON.parse(text));
  } catch {
    return masked(text);
  }
}
