import { PayApiError } from './api-error.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import { type CallOptions, isWorthRepeating, type Transport } from './transport.ts';

/** Milliseconds without data or a heartbeat after which a stream counts as broken. */
const silenceMs = 60_000;

/** Options of a stream. */
export interface StreamOptions extends CallOptions {
  /** The id of the last received message. The stream continues after that message. Default: new messages only. */
  readonly lastEventId?: string;
  /** Called after each connection, including the first. */
  readonly onOpen?: () => void;
  /** Called when a connection was lost or failed. The stream connects again after a pause. */
  readonly onLost?: () => void;
}

/**
 * Yields the data of a stream's messages. After a lost connection, continues after the last received message. Ends when
 * the signal aborts. Throws PayApiError if the service refuses the call.
 */
export async function* liveFeed<T>(transport: Transport, path: string, options: StreamOptions = {}): AsyncGenerator<T> {
  let lastEventId = options.lastEventId ?? '';
  let retryMs: number | null = null;
  for (let failures = 0; !options.signal?.aborted; failures++) {
    try {
      const body = await transport.open(path, lastEventId, options);
      options.onOpen?.();
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
    options.onLost?.();
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
