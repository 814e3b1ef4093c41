import type { Clock } from '../../src/core/clock.ts';
import type { Activity, Entry } from '../activity.ts';

/** What happened on behalf of one visitor. */
export interface ActivityLog {
  add(activity: Activity): void;
  /** Adds a notice, unless the visitor has had it. */
  notice(text: string): void;
  /** Answers with the log as Server-Sent Events: what came after the entry of that sequence, then everything as it happens. */
  stream(after: number, signal: AbortSignal): Response;
  /** Ends all streams. */
  close(): void;
}

/** What a log needs. */
export interface ActivityLogDeps {
  readonly clock: Clock;
}

const keptEntries = 200;
/** Of those, no more than this many bytes of JSON; the newest entry is kept whatever its size. */
const keptBytes = 262_144;
const heartbeatMs = 15_000;
const encoder = new TextEncoder();

/** An empty log. */
export function createActivityLog({ clock }: ActivityLogDeps): ActivityLog {
  const entries: Entry[] = [];
  const sizes: number[] = [];
  let bytes = 0;
  const readers = new Set<(entry: Entry | null) => void>();
  let sequence = 0;
  function add(activity: Activity): void {
    sequence++;
    const entry: Entry = { ...activity, sequence, at: clock.now().toISOString() };
    const size = Buffer.byteLength(JSON.stringify(entry));
    entries.push(entry);
    sizes.push(size);
    bytes += size;
    while (entries.length > 1 && (entries.length > keptEntries || bytes > keptBytes)) {
      entries.shift();
      bytes -= sizes.shift() ?? 0;
    }
    for (const read of [...readers]) read(entry);
  }
  return {
    add,
    notice(text) {
      if (!entries.some(entry => entry.kind === 'notice' && entry.text === text)) add({ kind: 'notice', text });
    },
    stream(after, signal) {
      // A number beyond the log's is one of a server that has been started anew since.
      const seen = after > sequence ? 0 : after;
      return eventStream(
        entries.filter(entry => entry.sequence > seen),
        readers,
        signal,
      );
    },
    close() {
      for (const read of [...readers]) read(null);
    },
  };
}

function eventStream(
  missed: readonly Entry[],
  readers: Set<(entry: Entry | null) => void>,
  signal: AbortSignal,
): Response {
  let leave: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const read = (entry: Entry | null) => {
        if (entry) send(messageOf(entry));
        else {
          leave();
          controller.close();
        }
      };
      const heartbeat = setInterval(() => send(':\n\n'), heartbeatMs);
      leave = () => {
        clearInterval(heartbeat);
        readers.delete(read);
      };
      signal.addEventListener('abort', leave, { once: true });
      readers.add(read);
      send('retry: 1000\n\n');
      for (const entry of missed) read(entry);
    },
    cancel: () => leave(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  });
}

function messageOf(entry: Entry): string {
  return `id: ${entry.sequence}\ndata: ${JSON.stringify(entry)}\n\n`;
}
