import type { ErrorCode } from '../../../../core/error.ts';

/** The purpose of the service in one sentence, without the full stop. */
export const apiPurpose =
  'Take payments by card, bank transfer, crypto and mobile money, and receive the asset you want in your account on Stellar';

/** Introduction to the API in Markdown, shown in the OpenAPI document and by /docs/api. */
export const apiDescription = `
${apiPurpose}.

## Conventions
Request and response bodies are JSON (\`Content-Type: application/json\`, UTF-8). Field names are snake_case. Times are
RFC 3339 in UTC, and their names end in \`_at\`. New fields and new enumeration values may be added at any time; your code
must accept them.

**Versions** are dates. A key gets the version that was the newest when it was made (\`api_version\` of the key). The
header \`Pay-Version\` chooses another one for a call, and every answer names its version in that header.

**Ids** are a prefix and 22 random characters: \`pay_\`, \`plink_\`, \`re_\`, \`quote_\`, \`cus_\`, \`evt_\`, \`we_\`, \`key_\`,
\`req_\`. An object of another merchant gets the same response as an object that does not exist.

**Money** is an integer in the smallest unit of an ISO 4217 currency: 1234 is USD 12.34, JPY 1234 and KWD 1.234. Amounts
of an on-chain asset are decimal strings. The API never converts or rounds your input: it refuses \`"100"\`, \`10.5\` and
\`1e21\`.

**Rounding** happens once, where one unit becomes another (a quote, a fee, a share). Results are rounded to the smallest
unit, half away from zero. Crypto payments have two exceptions. The amount of an asset that a payer must send is rounded
up. The value of received assets is rounded down; amounts received at the same price are added before rounding. Parts that
add up to the requested amount therefore pay it in full.

## Authentication
Send \`Authorization: Bearer <key>\`.

- A **secret key** (\`sk_test_…\`, \`sk_live_…\`) gives full access to its merchant in its mode, unless its scopes restrict
  it. Keep it on a server.
- A **publishable key** (\`pk_test_…\`, \`pk_live_…\`) may be in a web page. It creates payments for requests from pages of
  the origins in \`allowed_origins\`. Browsers send the page's origin in the header \`Origin\`. The service's own pages are
  always allowed; in test mode, pages on \`localhost\` are allowed too. A request without \`Origin\` is refused: on a server,
  use a secret key.
- A publishable key together with a payment's **client secret** (header \`Pay-Client-Secret\`) gives access to that payment.
  It can read the payment, list its options, create quotes, confirm it and follow its events. The client secret alone as
  Bearer token gives the same access.
- A **payment link** needs no key, only its id (\`plink_…\`, 131 random bits). With the id, a caller can read the fields for
  payers (\`GET /v1/payment-links/{id}\`). It can also start a payment (\`POST /v1/payment-links/{id}/payments\`). In web
  pages, this works from the origins where publishable keys work. The caller cannot change the link's price, so
  \`<pay-checkout link="plink_…">\` is the safe way to a fixed price without a server. The response contains the client
  secret with which the payer pays.

## Quotes
A payment holds its rate until \`expires_at\`, for the \`quote_seconds\` of your account (30 to 86,400; default 900). The
rate never outlasts \`session_expires_at\`. Afterwards, confirming fails with \`quote_expired\`;
\`POST /v1/payments/{id}/quotes\` gets a fresh rate for the same payment. For crypto, the quote also holds the price of the
asset that the payer chose.

**How long a crypto price is valid.** The price counts for crypto that arrives until the quote's end plus the
\`quote_grace_seconds\` of your account (0 to 86,400; default 600), because a transfer takes time. The payment's address and
memo do not change with new quotes. If several prices held when the transfer reached the chain, the best one for the payer
applies. Later crypto is \`paid_late\`: it counts nothing, and waits for \`POST /v1/payments/{id}/resolve\`. The payer can
still pay the payment. With \`late_money: "market"\` it counts at the market rate of its arrival instead. If you
accept it, it counts at the market rate of that moment.

**Who bears price changes.** You receive the amount of the payment's newest quote. The treasury bears any change in the
price of the received asset between the quote and the arrival. The session lasts the \`session_seconds\` of your account (60
to 2,592,000; default 86,400) from the payment's creation. A bank transfer extends the session, and counts in full until its
end. If it arrives more than \`quote_grace_seconds\` after the quote's end, the payment gets a new quote at the rate of that
moment (\`payment.quote_refreshed\`), so the settlement amount follows the market. A transfer in another currency than the
payment's then also counts at that rate. A card captured after \`expires_at\` gets the payment a new quote in the same way,
at the rate of the capture. If no rate is known, the old quote counts. Money that arrives after the session is
\`paid_late\`: you accept it or send it back. In direct mode nothing is
exchanged: you keep the asset that arrived. An asset that was never quoted for the payment does not count
(\`wrong_asset\`); it is kept until you accept it or send it back.

## Errors
\`{"error":{"type","code","message","param","request_id","doc_url","errors":[{"param","code","message"}]}}\`. \`message\` says
what to do. \`param\` names the first wrong field (\`line_items[2].amount\`), and \`errors\` lists all wrong fields. \`doc_url\`
explains the code. After a 503 nothing is lost: try again after \`Retry-After\` seconds.

## Repeating requests
Send an \`Idempotency-Key\` (1 to 255 printable ASCII characters) with a POST, and you can repeat the request safely. For 24
hours (payouts: 30 days), a repeat gets the first response again, byte for byte, with \`Idempotent-Replayed: true\`. The
same key with another body is refused with 422. A repeat while the first request still runs is refused with 409. Requests
that were not executed (400, 401, 403, 429, 5xx) are not stored, and neither are conflicts that pass, such as 409
\`payment_in_flight\` and \`prompt_open\`. After a crash, a repeat answers the outcome of its own attempt.

Only the API key or person that sent the first request gets its response again. Another one is refused with 422
\`idempotency_key_reused\`, and nothing is done. So finish open repeats before you replace a key. A secret that is shown
once, such as a new API key, is not stored: the repeat lacks it, and the header \`Pay-Secret-Omitted\` names its field.
Calls that write nothing, such as previews, ignore the key. So do calls that prove who a person is: sign-in, new
passwords, passkeys and codes. They may be repeated.

## Lists
Lists start with the newest object. \`limit\` is 1 to 100 (default 10). \`starting_after\` takes the last id of your page, and
\`ending_before\` the first. \`has_more\` says whether another page follows.

## Rate limits
\`RateLimit-Policy\` states your limit of requests per second, and \`RateLimit\` how many are left. Above the limit, requests
get 429 with \`Retry-After\`. Each server process counts separately.

## Time
\`Pay-Server-Time\` is the current time of your clock. Test mode has its own clock, which \`POST /v1/test_helpers/clock\` moves
ahead. All scheduled work in test mode follows that clock.
`.trim();

/** Meaning and remedy of each error code, for the pages below /docs/errors. Every error's `doc_url` links to one. */
export const errorGuide: Readonly<Record<ErrorCode, string>> = {
  parameter_missing: 'A required field is missing. `param` names it.',
  parameter_unknown:
    'The call has no such field. Check its spelling: unknown fields are refused so that typing errors are noticed.',
  parameter_invalid: 'A field has a wrong type, format or value. `message` says what it accepts.',
  api_version_unsupported:
    'The header `Pay-Version` names a version that the API does not have. Send one that `message` lists, or leave the header out.',
  invalid_json:
    'The body is not one JSON object in UTF-8, repeats a key, contains a NUL character, or nests deeper than 32 levels.',
  malformed_request: 'The request is not valid HTTP: its request line, headers, path or length are wrong.',
  invalid_amount:
    'Amounts are JSON integers of the smallest unit, from 1 to 9007199254740991. Strings and fractions are refused.',
  invalid_currency:
    'Use an ISO 4217 code such as EUR. New objects cannot use a withdrawn currency; `message` names its successor.',
  invalid_email: 'Mail cannot be delivered to this address.',
  invalid_asset: 'Use XLM, CODE:ISSUER, or a code the service knows, such as USDC.',
  asset_not_listed:
    'The operator does not list this asset for settlement and conversion. `message` and `GET /v1/capabilities` name the listed ones.',
  invalid_address: 'Use a Stellar account (G…) or muxed account (M…); its check digits must be right.',
  invalid_redirect_url:
    'Use an absolute http or https address without user or password. In live mode its origin must be in redirect_origins.',
  invalid_idempotency_key: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
  invalid_limit: 'limit is a whole number from 1 to 100.',
  invalid_cursor: 'starting_after and ending_before take the id of an object in the same list. Give only one of them.',
  invalid_color: 'Colours are written like #2f5bea.',
  invalid_logo:
    'An image is a PNG, JPEG or WebP of up to 2048 pixels a side, given as https address or data: URL. An SVG is refused; the dashboard turns it into a PNG.',
  invalid_origin: 'Origins are written like https://shop.example, without a path. Plain http is for localhost only.',
  invalid_metadata:
    'Metadata has at most 50 keys of 40 characters; values are strings up to 500 characters, numbers or booleans.',
  invalid_duration: 'Durations are ISO 8601 in weeks, days, hours, minutes and seconds: P3D, PT15M.',
  invalid_token: 'The card token is unknown, used or expired. Get a new one from the card frame.',
  invalid_event_type: 'The event type does not exist. Use a type from the list, a family such as payment.*, or *.',
  invalid_password: 'A password has 10 to 200 characters and is not a common one.',
  amount_not_allowed:
    'This account does not let web pages set the amount. Create the payment on your server, or set client_amounts to true.',
  amount_out_of_range:
    'The link, invoice or authorized card does not accept the amount: it is too low, too high, or has too many decimals. The message states what is accepted.',
  refund_exceeds_payment: 'The refunds of a payment cannot exceed the received amount.',
  line_items_mismatch: 'The amounts of line_items must sum to amount.',
  settlement_network_unsupported: 'Payments settle on stellar only.',
  settlement_account_missing:
    'The Stellar account does not exist. In direct mode payers pay directly into settlement_address, so it must exist.',
  settlement_no_trustline:
    'The account at settlement_address cannot hold the settlement asset. Add a trustline to it, then try again.',
  payment_method_not_allowed: 'The payment does not offer this method.',
  forbidden_url:
    'A webhook URL must lead to a public address. Private networks, other schemes and credentials in the URL are refused.',
  batch_size: 'A bulk request takes 1 to 10,000 payouts.',
  invalid_destination:
    'The destination lacks a field, or has fields that do not belong together. The message says which.',
  invalid_iban: 'The IBAN is mistyped: its country, length or check digits are wrong.',
  invalid_bic: 'The BIC is mistyped, or its country differs from the country of the account (ISO 9362).',
  invalid_routing_number: 'The routing number, sort code or bank code is mistyped: its length or check digit is wrong.',
  invalid_account_number: 'The account number is mistyped: its length or check digit is wrong for its country.',
  invalid_phone_number: 'Write phone numbers in international format, with + and country code: +233241234567.',
  invalid_provider: 'No mobile-money operator of this name is connected. The message lists the connected operators.',
  invalid_chain: 'The chain is unknown. The message lists the known chains.',
  invalid_memo: 'The memo does not fit its type, or the address cannot take one.',
  invalid_schedule: 'The schedule has no future run, or its rule or time zone is wrong.',
  no_route: 'No connected rail pays this kind of destination in this currency, or the rate is unknown.',
  unsupported_file: 'A file is not an image or PDF that the call takes. The message says why.',
  wallet_transaction_changed:
    'The wallet returned no transaction, or a different one than it was given. Nothing was sent; create a new one.',
  invalid_api_key: 'The key is missing, unknown or revoked. Send it as Authorization: Bearer <key>.',
  invalid_session: 'The dashboard session has ended, or there is none. Sign in again.',
  invalid_credentials: 'The e-mail address or the password is wrong. Unknown addresses get the same answer.',
  invalid_start_token:
    'The start address works until a person has a password or a passkey. Sign in with one of these instead.',
  card_declined: 'The bank declined the card. The payer may try again or use another one.',
  insufficient_funds: 'There is not enough money on the card, in the mobile-money account or in the balance.',
  incorrect_number: 'The card number is wrong.',
  invalid_expiry: 'The expiry date of the card is wrong.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code is wrong.',
  processing_error: 'The card network could not answer. Nothing was charged; try again.',
  authentication_failed: 'The payer did not pass the bank’s check (3-D Secure). Nothing was charged.',
  prompt_refused: 'The payer refused the prompt on the phone. Nothing was taken.',
  wrong_pin: 'The PIN for the prompt was wrong. Nothing was taken. Send a new prompt.',
  prompt_expired: 'The prompt on the phone ended without an answer. Send a new one.',
  prompt_unanswered:
    'The operator did not tell the outcome of the prompt, so it may have taken the money. If it did, the money still counts.',
  number_not_registered: 'The operator has no mobile-money account for this number. Check the number and the operator.',
  operator_limit: 'The payment exceeds a limit of the payer’s mobile-money account. Take another number or method.',
  operator_unavailable:
    'The operator did not receive the request, so no prompt was shown. Nothing was taken; try again or take another method.',
  stellar_no_trustline: 'The account has no trustline for the asset, or its issuer has not authorized it.',
  stellar_underfunded:
    'The account does not hold enough of the asset. The XLM for its reserve and the fee cannot be spent.',
  stellar_price_moved: 'The path payment would have cost more than the maximum that was shown. Nothing was taken.',
  stellar_no_path: 'No offers exchange the asset for the requested one. Choose another asset.',
  stellar_account_missing: 'The account does not exist on the network. It must first be opened with some XLM.',
  stellar_bad_signature: 'The signatures do not belong to the account, or their weight is too low.',
  stellar_timeout: 'The transaction expired before it was in a ledger. Nothing was taken; create a new one.',
  stellar_refused: 'The network refused the transaction. Nothing was taken; create a new one.',
  secret_key_required:
    'The call needs a secret key. To pay one payment, a publishable key with the client secret of the payment is enough.',
  client_secret_mismatch: 'The client secret does not belong to this payment.',
  origin_not_allowed:
    'Add the origin of the page to the account’s allowed_origins. Requests without Origin need a secret key.',
  live_mode_unavailable:
    'This server takes no real money, or none by the requested methods. Use test keys, or a method that `message` names.',
  test_mode_only: 'The call exists in test mode only.',
  operation_not_allowed: 'The key lacks the required scope, or tried to grant a scope that it lacks.',
  approval_required: 'Another person must approve it. A key counts as the person who made it.',
  two_factor_required: 'The person uses codes. Send the code of the authenticator app, or a recovery code, as `code`.',
  invalid_code: 'The code is wrong, or was used before. The app shows a new one every 30 seconds.',
  invalid_passkey: 'The passkey is unknown, or its answer is wrong, old or used. Ask for new options and try again.',
  invalid_signature: 'The callback of a provider is not signed, wrongly signed or too old. It changed nothing.',
  confirmation_required:
    'The change concerns the sign-in of a person who signed in a while ago. Send the password, or the answer of a passkey, to POST /v1/session/confirm first.',
  email_unverified:
    'An account has the e-mail address of the invitation, but the address is not verified. Sign in to that account, or choose a new password by mail. Then accept again.',
  mail_link_expired: 'The address from the mail was used, has expired or was replaced. Ask for a new mail.',
  role_not_allowed: 'The role of the person does not allow this call. The message names the roles that do.',
  session_required: 'The call concerns a person. Make it in a dashboard session instead of with a key.',
  csrf_token_invalid:
    'A write in a dashboard session lacks the header X-CSRF-Token, or the token belongs to an earlier session. Read GET /v1/session again.',
  resource_missing: 'This key has no such object. Check the id, and check that key and object have the same mode.',
  route_not_found: 'The address does not exist.',
  method_not_allowed: 'The address does not support this method. The header Allow lists the methods that it supports.',
  illegal_state: 'The current state of the object does not allow this. Read the object again.',
  einvoice_unavailable:
    'The invoice or credit note was issued without the data that this XML needs. `errors` names the fields.',
  payment_already_settled: 'The payment has already been paid.',
  payment_in_flight: 'Money for this payment is on its way. Wait until it has arrived or failed.',
  prompt_open: 'The payer’s phone shows a prompt that may still be approved. No second one is sent meanwhile.',
  payment_expired: 'This payment has expired. Create a new one.',
  price_changed: 'The price differs from the amount that the payer was shown. Nothing was sent; show the new price.',
  quote_expired: 'The price is no longer held. Ask for a new quote.',
  quote_used: 'A ramp has used the quote. Make a new quote for each ramp.',
  no_liquidity:
    'The service does not have enough coins of the asset for this ramp, besides those it has promised. Take a smaller amount, or try later.',
  wallet_transaction_expired: 'The transaction can no longer be submitted because its time is over. Create a new one.',
  link_used:
    'All payments of the link have been made (410), or another payer has just started the last one (409). Nothing was taken; money on its way is returned.',
  link_disabled: 'The merchant has switched the payment link off. Nothing was taken.',
  link_not_started: 'The payment link cannot be paid before its starts_at.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running. Repeat it in a moment.',
  last_key: 'Each mode keeps at least one secret key. Create another one first.',
  duplicate_reference:
    'A payout with this reference exists. References stay unique forever, so that nothing is paid twice.',
  payout_in_flight: 'The payout is being sent or has ended, so it can no longer be changed. Read it again.',
  link_expired: 'The payment link has passed its expires_at. Money that was on its way before that time still counts.',
  request_timeout: 'The request took too long to arrive.',
  body_too_large: 'Bodies have at most 1 MiB unless the call says otherwise.',
  unsupported_media_type: 'Send JSON with Content-Type: application/json.',
  idempotency_key_reused:
    'The Idempotency-Key was used with another body, or by another API key or person. Use a new key for a new request.',
  upstream_failed: 'A provider refused or did not answer. The message names it.',
  rate_limited: 'Too many requests. Wait for the seconds that Retry-After states.',
  conversion_limit:
    'Your conversions of the last hour reach the operator’s limit. Wait for the seconds in Retry-After, or convert less.',
  reminded_already:
    'The customer was reminded of this invoice a few minutes ago. To remind again, wait for the seconds that Retry-After states.',
  too_many_attempts:
    'Too many attempts on this payment or phone, or to sign in. Wait for the seconds that Retry-After states.',
  internal_error: 'Something went wrong on our side. Quote the request id when you ask about it.',
  rate_unavailable:
    'No reliable exchange rate is available right now. Try again shortly, unless the message says that the server has no rate for the pair.',
  unavailable: 'The service cannot do this right now. Nothing is lost; try again after Retry-After seconds.',
};
