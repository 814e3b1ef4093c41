import type { ErrorCode, ErrorType } from '../../core/error.ts';
import type { ErrorBody } from '../schema.ts';

/** One invalid field of a request. */
export type ApiFieldError = ErrorBody['error']['errors'][number];

/** The content of an error answer. */
export interface ApiErrorDetails {
  /** HTTP status. 0 without an answer. */
  readonly status: number;
  /** `connection_error` if there was no answer. */
  readonly type: ErrorType | 'connection_error' | (string & {});
  /** A code of the catalogue. Without an answer: `unreachable` or `timeout`. Later versions may add codes. */
  readonly code: ErrorCode | 'unreachable' | 'timeout' | (string & {});
  readonly message: string;
  /** The invalid field in wire notation (`customer.email`), or null. */
  readonly param: string | null;
  readonly errors: readonly ApiFieldError[];
  /** The id of the request, for support. Null if there was no answer. */
  readonly requestId: string | null;
  readonly docUrl: string | null;
  /** Seconds to wait before the next attempt. Null if the service names no time. */
  readonly retryAfterSeconds: number | null;
}

/** The error of a failed call: the service refused the call, or the last attempt got no complete answer. */
export class PayApiError extends Error implements ApiErrorDetails {
  declare readonly status: number;
  declare readonly type: ApiErrorDetails['type'];
  declare readonly code: ApiErrorDetails['code'];
  declare readonly param: string | null;
  declare readonly errors: readonly ApiFieldError[];
  declare readonly requestId: string | null;
  declare readonly docUrl: string | null;
  declare readonly retryAfterSeconds: number | null;

  constructor({ message, ...details }: ApiErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PayApiError';
    Object.assign(this, details);
  }
}

/** The error of a call without a complete answer. */
export function connectionError(code: 'unreachable' | 'timeout', cause: unknown): PayApiError {
  const nothing = { param: null, errors: [], requestId: null, docUrl: null, retryAfterSeconds: null };
  const message =
    code === 'timeout' ? 'The payment service did not answer in time.' : 'The payment service cannot be reached.';
  return new PayApiError({ ...nothing, status: 0, type: 'connection_error', code, message }, cause);
}

/** The error of an answer. `nowMs`: the current time, needed if `Retry-After` is a date (RFC 9110 §10.2.3). */
export async function errorOfAnswer(answer: Response, nowMs: number): Promise<PayApiError> {
  const body = (await answer.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = body?.error;
  return new PayApiError({
    status: answer.status,
    type: error?.type ?? 'api_error',
    code: error?.code ?? 'unavailable',
    message: error?.message ?? `The payment service answered ${answer.status} without an error message.`,
    param: error?.param ?? null,
    errors: error?.errors ?? [],
    requestId: error?.request_id ?? answer.headers.get('request-id'),
    docUrl: error?.doc_url ?? null,
    retryAfterSeconds: retryAfterOf(answer.headers.get('retry-after'), nowMs),
  });
}

function retryAfterOf(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - nowMs) / 1000);
}
