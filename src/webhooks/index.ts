import { Webhook } from 'standardwebhooks';
import type { apiVersion, EventObjects, EventType } from '../api/event.ts';
import { systemClock } from '../core/clock.ts';

export type * from '../api/objects.ts';

/** The payload of an event of one type. */
interface EventOf<Type extends EventType> {
  /** The event's id, equal in all its deliveries. Handle each id only once. */
  readonly id: string;
  readonly type: Type;
  /** Time of the event (RFC 3339). */
  readonly timestamp: string;
  /** Version of the payload. The types of this package describe the version `apiVersion`. */
  readonly api_version: typeof apiVersion | (string & {});
  readonly livemode: boolean;
  /** Number of the event within its object, from 1 without gaps. Deliveries may arrive out of order. */
  readonly sequence: number;
  readonly data: {
    /** The object after the change. */
    readonly object: EventObjects[Type];
    /** The changed fields with their former values. Null if the object is new. */
    readonly previous: Partial<EventObjects[Type]> | null;
  };
  /** Set on sample events, which only test the webhook. */
  readonly sample?: true;
}

/** An event. `type` tells which object `data` contains. Ignore unknown types, because later versions may add types. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/** Why a delivery was rejected. */
export type WebhookVerificationCode =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'secret_invalid'
  | 'option_invalid'
  | 'payload_invalid';

/** Thrown by `verifyWebhook`. Answer with status 400 and do nothing else. Code and message are for your log. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}

/** Headers of a request: of the Fetch API, of Node, or a plain object whose names may have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The delivery to verify. */
export interface VerifyOptions {
  /** The request's unchanged body as text or bytes, before a JSON parser changes it. */
  readonly payload: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** The endpoint's `whsec_…` secret. During a rotation, both the old and the new secret. One must match. */
  readonly secret: string | readonly string[] | undefined;
  /** Maximum difference between the delivery's time and now, in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The current time, for tests. */
  readonly now?: Date;
}

const defaultToleranceSeconds = 300;

/**
 * Verifies that a delivery comes from the service, is unaltered and recent (Standard Webhooks), and returns its event.
 * Runs in Node, Deno, Bun and Workers. Throws WebhookVerificationError.
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  const id = requireHeader(options.headers, 'webhook-id');
  const sentAt = timestampOf(requireHeader(options.headers, 'webhook-timestamp'), options);
  const signatures = requireHeader(options.headers, 'webhook-signature').split(' ');
  const text = textOf(options.payload);
  const secrets = [options.secret ?? []].flat();
  if (secrets.length === 0) throw new WebhookVerificationError('secret_invalid', 'No secret was given.');
  const expected = secrets.map(secret => sign(secret, id, sentAt, text));
  // Compares all pairs, so that the duration does not show which pair matched.
  const matches = expected.flatMap(signature => signatures.map(given => isSameText(signature, given)));
  if (!matches.includes(true)) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature matches. Check that the body is unchanged, and that the secret belongs to this endpoint.',
    );
  }
  return eventOf(text);
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === null || value === '')
    throw new WebhookVerificationError('header_missing', `The header ${name} is missing.`);
  return value;
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (hasGet(headers)) return headers.get(name);
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value = entry?.[1];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function timestampOf(text: string, { toleranceSeconds = defaultToleranceSeconds, now }: VerifyOptions): Date {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookVerificationError('timestamp_invalid', 'The header webhook-timestamp is not a time.');
  }
  // A comparison with NaN is always false, so no delivery would be refused.
  if (!(toleranceSeconds >= 0) || Number.isNaN(now?.getTime())) {
    throw new WebhookVerificationError('option_invalid', 'toleranceSeconds and now must be a number and a valid date.');
  }
  const age = Math.floor((now ?? systemClock.now()).getTime() / 1000) - Number(text);
  if (age > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_old', `The delivery was sent ${age} seconds ago.`);
  }
  if (-age > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_new', `The delivery was sent ${-age} seconds in the future.`);
  }
  return new Date(Number(text) * 1000);
}

function textOf(payload: string | Uint8Array): string {
  if (typeof payload === 'string') return payload;
  if (!ArrayBuffer.isView(payload)) {
    throw new WebhookVerificationError('payload_invalid', 'Give the body as text or bytes, not as a parsed object.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    throw new WebhookVerificationError('payload_invalid', 'The body is not UTF-8.');
  }
}

function sign(secret: string, id: string, sentAt: Date, text: string): string {
  try {
    return new Webhook(secret).sign(id, sentAt, text);
  } catch {
    throw new WebhookVerificationError('secret_invalid', 'A secret is missing or does not have the form whsec_….');
  }
}

/** Whether two texts are the same. The duration depends only on their lengths. */
function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}

function eventOf(text: string): WebhookEvent {
  let event: unknown = null;
  try {
    event = JSON.parse(text);
  } catch {
    // The code below reports it, as for a JSON body that is not an event.
  }
  if (typeof event !== 'object' || event === null || !('type' in event) || typeof event.type !== 'string') {
    throw new WebhookVerificationError('payload_invalid', 'The signature is valid, but the body is not an event.');
  }
  return event as WebhookEvent;
}
