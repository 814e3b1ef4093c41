import { type HorizonClient, horizonUrl } from './horizon-client.ts';

/** What is followed, and whom to tell. */
export interface StreamRequest {
  readonly client: HorizonClient;
  readonly path: string;
  readonly onHint: () => void;
  readonly signal: AbortSignal;
}

const usualSilenceMs = 15_000;
/** Between two attempts, in milliseconds: twice as long after each failure, up to half a minute. */
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Follows a stream of Horizon’s until the signal aborts, and hints whenever one was opened (what came in between is in
 * no stream) or said something. One that ends, breaks or falls silent is opened again.
 */
export function followStream(request: StreamRequest): void {
  void follow(request);
}

async function follow(request: StreamRequest): Promise<void> {
  let pauseMs = shortestPauseMs;
  while (!request.signal.aborted) {
    const wasOpen = await listen(request).catch(() => false);
    await pause(wasOpen ? shortestPauseMs : pauseMs, request.signal);
    pauseMs = wasOpen ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** Listens to one stream until it ends; whether it was one. Throws what broke it before it began. */
async function listen({ client, path, onHint, signal }: StreamRequest): Promise<boolean> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(), client.silenceMs ?? usualSilenceMs);
  let isOpen = false;
  try {
    const url = horizonUrl(client, path, { cursor: 'now', order: 'asc' });
    const request = { url, headers: { accept: 'text/event-stream' } };
    const stream = await client.http.open(request, AbortSignal.any([signal, silence.signal]));
    if (stream.status !== 200) return false;
    isOpen = true;
    onHint();
    for await (const chunk of stream.body) {
      watch.refresh();
      if (hasMessage(chunk)) onHint();
    }
    return true;
  } catch (error) {
    if (!isOpen) throw error;
    return true;
  } finally {
    clearTimeout(watch);
    silence.abort();
  }
}

/** Only records have an id; a greeting, a farewell and a comment have none. Half a message may be one. */
function hasMessage(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk).toString('latin1');
  return text.includes('id:') || !text.endsWith('\n');
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
