import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderCallback } from '../../server/kyc/provider.ts';

/** Callbacks of the simulated provider, signed as Standard Webhooks prescribes. */

/** Seconds between a callback's time and its arrival that are accepted. */
const toleranceSeconds = 300;

/** A callback as it is sent. */
interface SentCallback {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function signatureOf(key: Buffer, id: string, seconds: string, body: string | Buffer): string {
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
}

/** Signs a callback about the provider's customer. */
export function signCallback(key: Buffer, { id, at, subject }: Pick<ProviderCallback, 'id' | 'at' | 'subject'>) {
  const body = JSON.stringify({ type: 'check.updated', subject });
  const seconds = String(Math.floor(at.getTime() / 1000));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signatureOf(key, id, seconds, body)}`,
    },
  };
}

/** The callback of a request. Null unless `key` has signed it within the last minutes. */
export function openCallback(
  key: Buffer,
  { headers, body, now }: SentCallback & { readonly now: Date },
): ProviderCallback | null {
  const [id, seconds, signature] = ['id', 'timestamp', 'signature'].map(name =>
    String(headers[`webhook-${name}`] ?? ''),
  );
  if (!id || !seconds || !/^\d{1,12}$/.test(seconds)) return null;
  const expected = Buffer.from(`v1,${signatureOf(key, id, seconds, body)}`);
  const given = Buffer.from(signature ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const at = new Date(Number(seconds) * 1000);
  if (Math.abs(now.getTime() - at.getTime()) > toleranceSeconds * 1000) return null;
  const { subject } = JSON.parse(body.toString()) as { readonly subject: string };
  return { subject, reference: null, id, at };
}
