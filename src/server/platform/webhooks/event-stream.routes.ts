import { PayError } from '../../../core/error.ts';
import { type EventRow, eventToWire, findEvent, readEventsFrom } from '../events/event.store.ts';
import { callerOf, scopeOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { type EventStream, lastEventId, openStream } from '../http/sse.ts';
import type { MerchantScope } from '../merchant.ts';
import type { EventRouteDeps } from './event-deps.ts';

/** Milliseconds between reads without a notice. Some changes send no notice, and a notice may be lost. */
const pollMs = 2_000;
/** Milliseconds by which a read begins before the last event, because events may become visible in another order. */
const overlapMs = 15_000;
const batch = 100;
/** `Last-Event-ID` of a client that has received no event and wants all events. */
const fromTheFirst = '0';

/** `GET /v1/events/stream`: streams a merchant's new events. */
export function registerEventStreamRoutes(app: HttpApp, deps: EventRouteDeps): void {
  app.get(
    '/v1/events/stream',
    {
      schema: {
        tags: ['Events'],
        summary: 'Follow events',
        description:
          'Server-Sent Events named `event`, each with an event. Send the id of the last one as `Last-Event-ID` to ' +
          'continue after it, or 0 for all events. After a reconnection, an event with the same id may come again. ' +
          'An API key or a person can have 50 streams open at once; more answer 429 `rate_limited` with Retry-After.',
      },
      config: { access: 'secret', scope: 'events:read' },
    },
    async (request, reply) => {
      const scope = scopeOf(callerOf(request));
      const position = await startPosition(deps, scope, lastEventId(request), callerOf(request).now);
      follow(deps, scope, position, openStream(request, reply));
      return reply;
    },
  );
}

/** The events that were sent: all events before `from`, and those in `seen`. Times are on the merchant's clock. */
interface Position {
  from: Date;
  readonly seen: Map<string, Date>;
}

async function startPosition(
  deps: EventRouteDeps,
  scope: MerchantScope,
  lastId: string | null,
  now: Date,
): Promise<Position> {
  if (lastId === fromTheFirst) return { from: new Date(0), seen: new Map() };
  const last = lastId === null ? null : await findEvent(deps.db, scope, lastId);
  if (lastId !== null && last === null) {
    throw new PayError('invalid_cursor', `There is no event ${lastId}.`, { param: 'Last-Event-ID' });
  }
  const position: Position = { from: new Date((last?.created_at ?? now).getTime() - overlapMs), seen: new Map() };
  for (;;) {
    const rows = await readEventsFrom(deps.db, scope, position, batch);
    const done = rows.filter(row => last === null || isBefore(row, last));
    for (const row of done) position.seen.set(row.id, row.created_at);
    if (rows.length < batch || done.length < rows.length) return position;
  }
}

function isBefore(row: EventRow, last: EventRow): boolean {
  return row.id === last.id || (row.created_at <= last.created_at && row.recorded_at <= last.recorded_at);
}

function follow(deps: EventRouteDeps, scope: MerchantScope, position: Position, stream: EventStream): void {
  let reading = false;
  let again = false;
  async function read(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    while (again && !stream.signal.aborted) {
      again = false;
      // A failed read is repeated by the next read.
      await sendNew(deps, scope, position, stream).catch(() => undefined);
    }
    reading = false;
  }
  const unsubscribe = deps.live.subscribe({ merchantId: scope.merchantId }, () => void read());
  const poll = setInterval(() => void read(), pollMs);
  stream.signal.addEventListener('abort', () => {
    unsubscribe();
    clearInterval(poll);
  });
  void read();
}

async function sendNew(
  deps: EventRouteDeps,
  scope: MerchantScope,
  position: Position,
  stream: EventStream,
): Promise<void> {
  for (;;) {
    const rows = await readEventsFrom(deps.db, scope, position, batch);
    for (const row of rows) {
      stream.send({ id: row.id, event: 'event', data: eventToWire(row) });
      position.seen.set(row.id, row.created_at);
    }
    const last = rows.at(-1);
    if (last !== undefined) moveOn(position, new Date(last.created_at.getTime() - overlapMs));
    if (rows.length < batch || stream.signal.aborted) return;
    await stream.drained();
  }
}

function moveOn(position: Position, from: Date): void {
  if (from <= position.from) return;
  position.from = from;
  for (const [id, at] of position.seen) if (at < from) position.seen.delete(id);
}
