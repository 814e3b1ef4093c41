export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'card_error'
  | 'payment_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'idempotency_error'
  | 'upstream_error'
  | 'rate_limit_error'
  | 'api_error';

interface ErrorEntry {
  readonly status: number;
  readonly type: ErrorType;
}

const entry = (status: number, type: ErrorType): ErrorEntry => ({ status, type });
const invalid = entry(400, 'invalid_request_error');
const card = entry(402, 'card_error');
const payment = entry(402, 'payment_error');
const forbidden = entry(403, 'permission_error');
const conflict = entry(409, 'conflict_error');

/** The catalogue of errors: code → HTTP status and type. Routes, clients and the documentation use it. */
export const errorCatalogue = {
  parameter_missing: invalid,
  parameter_unknown: invalid,
  parameter_invalid: invalid,
  api_version_unsupported: invalid,
  invalid_json: invalid,
  malformed_request: invalid,
  invalid_amount: invalid,
  invalid_currency: invalid,
  invalid_email: invalid,
  invalid_asset: invalid,
  asset_not_listed: invalid,
  invalid_address: invalid,
  invalid_redirect_url: invalid,
  invalid_idempotency_key: invalid,
  invalid_limit: invalid,
  invalid_cursor: invalid,
  invalid_color: invalid,
  invalid_logo: invalid,
  invalid_origin: invalid,
  invalid_metadata: invalid,
  invalid_duration: invalid,
  invalid_token: invalid,
  invalid_event_type: invalid,
  invalid_password: invalid,
  amount_not_allowed: invalid,
  amount_out_of_range: invalid,
  refund_exceeds_payment: invalid,
  line_items_mismatch: invalid,
  settlement_network_unsupported: invalid,
  settlement_account_missing: invalid,
  settlement_no_trustline: invalid,
  payment_method_not_allowed: invalid,
  forbidden_url: invalid,
  batch_size: invalid,
  invalid_destination: invalid,
  invalid_iban: invalid,
  invalid_bic: invalid,
  invalid_routing_number: invalid,
  invalid_account_number: invalid,
  invalid_phone_number: invalid,
  invalid_provider: invalid,
  invalid_chain: invalid,
  invalid_memo: invalid,
  invalid_schedule: invalid,
  no_route: invalid,
  unsupported_file: invalid,
  wallet_transaction_changed: invalid,
  invalid_api_key: entry(401, 'authentication_error'),
  invalid_session: entry(401, 'authentication_error'),
  invalid_credentials: entry(401, 'authentication_error'),
  invalid_start_token: entry(401, 'authentication_error'),
  two_factor_required: entry(401, 'authentication_error'),
  invalid_code: entry(401, 'authentication_error'),
  invalid_passkey: entry(401, 'authentication_error'),
  invalid_signature: entry(401, 'authentication_error'),
  card_declined: card,
  insufficient_funds: card,
  incorrect_number: card,
  invalid_expiry: card,
  expired_card: card,
  incorrect_cvc: card,
  processing_error: card,
  authentication_failed: card,
  prompt_refused: payment,
  wrong_pin: payment,
  prompt_expired: payment,
  prompt_unanswered: payment,
  number_not_registered: payment,
  operator_limit: payment,
  operator_unavailable: payment,
  stellar_no_trustline: payment,
  stellar_underfunded: payment,
  stellar_price_moved: payment,
  stellar_no_path: payment,
  stellar_account_missing: payment,
  stellar_bad_signature: payment,
  stellar_timeout: payment,
  stellar_refused: payment,
  secret_key_required: forbidden,
  client_secret_mismatch: forbidden,
  origin_not_allowed: forbidden,
  live_mode_unavailable: forbidden,
  test_mode_only: forbidden,
  operation_not_allowed: forbidden,
  approval_required: forbidden,
  role_not_allowed: forbidden,
  session_required: forbidden,
  csrf_token_invalid: forbidden,
  confirmation_required: forbidden,
  email_unverified: forbidden,
  resource_missing: entry(404, 'not_found_error'),
  route_not_found: entry(404, 'not_found_error'),
  method_not_allowed: entry(405, 'invalid_request_error'),
  illegal_state: conflict,
  einvoice_unavailable: conflict,
  payment_already_settled: conflict,
  payment_in_flight: conflict,
  prompt_open: conflict,
  payment_expired: conflict,
  quote_expired: conflict,
  quote_used: conflict,
  no_liquidity: conflict,
  price_changed: conflict,
  wallet_transaction_expired: conflict,
  link_used: conflict,
  link_disabled: conflict,
  link_not_started: conflict,
  idempotency_in_progress: conflict,
  last_key: conflict,
  duplicate_reference: conflict,
  payout_in_flight: conflict,
  link_expired: entry(410, 'invalid_request_error'),
  mail_link_expired: entry(410, 'invalid_request_error'),
  request_timeout: entry(408, 'invalid_request_error'),
  body_too_large: entry(413, 'invalid_request_error'),
  unsupported_media_type: entry(415, 'invalid_request_error'),
  idempotency_key_reused: entry(422, 'idempotency_error'),
  upstream_failed: entry(424, 'upstream_error'),
  rate_limited: entry(429, 'rate_limit_error'),
  too_many_attempts: entry(429, 'rate_limit_error'),
  conversion_limit: entry(429, 'rate_limit_error'),
  reminded_already: entry(429, 'rate_limit_error'),
  internal_error: entry(500, 'api_error'),
  rate_unavailable: entry(503, 'api_error'),
  unavailable: entry(503, 'api_error'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An invalid field of a request. */
export interface FieldError {
  /** The index of the row in a bulk request, from 0. */
  readonly index?: number;
  readonly param: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Optional properties of an error. */
export interface PayErrorOptions {
  /** The invalid field in wire notation (`customer.email`, `line_items[2].amount`). */
  readonly param?: string;
  /** All invalid fields, if several are invalid. */
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next attempt. Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /**
   * Overrides the status of the code. `link_used` answers 410 instead of 409 if all uses of the link are paid. An
   * invalid field answers 400, even if its code normally answers 404 or 409.
   */
  readonly status?: 400 | 410;
  /** Overrides the type of the code. For example, `insufficient_funds` of a balance is not a `card_error`. */
  readonly type?: 'payment_error' | 'invalid_request_error';
  readonly cause?: unknown;
}

/**
 * An error that becomes the caller's error response. The message is for the caller, and says what is wrong and what to
 * do.
 */
export class PayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, message: string, options: PayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PayError';
    this.code = code;
    this.status = options.status ?? errorCatalogue[code].status;
    this.type = options.type ?? errorCatalogue[code].type;
    this.param = options.param ?? null;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** The `code` of an error of Node or of a library, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
