import type { Selectable } from 'kysely';
import type { Event } from '../../../api/event.ts';
import type { EventsTable } from './tables.ts';

/** An event as the database holds it. */
export type EventRow = Selectable<EventsTable>;

/** What of an event is told. */
export type EventContent = Omit<EventRow, 'merchant_id' | 'resource_id' | 'recorded_at' | 'dispatched'>;

/** The event as it is listed and streamed. */
export function eventToWire(row: EventRow): Event {
  const { id, data, ...rest } = eventPayload(row);
  return { id, object: 'event', ...rest, data, created_at: row.created_at.toISOString() };
}

/** The body of a delivery (wire contract §7). The same event always gives the same bytes. */
export function eventPayload(row: EventContent) {
  return {
    id: row.id,
    type: row.type,
    timestamp: row.created_at.toISOString(),
    api_version: row.api_version,
    livemode: row.livemode,
    sequence: row.sequence,
    data: { object: row.object, previous: row.previous },
    ...(row.sample ? { sample: true as const } : {}),
  };
}
