/** The sweep that makes delivery attempts. Wake it after deliveries were added. */
export const deliverySweep = 'webhooks.deliver';

/** Seconds between attempts: 10 attempts in 75 h 35 min (Standard Webhooks, example schedule). */
const pausesSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** Milliseconds of failures without a success after which an endpoint is disabled. */
export const disableAfterMs = 5 * 86_400_000;

/** The longest wait that an endpoint may request by `Retry-After`, in milliseconds. */
const longestRetryAfterMs = 86_400_000;

/** Headers of every delivery, besides the headers `webhook-…`. */
export const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'pay-checkout-webhooks' } as const;

export interface Outcome {
  readonly delivered: boolean;
  readonly responseStatus: number | null;
  /** A code of `Delivery.last_error`. Null if the event was delivered. */
  readonly error: string | null;
  /** The beginning of the response's body. Null without a response, and for content that is not text. */
  readonly body: string | null;
  readonly durationMs: number;
  /** The endpoint's `Retry-After` in milliseconds. Null if the endpoint sent none. */
  readonly retryAfterMs: number | null;
}

/** The state of the delivery after an attempt. */
export interface Verdict {
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Milliseconds until the next attempt. Null: no further attempt. */
  readonly pause_ms: number | null;
  /** Whether the endpoint answered 410: it wants no more events. */
  readonly gone: boolean;
}

/** Judges an attempt. `attempt` counts from 1; `random` in [0, 1) delays retries by up to a tenth, to spread them. */
export function judgeAttempt(attempt: number, outcome: Outcome, random: number): Verdict {
  if (outcome.delivered) return { status: 'delivered', pause_ms: null, gone: false };
  const pause = pausesSeconds[attempt - 1];
  if (outcome.responseStatus === 410 || pause === undefined) {
    return { status: 'failed', pause_ms: null, gone: outcome.responseStatus === 410 };
  }
  const scheduled = Math.round(pause * 1000 * (1 + random / 10));
  return { status: 'pending', pause_ms: Math.max(scheduled, outcome.retryAfterMs ?? 0), gone: false };
}

/**
 * Milliseconds that a `Retry-After` requests (RFC 9110 §10.2.3: seconds, or a date), at most a day. Null if it is
 * absent or invalid.
 */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isNaN(ms) || ms < 0 ? null : Math.min(ms, longestRetryAfterMs);
}
