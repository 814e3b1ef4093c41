import { Webhook } from 'standardwebhooks';
import type { apiVersion, EventObjects, EventType } from '../api/event.ts';
import { systemClock } from '../core/clock.ts';

/** An event of the type. */
interface EventOf<Type extends EventType> {
  /** The same over all attempts and redeliveries: handle each id once. */
  readonly id: string;
  readonly type: Type;
  /** RFC 3339: when it happened. */
  readonly timestamp: string;
  /** Version of the payload; this package knows `apiVersion`. */
  readonly api_version: typeof apiVersion | (string & {});
  readonly livemode: boolean;
  /** Counts the events of the object, from 1, without gap: deliveries may arrive out of order. */
  readonly sequence: number;
  readonly data: {
    /** The object after the change. */
    readonly object: EventObjects[Type];
    /** The fields that changed, with their former values; null when the object is new. */
    readonly previous: Partial<EventObjects[Type]> | null;
  };
  /** Set on events asked for to try a webhook: nothing happened. */
  readonly sample?: true;
}

/** An event as it is delivered; `type` tells which object `data` holds. Later versions may send further types: ignore what you do not know. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/** What was wrong with a delivery that did not verify. */
export type WebhookVerificationCode =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'secret_invalid'
  | 'payload_invalid';

/** Thrown by `verifyWebhook`. Answer 400 and do nothing else; `code` and the message are for your log. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}

/** Headers of a request: those of the Fetch API, of Node, or a plain object in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is to be verified. */
export interface VerifyOptions {
  /** The request's body exactly as it came: text or bytes, before any JSON parser. */
  readonly payload: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** The endpoint's `whsec_…` secret; during a rotation several, of which one must fit. */
  readonly secret: string | readonly string[];
  /** How far the delivery's time may be off, in seconds, either way. */
  readonly toleranceSeconds?: number;
  /** The present moment, for tests. */
  readonly now?: Date;
}

const defaultToleranceSeconds = 300;

/**
 * Checks that a delivery comes from the service, was not altered, and is fresh (Standard Webhooks), and returns its
 * event. Runs wherever JavaScript does: Node, Deno, Bun, Workers. Throws WebhookVerificationError.
 */
export function verifyWebhook(options: VerifyOptions): WebhookEvent {
  const id = requireHeader(options.headers, 'webhook-id');
  const sentAt = timestampOf(requireHeader(options.headers, 'webhook-timestamp'), options);
  const signatures = requireHeader(options.headers, 'webhook-signature').split(' ');
  const text = textOf(options.payload);
  const secrets = [options.secret].flat();
  if (secrets.length === 0) throw new WebhookVerificationError('secret_invalid', 'No secret was given.');
  const expected = secrets.map(secret => sign(secret, id, sentAt, text));
  // Every pair is compared, so that the time taken tells nothing.
  const matches = expected.flatMap(signature => signatures.map(given => isSameText(signature, given)));
  if (!matches.includes(true)) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature fits. Was the body parsed or altered before, or is the secret that of another endpoint?',
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
    throw new WebhookVerificationError('timestamp_invalid', 'The header webhook-timestamp is no time.');
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
    throw new WebhookVerificationError('secret_invalid', 'A secret is missing or is not of the form whsec_….');
  }
}

/** Compares in the same time wherever two texts of a length differ. */
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
    // Told below, as for a body that is JSON but no event.
  }
  if (typeof event !== 'object' || event === null || !('type' in event) || typeof event.type !== 'string') {
    throw new WebhookVerificationError('payload_invalid', 'The body is genuine but holds no event.');
  }
  return event as WebhookEvent;
}
