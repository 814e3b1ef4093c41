import type { ErrorBody } from '../api/schema.ts';
import type { PayError } from '../core/error.ts';
import { newId } from '../core/id.ts';

/** Headers of all answers. They forbid caching the answer, running it as a page, and guessing its type. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};

/** An error answer of the proxy, in the form of the service's errors. `docsUrl` has no trailing slash. */
export function refusal(error: PayError, docsUrl: string, headers: Record<string, string> = {}): Response {
  const requestId = newId('request');
  const body: ErrorBody = {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      param: error.param,
      request_id: requestId,
      doc_url: `${docsUrl}/docs/errors/${error.code}`,
      errors: error.param === null ? [] : [{ param: error.param, code: error.code, message: error.message }],
    },
  };
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: {
      ...safeHeaders,
      ...headers,
      ...(error.retryAfterSeconds === null ? {} : { 'Retry-After': String(error.retryAfterSeconds) }),
      'Content-Type': 'application/json; charset=utf-8',
      'Request-Id': requestId,
    },
  });
}
