import { type Static, Type } from 'typebox';
import type { ApprovalEvents } from './balance/approval.ts';
import type { ConversionEvents } from './balance/conversion.ts';
import type { TopUpEvents } from './balance/top-up.ts';
import type { WithdrawalEvents } from './balance/withdrawal.ts';
import type { DisputeEvents } from './disputes/dispute.ts';
import type { InvoiceEvents } from './invoice/invoice-money.ts';
import type { KycEvents } from './kyc/kyc.ts';
import type { LinkEvents } from './link.ts';
import type { PaymentEvents } from './payment.ts';
import type { PayoutEvents } from './payout.ts';
import type { RampEvents } from './ramps/ramp.ts';
import type { RefundEvents } from './refund.ts';
import { Closed, Metadata, Nullable, OneOf, Timestamp } from './schema.ts';
import type { SettlementEvents } from './settlement.ts';
import type { TransferEvents } from './transfer.ts';
import type { TreasuryEvents } from './treasury.ts';

/** The version of the payloads, contained in each event. */
export const apiVersion = '2026-11-01';

/** The API versions that calls may request in the header `Pay-Version`, newest first. */
export const apiVersions: readonly string[] = [apiVersion];

/** The object that each type of event carries. The file of each object lists the events of that object. */
export type EventObjects = PaymentEvents &
  RefundEvents &
  DisputeEvents &
  TransferEvents &
  LinkEvents &
  InvoiceEvents &
  TreasuryEvents &
  PayoutEvents &
  SettlementEvents &
  TopUpEvents &
  WithdrawalEvents &
  ConversionEvents &
  ApprovalEvents &
  KycEvents &
  RampEvents;
export type EventType = keyof EventObjects;

/** An event in the form that webhook endpoints receive. */
export const WebhookEvent = Type.Object({
  id: Type.String(),
  type: Type.String(),
  timestamp: Timestamp,
  api_version: Type.String(),
  livemode: Type.Boolean(),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Number of the event among the events of its object, from 1, without gaps.',
  }),
  data: Type.Object({ object: Type.Unknown(), previous: Type.Unknown() }),
  sample: Type.Optional(
    Type.Literal(true, { description: 'A sample event that tests a webhook; its object did not change.' }),
  ),
});

/** An event in the form of lists and streams. */
export const Event = Type.Object({
  object: Type.Literal('event'),
  ...WebhookEvent.properties,
  created_at: Timestamp,
});
export type Event = Static<typeof Event>;

/** Body of `POST /v1/webhook-endpoints`. */
export const CreateWebhookEndpoint = Closed({
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  events: Type.Array(Type.String({ maxLength: 60 }), {
    minItems: 1,
    maxItems: 100,
    description: '`*`, a family (`payment.*`), or exact types.',
  }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  metadata: Type.Optional(Metadata),
});
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;

/** Whether an event type matches one of a webhook endpoint's patterns (`*`, `payment.*`, exact types). */
export function matchesType(patterns: readonly string[], type: string): boolean {
  const family = `${type.split('.')[0]}.*`;
  return patterns.some(pattern => pattern === '*' || pattern === family || pattern === type);
}

/** Body of `PATCH /v1/webhook-endpoints/:id`. */
export const UpdateWebhookEndpoint = Closed({
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
  events: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: 100 })),
  description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  status: Type.Optional(OneOf(['enabled', 'disabled'])),
  metadata: Type.Optional(Metadata),
});
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;

/**
 * A URL that receives events. Its `secret` is shown only when the endpoint is created and when the secret is rotated.
 */
export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_endpoint'),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Nullable(Type.String()),
  status: OneOf(['enabled', 'disabled']),
  disabled_reason: Nullable(
    OneOf(['gone', 'failing'], {
      description:
        'Why the service disabled the endpoint. `gone`: it answered 410; `failing`: every attempt failed for 5 days.',
    }),
  ),
  secret: Type.Optional(Type.String()),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** The delivery of an event to an endpoint, with the result of the last attempt. */
export const Delivery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_delivery'),
  event: Type.String(),
  event_type: Type.String(),
  endpoint: Type.String(),
  status: OneOf(['pending', 'delivered', 'failed', 'canceled']),
  attempts: Type.Integer({ minimum: 0 }),
  response_status: Nullable(Type.Integer()),
  last_error: Nullable(
    Type.String({
      description:
        'http_error, redirect, timeout, blocked_ip, dns_failed, connection_refused, connection_reset, tls_error …',
    }),
  ),
  next_attempt_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Delivery = Static<typeof Delivery>;

/** One attempt to deliver an event. */
export const DeliveryAttempt = Type.Object({
  number: Type.Integer({ minimum: 1, description: 'From 1. A number is missing when the server stopped meanwhile.' }),
  at: Type.String({ format: 'date-time', description: 'When the attempt ended.' }),
  duration_ms: Type.Integer({ minimum: 0, description: 'From the name lookup to the end of the answer.' }),
  response_status: Nullable(Type.Integer()),
  error: Nullable(Type.String(), 'As `last_error`; null when the event was delivered.'),
  response_body: Nullable(Type.String(), 'The first 2 kB of the answer, if it is text.'),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

/** A delivery with each attempt and the sent content. */
export const DeliveryDetails = Type.Object({
  ...Delivery.properties,
  attempt_log: Type.Array(DeliveryAttempt, { description: 'The attempts, oldest first.' }),
  request: Type.Object(
    {
      headers: Type.Record(Type.String(), Type.String(), {
        description: 'Headers of the last attempt, without the signature.',
        examples: [{ 'content-type': 'application/json' }],
      }),
      body: Nullable(Type.String(), 'The body, byte for byte. Null: the event is no longer kept.'),
    },
    { description: 'What each attempt sends.' },
  ),
});
export type DeliveryDetails = Static<typeof DeliveryDetails>;

/** Body of `POST /v1/events/:id/redeliver`. Without `endpoint`: all enabled endpoints that listen to the type. */
export const RedeliverEvent = Closed({
  endpoint: Type.Optional(Type.String({ maxLength: 64, description: 'Id of a webhook endpoint.' })),
});

/** Body of `POST /v1/test_helpers/events`. */
export const TriggerEvent = Closed({ type: Type.String({ maxLength: 60 }) });

/** Body of `POST /v1/webhook-endpoints/:id/test`. Default of `type`: the first type that the endpoint listens to. */
export const TestWebhookEndpoint = Closed({ type: Type.Optional(Type.String({ maxLength: 60 })) });
