import type { ErrorCode, ErrorType } from '../../core/error.ts';

const sameKey = 'with the same `Idempotency-Key`';
const anotherCard = 'Show the message to the payer and ask for another card or another method. The payment stays open.';
const correctField = 'Correct the field that `param` names, and send the request again.';

/** What a developer does about an error, if the text of its type is not enough. */
const remedies: Readonly<Partial<Record<ErrorCode, string>>> = {
  parameter_missing: 'Add the field. `errors` lists all that are wrong, so that one more try is enough.',
  parameter_unknown:
    'Compare the name with the reference of the call, or leave the field out. A newer field needs a newer server.',
  api_version_unsupported: 'Send a version that `message` lists, or leave the header `Pay-Version` out.',
  invalid_json: 'Send one JSON object, made by a JSON library rather than by hand.',
  malformed_request: 'Check the client or the proxy between it and the service.',
  invalid_amount: 'Send the amount as integer of the smallest unit: EUR 42.00 is `4200`, JPY 42 is `42`.',
  invalid_currency: 'Send a three-letter code for which the service has a rate. `GET /v1/rates` tells.',
  invalid_email: 'Ask the customer for the address again.',
  invalid_asset: 'Send `XLM`, `USDC`, `EURC` or `CODE:ISSUER`. A code alone must be known to the service.',
  asset_not_listed:
    'Choose one of `settlement_assets` of `GET /v1/capabilities`, or ask the operator to list the asset (`PAY_ASSETS`).',
  invalid_redirect_url: 'Send an absolute address. In live mode, add its origin to `redirect_origins` of the account.',
  invalid_cursor: 'Take the ids of the page that you have. Do not build cursors.',
  invalid_token: 'Let the card frame make a new token. A token pays once.',
  invalid_event_type: 'Choose a type from the webhooks of `/openapi.json`.',
  invalid_password: 'Choose a longer password, for example of four words.',
  amount_not_allowed:
    'Create the payment on your server, use the proxy, or use a payment link. All three fix the price.',
  amount_out_of_range: 'Read the message: it states the bounds. Send an amount within them.',
  refund_exceeds_payment: 'Read `amount_received` and `amount_refunded` of the payment. Refund at most the difference.',
  line_items_mismatch: 'Compute `amount` as the sum of the items. Discounts are negative.',
  settlement_account_missing: 'Open the account with some XLM, or use `settlement_mode: custodial`.',
  settlement_no_trustline: 'Add a trustline for the asset to your account, or choose another settlement asset.',
  payment_method_not_allowed: 'Choose one of `payment_methods`, or name the method when you create the payment.',
  forbidden_url: 'Use a public https address. `PAY_WEBHOOK_ALLOWED_NETWORKS` opens private networks of the operator.',
  batch_size: 'Divide the payouts into calls of 10,000 at most.',
  invalid_iban: 'Ask the recipient for the IBAN again. One mistyped character is enough.',
  invalid_account_number: 'Ask the recipient for the number again.',
  invalid_phone_number: 'Ask for the number with its country code.',
  no_route: 'Choose another kind of destination or another currency. `dry_run` shows the row.',
  invalid_schedule:
    'Check the rule, the time zone and the end. `next_runs` of an accepted schedule shows the next days.',
  wallet_transaction_changed: 'Create a new transaction and let the wallet sign that one unchanged.',
  invalid_api_key:
    'Send `Authorization: Bearer <key>` with a key that is not deleted. Test and live keys are different.',
  invalid_session: 'Sign in again.',
  invalid_credentials: 'Check address and password, or reset the password by mail. Many wrong tries are slowed down.',
  invalid_start_token: 'Sign in with a password or a passkey.',
  card_declined: anotherCard,
  insufficient_funds:
    'Of a card: ask for another card. Of a balance: top it up (`POST /v1/balance/top-ups`), or pay less.',
  incorrect_number: 'Ask the payer to check the number. The payment stays open.',
  invalid_expiry: 'Ask the payer to check the date. The payment stays open.',
  expired_card: anotherCard,
  incorrect_cvc: 'Ask the payer to check the security code. The payment stays open.',
  processing_error: 'Let the payer try again in a moment, or choose another method. Nothing was charged.',
  authentication_failed: 'Let the payer try again, or choose another method. Nothing was charged.',
  stellar_no_trustline: 'Add a trustline for the asset to the account, then try again.',
  stellar_underfunded: 'Choose another asset, or add enough of it. Some XLM stays as reserve of the account.',
  stellar_price_moved: 'Create a new transaction: it has the present price.',
  stellar_account_missing: 'Send some XLM to the account, which opens it.',
  stellar_timeout: 'Create a new transaction and submit it within its time.',
  secret_key_required: 'Make the call from your server with a secret key. Never put a secret key in a page.',
  client_secret_mismatch: 'Use the client secret of this payment, from the answer that created it.',
  origin_not_allowed: 'Add the origin to `allowed_origins` of the account: scheme, host and port, without a path.',
  live_mode_unavailable:
    'Use test keys here, or a method that `message` names. For real money, start a server with `PAY_NETWORK=public`.',
  test_mode_only: 'Use a test key. Live mode has no test helpers.',
  operation_not_allowed: 'Use a key with the scope that the message names.',
  approval_required: 'Let another person approve it in the dashboard, or use a key that another person made.',
  role_not_allowed: 'Ask a person with one of the named roles, or the owner for another role.',
  session_required: 'Sign in to the dashboard and make the call there.',
  csrf_token_invalid: 'Read `GET /v1/session`, and send its `csrf_token` as `X-CSRF-Token`.',
  resource_missing: 'Check the id, and whether the key has the mode of the object. Test keys see no live objects.',
  route_not_found: 'Compare the address with the reference.',
  method_not_allowed: 'Use a method that the header `Allow` lists.',
  einvoice_unavailable:
    'Fill the named fields before you send the next invoice. To correct this one, credit it and send a new one.',
  payment_already_settled: 'Read the payment: it is paid. There is nothing left to do.',
  payment_in_flight: 'Wait for the next event of the payment, then decide.',
  prompt_open: 'Ask the payer to answer the prompt on the phone, or wait until it ends. Then send a new one.',
  payment_expired: 'Create a new payment.',
  quote_expired: 'Call `POST /v1/payments/{id}/quotes`, show the new price, and confirm again.',
  wallet_transaction_expired: 'Create a new transaction.',
  link_used: 'Tell the payer that the link is used up. With 409 another payer has begun: try again in 15 minutes.',
  link_disabled: 'Enable the link (`PATCH /v1/payment-links/{id}`), or send another one.',
  link_not_started: 'Wait until `starts_at`.',
  link_expired: 'Send a new link.',
  idempotency_in_progress: `Wait a second and repeat the request ${sameKey}.`,
  last_key: 'Create another secret key, move your programs to it, then delete this one.',
  duplicate_reference: 'Read the payout with this reference. If you mean another one, choose another reference.',
  payout_in_flight: 'Read the payout. If it fails, it can be retried.',
  request_timeout: `Send the request again ${sameKey}, over a faster connection.`,
  body_too_large: 'Send less at once.',
  idempotency_key_reused: 'Make a new key for each new request. Use the old key only to repeat the same request.',
  upstream_failed: `Read the message: it names the provider. Repeat the call later ${sameKey}.`,
  rate_limited: `Wait for the seconds in \`Retry-After\`, then repeat the call ${sameKey}. The typed client does so.`,
  conversion_limit: 'Convert less, or wait for the seconds in `Retry-After`. Quotes count once they are used.',
  too_many_attempts: 'Wait for the seconds in `Retry-After`. After ten declined attempts the payment ends.',
  reminded_already: 'Nothing: the customer has the reminder.',
  internal_error: `Repeat the call ${sameKey}: nothing is done twice. If it stays, send \`request_id\` to the operator.`,
  rate_unavailable: `Repeat the call ${sameKey} after \`Retry-After\`.`,
  unavailable: `Repeat the call ${sameKey} after \`Retry-After\`. Nothing is lost.`,
};

/** What a program does about an error of each type. */
const byType: Readonly<Record<ErrorType, string>> = {
  invalid_request_error: correctField,
  authentication_error: 'Check the key. Do not repeat the call with the same key.',
  card_error: anotherCard,
  payment_error: 'Show the message to the payer. Nothing was taken; the payment stays open.',
  permission_error: 'Use a key that may make this call, or change the setting that the message names.',
  not_found_error: 'Check the id and the mode of the key. Do not repeat the call unchanged.',
  conflict_error: 'Read the object again, then decide. Another call may have been faster.',
  idempotency_error: 'Use a new `Idempotency-Key` for a new request.',
  upstream_error: `Read the message. The call may be repeated later ${sameKey}.`,
  rate_limit_error: `Wait for the seconds in \`Retry-After\`, then repeat the call ${sameKey}.`,
  api_error: `Repeat the call ${sameKey}, after \`Retry-After\` if the answer has it. Nothing is done twice.`,
};

/** What to do about the error, in one to three sentences of Markdown. */
export const remedyOf = (code: ErrorCode, type: ErrorType): string => remedies[code] ?? byType[type];
