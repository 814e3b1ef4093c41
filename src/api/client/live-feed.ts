import { PayApiError } from './api-error.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import { type CallOptions, isWorthRepeating, type Transport } from './transport.ts';

/** A stream is dead after this time without a heartbeat, in milliseconds. */
const silenceMs = 60_000;

/**
 * Yields the data of the messages of a stream. After a lost connection, the feed continues with the last message seen.
 * Ends when the signal aborts. Throws PayApiError when the service refuses.
 */
export async function* liveFeed<T>(transport: Transport, path: string, options: CallOptions = {}): AsyncGenerator<T> {
  let lastEventId = '';
  let retryMs: number | null = null;
  for (let failures = 0; !options.signal?.aborted; failures++) {
    try {
      const body = await transport.open(path, lastEventId, options);
      for await (const message of readServerSentEvents(endWhenSilent(body))) {
        failures = 0;
        lastEventId = message.id;
        retryMs = message.retryMs;
        yield JSON.parse(message.data) as T;
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      if (error instanceof PayApiError && !isWorthRepeating(error, { method: 'GET', path })) throw error;
      if (error instanceof SyntaxError) throw error;
    }
    await transport.pause(failures, retryMs, options.signal);
  }
}

function endWhenSilent(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      timer = setTimeout(() => void reader.cancel().catch(() => undefined), silenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      clearTimeout(timer);
      return reader.cancel();
    },
  });
}
