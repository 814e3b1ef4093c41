import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Event } from '../api/event.ts';
import { systemClock } from '../core/clock.ts';

/** The result of one delivery to the local address. `status` is null if there was no answer. */
export interface Delivered {
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Maximum time for the local address to answer, in milliseconds. The service has the same limit. */
const answerMs = 15_000;

/**
 * The secret that signs the deliveries of an API key. The secret is the same at each run, so a shop's settings can
 * contain it. It does not reveal the key.
 */
export function listenSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('pay-checkout listen').digest('base64')}`;
}

/** Posts an event as the service posts to webhook endpoints (Standard Webhooks). Never rejects. */
export async function forward(event: Event, target: string, secret: string): Promise<Delivered> {
  const began = performance.now();
  const durationMs = () => Math.round(performance.now() - began);
  try {
    const answer = await fetch(target, { ...deliveryOf(event, secret), signal: AbortSignal.timeout(answerMs) });
    await answer.body?.cancel();
    return { status: answer.status, error: null, durationMs: durationMs() };
  } catch (error) {
    return { status: null, error: reasonOf(error), durationMs: durationMs() };
  }
}

/** The request of a delivery. It omits two fields that events have only in lists and streams. */
function deliveryOf({ object: _, created_at: __, ...payload }: Event, secret: string): RequestInit {
  const body = JSON.stringify(payload);
  const now = systemClock.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'pay-checkout-webhooks',
    'webhook-id': payload.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(payload.id, now, body),
  };
  return { method: 'POST', headers, body, redirect: 'manual' };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return 'no answer in 15 seconds';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === 'ECONNREFUSED' ? 'connection refused' : code || error.message;
}
