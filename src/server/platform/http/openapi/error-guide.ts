import type { ErrorCode } from '../../../../core/error.ts';

/** What each error code means and what to do about it, for /docs/errors: the address in every error's `doc_url`. */
export const errorGuide: Readonly<Record<ErrorCode, string>> = {
  parameter_missing: 'A field that the call needs is not there. `param` names it.',
  parameter_unknown:
    'The call has no such field. Check its spelling; unknown fields are refused so that typing errors show.',
  parameter_invalid: 'A field has a wrong type, form or value. `message` says what it takes.',
  invalid_json:
    'The body is not one JSON object in UTF-8, has a key twice, contains a NUL character, or nests deeper than 32 levels.',
  malformed_request: 'The request is not valid HTTP: its line, headers, path or length are broken.',
  invalid_amount:
    'Amounts are JSON integers of the smallest unit, from 1 to 9007199254740991. Strings and fractions are refused.',
  invalid_currency: 'Use an ISO 4217 code such as EUR.',
  invalid_email: 'The address cannot be delivered to.',
  invalid_asset: 'Use XLM, CODE:ISSUER, or a code the service knows, such as USDC.',
  invalid_address: 'Use a Stellar account (G…) or muxed account (M…); its check digits must be right.',
  invalid_redirect_url:
    'Use an absolute http or https address without user or password. In live mode its origin must be in redirect_origins.',
  invalid_idempotency_key: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
  invalid_limit: 'limit is a whole number from 1 to 100.',
  invalid_cursor: 'starting_after and ending_before take the id of an object of the same list; give one of them.',
  invalid_color: 'Colours are written like #2f5bea.',
  invalid_logo:
    'Images are PNG, JPEG or WebP, as https address or data: URL, up to 2048 pixels a side; or SVG as data: URL, which is drawn and kept as PNG. It may carry no script, refer to nothing outside of itself, and must be drawn within seconds.',
  invalid_origin: 'Origins are written like https://shop.example, without a path. Plain http is for localhost only.',
  invalid_metadata:
    'Metadata has at most 50 keys of 40 characters; values are strings up to 500 characters, numbers or booleans.',
  invalid_duration: 'Durations are ISO 8601 of weeks, days, hours, minutes and seconds: P3D, PT15M.',
  invalid_token: 'The card token is unknown, used or expired. Get a new one from the card frame.',
  invalid_event_type: 'There is no such event type. Use one of the list, a family such as payment.*, or *.',
  amount_not_allowed:
    'Pages may not set the amount of a payment of this account. Create it on your server, or set client_amounts to true.',
  amount_out_of_range:
    'The amount is not one that the link or invoice takes: too low, too high, or finer than the currency. The message says what it takes.',
  refund_exceeds_payment: 'The refunds of a payment never exceed what was received.',
  line_items_mismatch: 'The amounts of line_items must sum to amount.',
  settlement_network_unsupported: 'Payments settle on stellar.',
  settlement_account_missing:
    'There is no such Stellar account. In direct mode payers pay straight into settlement_address, so it must exist.',
  settlement_no_trustline:
    'The account at settlement_address cannot take the settlement asset: give it a trustline, then try again.',
  payment_method_not_allowed: 'The payment does not offer this method.',
  forbidden_url:
    'Webhooks go to public addresses only, not into private networks, to other schemes or with credentials.',
  wallet_transaction_changed:
    'The wallet gave back another transaction than the one made for it, or none. Nothing was sent; make a new one.',
  invalid_api_key: 'The key is missing, unknown or revoked. Send it as Authorization: Bearer <key>.',
  card_declined: 'The bank declined the card. The payer may try again or use another one.',
  insufficient_funds: 'There is not enough money on the card or in the balance.',
  incorrect_number: 'The card number is wrong.',
  invalid_expiry: 'The expiry date of the card is wrong.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code is wrong.',
  processing_error: 'The card network could not answer. Nothing was charged; try again.',
  authentication_failed: 'The payer did not pass the check of the bank (3-D Secure). Nothing was charged.',
  stellar_no_trustline: 'The account has no trustline for the asset, or its issuer has not authorized it.',
  stellar_underfunded: 'The account does not hold enough of the asset; of XLM the reserve and the fee stay behind.',
  stellar_price_moved: 'The path payment would have cost more than the bound that was shown. Nothing was taken.',
  stellar_no_path: 'Nobody exchanges the asset for the one that is to be paid. Choose another one.',
  stellar_account_missing: 'There is no such account on the network. It must be opened first, with some XLM.',
  stellar_bad_signature: 'The signatures are not those of the account, or weigh too little.',
  stellar_timeout: 'No ledger took the transaction before its time was over. Nothing was taken; make a new one.',
  stellar_refused: 'The network refused the transaction. Nothing was taken; make a new one.',
  secret_key_required:
    'The call needs a secret key, or (to pay one payment) its client secret beside the publishable key.',
  client_secret_mismatch: 'The client secret is not that of this payment.',
  origin_not_allowed:
    'Add the origin of the page to allowed_origins of the account. Requests without Origin need a secret key.',
  live_mode_unavailable:
    'This server takes no real money, or none by the methods named. Use test keys, or name crypto.',
  test_mode_only: 'The call exists in test mode only.',
  operation_not_allowed: 'The key lacks the scope, or tried to grant a scope that it lacks.',
  resource_missing:
    'There is no such object for this key: check the id, and whether key and object are of the same mode.',
  route_not_found: 'There is nothing at this address.',
  method_not_allowed: 'The address exists, but not for this method; the header Allow lists those it takes.',
  illegal_state: 'The object is not in a state in which this can be done. Read it again.',
  payment_already_settled: 'The payment is paid already.',
  payment_in_flight: 'Money is on its way for this payment; wait until it has arrived or failed.',
  payment_expired: 'The time to pay has run out. Create a new payment.',
  quote_expired: 'The price is no longer held. Ask for a new quote.',
  wallet_transaction_expired: 'The time in which the transaction could be handed in is over. Make a new one.',
  link_used:
    'All payments of the link are made (410), or another payer has just begun the last one (409). Nothing was taken; money on its way is returned.',
  link_disabled: 'The merchant has switched the payment link off. Nothing was taken.',
  link_not_started: 'The payment link cannot be paid before its starts_at.',
  idempotency_in_progress: 'The first request with this Idempotency-Key still runs. Repeat it in a moment.',
  last_key: 'A mode keeps at least one secret key. Make another one first.',
  link_expired: 'The payment link could be paid until its expires_at. What was on its way by then still counts.',
  request_timeout: 'The request took too long to arrive.',
  body_too_large: 'Bodies have at most 1 MiB unless the call says otherwise.',
  unsupported_media_type: 'Send JSON with Content-Type: application/json.',
  idempotency_key_reused: 'The Idempotency-Key stands for another body. Use a new key for a new request.',
  upstream_failed: 'A provider refused or did not answer. The message names it.',
  rate_limited: 'Too many requests. Wait the seconds that Retry-After says.',
  reminded_already:
    'The customer was reminded of this invoice a few minutes ago. Wait the seconds that Retry-After says, if you mean to remind again.',
  too_many_attempts: 'Too many attempts on this payment. Wait the seconds that Retry-After says.',
  internal_error: 'Something went wrong on our side. Quote the request id when you ask about it.',
  rate_unavailable: 'No trustworthy exchange rate is known right now. Try again shortly.',
  unavailable: 'The service cannot do this right now. Nothing is lost; try again after Retry-After seconds.',
};
