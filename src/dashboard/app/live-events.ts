import type { PayClient } from '../../api/client.ts';
import type { Event } from '../../api/event.ts';

/** Selects events by the beginning of their type, by the id of their object, or by both. */
export interface EventFilter {
  /** For example, `payment.` selects all events of payments. Default: all types. */
  readonly type?: string;
  readonly object?: string;
}

type Listener = (event: Event) => void;

/** The merchant's events as they happen. */
export interface LiveEvents {
  /** Calls `listener` for each event that the filter selects. Returns a function that ends the calls. */
  follow(filter: EventFilter, listener: Listener): () => void;
  /** Opens the stream. `name` identifies merchant and mode: tabs with the same name share one stream. */
  start(client: PayClient, name: string): void;
  stop(): void;
}

/** The id of the event's object, or null. */
export function objectIdOf(event: Event): string | null {
  const { object } = event.data as { object?: { id?: unknown } };
  return typeof object?.id === 'string' ? object.id : null;
}

export function createLiveEvents(): LiveEvents {
  const listeners = new Map<Listener, EventFilter>();
  let running: AbortController | null = null;
  const deliver = (event: Event): void => {
    for (const [listener, { type = '', object }] of [...listeners]) {
      if (event.type.startsWith(type) && (object === undefined || object === objectIdOf(event))) listener(event);
    }
  };
  return {
    follow(filter, listener) {
      listeners.set(listener, filter);
      return () => listeners.delete(listener);
    },
    start(client, name) {
      running?.abort();
      running = new AbortController();
      void stream(client, `pay-dashboard.events.${name}`, deliver, running.signal);
    },
    stop: () => running?.abort(),
  };
}

/**
 * Reads the stream while this tab holds the lock, and passes the events to the other tabs. Over HTTP/1.1, a browser
 * allows only six connections to a server, so a stream in each tab would block the seventh tab. Without a secure
 * context there are no locks: each tab then reads a stream of its own, and passes nothing on.
 */
async function stream(client: PayClient, name: string, deliver: Listener, signal: AbortSignal): Promise<void> {
  const read = async (pass?: BroadcastChannel): Promise<void> => {
    for await (const event of client.events.stream({ signal })) {
      deliver(event);
      if (!signal.aborted) pass?.postMessage(event);
    }
  };
  const readForAll = (): Promise<void> => {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => deliver(data as Event);
    signal.addEventListener('abort', () => channel.close());
    return navigator.locks.request(name, { signal }, () => read(channel));
  };
  // A refused stream ends without a message, because the next call shows the reason.
  await ('locks' in navigator ? readForAll() : read()).catch(() => undefined);
}
