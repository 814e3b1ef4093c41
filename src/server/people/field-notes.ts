import { exampleId, type FieldNotes } from '../platform/http/openapi/field-note.ts';

const ofCustomer = `customer=${exampleId('cus')}`;

/** Fields of sessions, people, customers and the figures of the dashboard. */
export const fieldNotes: FieldNotes = {
  person: ['The person, or its id.', exampleId('person')],
  session: 'The session, as `GET /v1/session` answers it.',
  is_current: ['Whether it is the session of this call.', true],
  user_agent: ['The browser, as it names itself.', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0'],
  last_used_at: 'When it was last used; null: never.',
  last_seen_at: 'When the person last made a call; null: never.',
  recovery_codes: ['Codes for a sign-in without the second factor. Each works once.', ['8gky-qrtw', 'jupd-8ilp']],
  action: ['What was done, in words.', 'Create a payment'],
  path: ['Path of a call, without its query.', '/v1/payments'],
  duration_ms: ['Time from the request to its answer, in milliseconds.', 12],
  'ApiRequest.method': ['HTTP method.', 'POST'],
  'ApiRequest.status': ['HTTP status of the answer.', 402],
  'get /v1/requests.method': ['Only requests of this HTTP method.', 'POST'],
  'get /v1/requests.status': ['Only requests with this HTTP status.', 402],
  'get /v1/requests.path': ['Only requests of this path.', '/v1/payments'],

  q: ['Text to find: an id, an address, a reference, a hash.', 'ada@example.com'],
  title: ['First line of the result.', 'Ada Lovelace'],
  subtitle: ['Second line of the result.', '€42.00, completed'],
  'SearchResult.type': ['The `object` of what was found.', 'payment'],
  role: 'What the person may do: `owner`, `admin`, `developer`, `finance` or `viewer`.',
  has_password: 'Whether the person has set a password.',
  password: ['The password, 10 to 200 characters.', 'correct horse battery staple'],
  current_password: ['The present password.', 'correct horse battery staple'],
  start_token: ['Token of the start address that the server prints.', 'st_8GKYqrTwjUPD8ILPZIo2La'],
  csrf_token: ['Value of the header `X-CSRF-Token` on writes.', 'MfKQ9r8GKYqrTwjUPD8ILP'],
  'Session.now': 'The merchant’s current time. In test mode, the test clock may be ahead.',
  'Session.id': ['Id of the session.', exampleId('sess')],

  phone: ['Phone number in international format.', '+4930123456'],
  payments_url: ['The payments of the customer.', `/v1/payments?${ofCustomer}`],
  invoices_url: ['The invoices of the customer.', `/v1/invoices?${ofCustomer}`],
  credits_url: ['The credits of the customer.', `/v1/customer-credits?${ofCustomer}`],

  settlement_status: 'Only payments whose settlement has this status.',
  interval: 'Length of a step of the series.',
  failed: 'Payments that failed.',
  refunded: 'Refunded amount or payments.',
  by_method: 'The figures by payment method.',
  by_asset: 'The figures by asset.',
  amounts: 'Amounts by currency, in smallest units.',
};
