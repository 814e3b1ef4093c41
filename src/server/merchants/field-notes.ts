import {
  exampleAccount,
  exampleId,
  type FieldNotes,
  type RequestExamples,
} from '../platform/http/openapi/field-note.ts';

/** Fields of the account, keys and test helpers. */
export const fieldNotes: FieldNotes = {
  'Account.name': ['Name that payers see.', 'Nordlys Supply'],
  support_email: ['Mail address for payers’ questions.', 'help@shop.example.com'],
  support_url: ['Page for payers’ questions.', 'https://shop.example.com/help'],
  branding: 'Logo, colours and shapes of pages, mails and documents.',
  logo: ['Logo: an https address or a data URL.', 'https://shop.example.com/logo.png'],
  icon: ['Small square logo.', 'https://shop.example.com/icon.png'],
  primary_color: ['Colour of buttons.', '#2f5bea'],
  background_color: ['Colour of the page.', '#f4f5f7'],
  font: 'Font of the pages.',
  border_style: 'Shape of buttons and fields.',
  stellar_address: ['Stellar account (G…) that receives settlements.', exampleAccount],
  allowed_origins: ['Origins of web pages that may use the publishable key.', ['https://shop.example.com']],
  redirect_origins: ['Origins to which payers may be sent back.', ['https://shop.example.com']],
  client_amounts: ['Whether web pages may set the amount.', false],
  tolerance: 'How far the received amount may differ without an exception.',
  units: [
    'Difference in smallest units that is forgiven. A total of at most this much that does not pay an open payment causes no event and no exception.',
    1,
  ],
  quote_seconds: ['How long a price is offered, in seconds.', 900],
  session_seconds: ['How long a payment can be paid, in seconds.', 86_400],
  quote_grace_seconds: [
    'How long after its end a quote still counts for crypto and bank transfers on their way, in seconds.',
    600,
  ],
  match_bank_credits_by_amount: [
    'Whether a bank transfer without a reference pays the only payment that waits for its amount.',
    true,
  ],
  ramps: 'Rules for ramps of your customers.',
  kyc: 'Who decides about the identities of your customers.',
  bank_account: 'Bank account that invoices name.',
  key: ['The key, shown once.', 'sk_test_8GKYqrTwjUPD8ILPZIo2LaMfKQ9r8GKY'],
  hint: ['The last characters of the key.', '8GKY'],
  scopes: ['What the key may do.', ['payments:read', 'payments:write']],

  advance: ['ISO 8601 duration.', 'P3D'],
  'TestPhoneAnswer.payment': ['Id of a payment that waits for the payer’s phone.', exampleId('pay')],
  'TestDispute.payment': ['Id of a payment by card.', exampleId('pay')],
};

/** Whole examples of requests, by schema. Each is accepted in test mode as it stands, apart from its ids. */
export const requestExamples: RequestExamples = {
  UpdateAccount: {
    name: 'Nordlys Supply',
    settlement: { asset: 'USDC', stellar_address: exampleAccount },
    allowed_origins: ['https://shop.example.com'],
  },
  CreateApiKey: { type: 'secret', name: 'Warehouse', scopes: ['payments:read'] },
};
