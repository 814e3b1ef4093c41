import type { Clock } from '../../src/core/clock.ts';
import { randomText } from '../../src/core/id.ts';
import type { Activity, Entry } from '../activity.ts';

/** A visitor of the shop, identified by a cookie. */
export interface Visitor {
  readonly id: string;
  readonly log: ActivityLog;
}

export interface Visitors {
  /** The visitor that the `Cookie` header names, or a new one with a cookie to set. */
  of(cookies: string | null): { readonly visitor: Visitor; readonly cookie: string | null };
  find(id: string): Visitor | null;
  all(): Iterable<Visitor>;
}

const cookieName = 'nordlys';
/** Limits the logs to about 50 MB of JSON. */
const keptVisitors = 200;

export function createVisitors({ clock }: { readonly clock: Clock }): Visitors {
  const visitors = new Map<string, Visitor>();
  return {
    find: id => visitors.get(id) ?? null,
    all: () => visitors.values(),
    of(cookies) {
      const id = new RegExp(`(?:^|; )${cookieName}=([0-9A-Za-z]{32})(?:;|$)`).exec(cookies ?? '');
      const known = id?.[1] === undefined ? undefined : visitors.get(id[1]);
      if (known) return { visitor: known, cookie: null };
      const visitor: Visitor = { id: randomText(32), log: createActivityLog({ clock }) };
      visitors.set(visitor.id, visitor);
      const [oldest] = visitors.values();
      if (visitors.size > keptVisitors && oldest !== undefined) {
        oldest.log.close();
        visitors.delete(oldest.id);
      }
      return { visitor, cookie: `${cookieName}=${visitor.id}; Path=/demo; HttpOnly; SameSite=Lax` };
    },
  };
}

/** Activities of one visitor. */
interface ActivityLog {
  add(activity: Activity): void;
  /** Adds a notice, unless the log already contains its text. */
  notice(text: string): void;
  /** Streams the log as Server-Sent Events, from the entry after the sequence `after`. */
  stream(after: number, signal: AbortSignal): Response;
  close(): void;
}

interface ActivityLogDeps {
  readonly clock: Clock;
}

const keptEntries = 200;
/** Largest size of a log in bytes of JSON. The newest entry is always kept. */
const keptBytes = 262_144;
const heartbeatMs = 15_000;
const encoder = new TextEncoder();

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
      // A larger sequence is from before a restart of the server.
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
