import type { Fetch } from '../../src/api/client/transport.ts';
import type { Activity } from '../activity.ts';
import { masked } from './mask.ts';

export interface RecordingDeps {
  readonly fetch: Fetch;
  readonly add: (activity: Activity) => void;
  readonly from: 'shop' | 'proxy';
  /** The browser's body, when the shop sends a different one. */
  readonly received?: () => unknown;
}

/** Longest recorded body, in characters. */
const largestShown = 32_768;

/** Longest recorded body of the browser, in characters. Its sender is not trusted. */
const largestReceived = 4_096;

/** A `fetch` that records each call in the visitor's log, with masked bodies. A stream is recorded when it opens. */
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
