import type { FieldNotes, RequestExamples } from '../http/openapi/field-note.ts';

/** Fields of events, webhook endpoints and deliveries. */
export const fieldNotes: FieldNotes = {
  events: ['Types of events that are sent.', ['payment.completed', 'refund.*']],
  event_type: ['Type of the event.', 'payment.completed'],
  'Event.type': ['Type of the event.', 'payment.completed'],
  'WebhookEvent.type': ['Type of the event.', 'payment.completed'],
  'TriggerEvent.type': ['Type of the event.', 'payment.completed'],
  'TestWebhookEndpoint.type': [
    'Type of the event. Default: the first type that the endpoint receives.',
    'payment.completed',
  ],
  'get /v1/events.type': ['Type of the event, or a family: `payment.*`.', 'payment.completed'],
  api_version: ['Version of the API that wrote the event.', '2026-11-01'],
  previous: ['Earlier values of the fields that changed; null for a new object.', null],
  secret: ['Secret that signs the webhooks, shown once.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  attempts: ['Number of attempts so far.', 1],
  response_status: ['HTTP status of the last answer; null without one.', 204],
  last_error: ['Why the last attempt failed; null otherwise.', 'The address answered 500.'],
  next_attempt_at: 'When it is tried again; null: not again.',
  disabled_reason: 'Why the endpoint is disabled; null otherwise.',
};

/** Whole examples of requests, by schema. */
export const requestExamples: RequestExamples = {
  CreateWebhookEndpoint: { url: 'https://shop.example.com/webhooks', events: ['payment.completed', 'refund.*'] },
  UpdateWebhookEndpoint: { events: ['payment.*'] },
  RedeliverEvent: {},
  TestWebhookEndpoint: {},
};
