import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { CardEvent, CardEventFeed, CardWebhook } from '../server/rails/card-rail.ts';
import { feedPage } from '../server/rails/rail.ts';
import { type AcquirerTables, type EventRow, findEvents, takeUnsent } from './card-acquirer.store.ts';

/** A signed request with new events. */
interface SignedEvents {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An acquirer that sends its events. */
export interface EventSender {
  readonly id: string;
  /** The events that were not sent yet. Null if there are none. */
  takeWebhook(): Promise<SignedEvents | null>;
}

/** The key with which the acquirers of a service sign their events. */
export function eventKey(rootSecret: Buffer): Buffer {
  return createHmac('sha256', rootSecret).update('events of sandbox acquirers').digest();
}

const signatureHeader = 'sandbox-signature';

/** The events of an acquirer, as a list that the service reads. */
export function createEventFeed(tables: AcquirerTables): CardEventFeed {
  return {
    findEvents: async (cursor, limit) => {
      const rows = await findEvents(tables, feedPage(cursor, limit));
      return { events: rows.map(eventOf), cursor: rows.at(-1)?.position.toString() ?? cursor };
    },
  };
}

/** The events of an acquirer that sends them, signed with `secret`. */
export function createEventWebhook(
  tables: AcquirerTables,
  secret: Buffer,
): CardWebhook & Pick<EventSender, 'takeWebhook'> {
  const sign = (body: string | Buffer) => createHmac('sha256', secret).update(body).digest();
  return {
    verify: (headers, body) => {
      const given = Buffer.from(String(headers[signatureHeader] ?? ''), 'hex');
      const expected = sign(body);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      return JSON.parse(body.toString()).events;
    },
    takeWebhook: async () => {
      const rows = await takeUnsent(tables);
      if (rows.length === 0) return null;
      const body = JSON.stringify({ events: rows.map(eventOf) });
      return { body, headers: { 'content-type': 'application/json', [signatureHeader]: sign(body).toString('hex') } };
    },
  };
}

function eventOf({ rail, position, merchant_id: merchantId, about, reference, payment_id }: EventRow): CardEvent {
  return { id: `${rail}_${position}`, merchantId, about, reference, paymentId: payment_id };
}

/** Sends the new events of acquirers to the service, which is this server. */
export async function sendEvents(app: Pick<FastifyInstance, 'inject'>, senders: readonly EventSender[]): Promise<void> {
  for (const sender of senders) {
    const webhook = await sender.takeWebhook();
    if (webhook === null) continue;
    const { headers, body: payload } = webhook;
    await app.inject({ method: 'POST', url: `/rails/${sender.id}/events`, headers, payload });
  }
}
