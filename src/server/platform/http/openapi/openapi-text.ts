import type { ErrorCode } from '../../../../core/error.ts';

/** What the service is for, in one sentence without its full stop. */
export const apiPurpose =
  'Take payments by card, bank transfer and crypto, and receive the asset you want in your account on Stellar';

/** What every reader of the API should know first; Markdown, shown in the OpenAPI document and by /docs. */
export const apiDescription = `
${apiPurpose}.

## Conventions
Requests and answers are JSON (\`Content-Type: application/json\`, UTF-8). Field names are snake_case. Times are RFC 3339
in UTC and end in \`_at\`. Readers must expect further fields, and further values of the enumerations.

**Ids** are a prefix and 22 random characters: \`pay_\`, \`plink_\`, \`re_\`, \`quote_\`, \`cus_\`, \`evt_\`, \`we_\`, \`key_\`,
\`req_\`. What belongs to somebody else is answered like what does not exist.

**Money** is an integer of the smallest unit of an ISO 4217 currency: 1234 is USD 12.34, JPY 1234 and KWD 1.234. Amounts
of an on-chain asset are decimal strings. Nothing is coerced: \`"100"\`, \`10.5\` and \`1e21\` are refused, never rounded.

**Rounding** happens where one unit becomes another (a quote, a fee, a share), once, to the smallest unit, half away from
zero. What a payer is asked to send of an asset is rounded up; what arrives counts rounded down, all that came at one
price together, so that parts that sum to what was asked for pay all of it.

## Authentication
Send \`Authorization: Bearer <key>\`.

- A **secret key** (\`sk_test_…\`, \`sk_live_…\`) may do everything of its merchant and mode, or what its scopes say.
  It belongs on a server.
- A **publishable key** (\`pk_test_…\`, \`pk_live_…\`) may be in a web page. It creates payments when the request comes
  from a page of an origin in \`allowed_origins\` (browsers say so in the header \`Origin\`; the service's own pages always
  count, and in test mode pages on \`localhost\` do). A request without \`Origin\` is refused: on a server, use a secret key.
- With the **client secret** of a payment in the header \`Pay-Client-Secret\`, a publishable key reads that payment, lists
  its options, quotes, confirms and follows it. The client secret alone as Bearer does the same.

- A **payment link** needs no key: whoever knows its id (\`plink_…\`, 131 random bits) may read what a payer may see of it,
  \`GET /v1/payment-links/{id}\`, and make a payment of it, \`POST /v1/payment-links/{id}/payments\`; from web pages, of the
  origins that publishable keys are bound to. The link's price stands, so that \`<pay-checkout link="plink_…">\` is the safe
  way to a fixed price without a server. The payment is then paid with the client secret it came with.

## Quotes
A payment holds its rate until \`expires_at\`: for the \`quote_seconds\` of your account (30 to 86,400; 900 unless you set
them), and never beyond \`session_expires_at\`. After that a confirmation is answered \`quote_expired\`, and
\`POST /v1/payments/{id}/quotes\` holds a fresh rate in the same payment. On a chain, the price of the asset that the payer
chose is held with the quote.

**How long a price counts** is longer than the \`quote_seconds\` for which it is offered. The address and memo of a payment
stay the same under every quote, and what an earlier quote told the payer to send still credits. It is judged in the
asset that was quoted, and not revalued: of the prices that were held when the money reached the chain, by the one best
for the payer; when none was, by the newest one told before. Who was asked for 45 USDC and sends 45 USDC after the quote
has ended, has paid.

**Who bears the difference.** What you receive follows the payment's newest quote; what the asset that came lost or won
since it was told is the treasury's. That ends at \`session_expires_at\`, \`session_seconds\` of your account (60 to
2,592,000; 86,400 unless you set them) after the payment was created, and later once a bank transfer was chosen, not with
\`quote_seconds\`: money after the session is \`paid_late\`, and yours to accept or send back. In direct mode nothing is
exchanged, and what arrived is what you have. An asset that the payment was never quoted in counts for nothing
(\`wrong_asset\`) and is kept, to be sent back.

## Errors
\`{"error":{"type","code","message","param","request_id","doc_url","errors":[{"param","code","message"}]}}\`. \`message\` says
what to do, \`param\` names the first wrong field (\`line_items[2].amount\`), \`errors\` all of them, \`doc_url\` explains the code.
503 means: nothing is lost, try again after \`Retry-After\` seconds.

## Repeating requests
Send an \`Idempotency-Key\` (1 to 255 printable ASCII characters) with a POST and repeat it freely: the first answer comes
again, byte for byte, with \`Idempotent-Replayed: true\`, for 24 hours. Another body under the same key is refused with 422,
a repeat while the first call still runs with 409. Requests that were not executed (400, 401, 403, 429, 5xx) are not
remembered.

## Lists
Newest first. \`limit\` is 1 to 100 (10). \`starting_after\` and \`ending_before\` take the id of the last or first object of the
page you have; \`has_more\` says whether to go on.

## Rate limits
\`RateLimit-Policy\` and \`RateLimit\` say how many requests a second you may make and have left. Beyond that: 429 with
\`Retry-After\`. Limits count in each server process.

## Time
\`Pay-Server-Time\` is the present moment of your clock. Test mode has a clock of its own that
\`POST /v1/test_helpers/clock\` moves ahead; everything that time brings about follows it.
`.trim();

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
  stellar_no_path: 'No offers exchange the asset for the requested one. Choose another one.',
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
