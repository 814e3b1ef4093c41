import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseTimestamp } from '../../../core/calendar.ts';
import { ExchangeError, type HttpExchange } from '../../platform/http-exchange.ts';
import type { ProviderCallback } from '../provider.ts';

/** The operator's account at Sumsub. */
export interface SumsubAccount {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly appToken: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
}

export type JsonFields = Readonly<Record<string, unknown>>;

/** A complete answer. `body` is empty if the answer is not a JSON object. */
export interface SumsubAnswer {
  readonly status: number;
  readonly body: JsonFields;
}

interface SumsubCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path and query. The signature covers both. */
  readonly path: string;
  readonly json?: object;
  readonly now: Date;
}

/** Calls the API. Resolves to null without a complete answer. */
export type CallSumsub = (call: SumsubCall) => Promise<SumsubAnswer | null>;

/**
 * Creates the client. It signs each request: HMAC-SHA-256 of the time, method, path and body
 * (docs.sumsub.com/reference/authentication). `note` receives the problem of each call for the operator, or null.
 */
export function createSumsubApi(
  { url, appToken, secretKey }: SumsubAccount,
  http: Pick<HttpExchange, 'send'>,
  note: (problem: string | null) => void,
): CallSumsub {
  return async ({ method, path, json, now }) => {
    const seconds = String(Math.floor(now.getTime() / 1000));
    const text = method === 'GET' ? '' : JSON.stringify(json ?? {});
    const signature = createHmac('sha256', secretKey).update(`${seconds}${method}${path}${text}`).digest('hex');
    const headers = { 'x-app-token': appToken, 'x-app-access-ts': seconds, 'x-app-access-sig': signature };
    const content = method === 'GET' ? {} : { body: { type: 'application/json', text } };
    const patch = method === 'PATCH' ? { method } : {};
    try {
      const answer = await http.send({ url: new URL(`${url}${path}`), headers, ...content, ...patch });
      // 404 and 409 are answers about an applicant. The service continues after them.
      const isRefused = answer.status >= 400 && answer.status !== 404 && answer.status !== 409;
      note(isRefused ? `sumsub: answers ${answer.status}` : null);
      return { status: answer.status, body: fieldsIn(answer.text) };
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      note('sumsub: does not answer');
      return null;
    }
  };
}

/** The fields of a JSON object. Empty for any other text. */
function fieldsIn(text: string): JsonFields {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The value if it is a JSON object. Otherwise an empty object. */
export function objectIn(value: unknown): JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

/** The digests of callbacks that are accepted. Sumsub also offers SHA-1, which is too weak. */
const digests: Readonly<Record<string, string>> = { HMAC_SHA256_HEX: 'sha256', HMAC_SHA512_HEX: 'sha512' };

/** Sumsub repeats a callback for about a day, with its first time. */
const oldestMs = 86_400_000;

/**
 * The callback of a request, if its digest is genuine (docs.sumsub.com/docs/webhook-manager). The digest covers the
 * body, which names the time.
 */
export function openSumsubCallback(
  { webhookSecret }: SumsubAccount,
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  now: Date,
): ProviderCallback | null {
  const algorithm = digests[String(headers['x-payload-digest-alg'])];
  if (algorithm === undefined) return null;
  const expected = createHmac(algorithm, webhookSecret).update(body).digest();
  const given = Buffer.from(String(headers['x-payload-digest'] ?? ''), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { externalUserId, applicantId, correlationId, createdAtMs } = fieldsIn(body.toString('utf8'));
  const at = parseTimestamp(`${String(createdAtMs).replace(' ', 'T')}Z`);
  if (at === null || Math.abs(now.getTime() - at.getTime()) > oldestMs) return null;
  if (typeof externalUserId !== 'string' || typeof applicantId !== 'string') return null;
  return { subject: externalUserId, reference: applicantId, id: String(correlationId ?? ''), at };
}
