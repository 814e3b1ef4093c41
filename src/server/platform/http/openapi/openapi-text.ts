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
