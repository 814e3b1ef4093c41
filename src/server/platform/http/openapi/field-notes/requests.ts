import { examplePayment } from '../../../pages/welcome.ts';
import { exampleAccount, exampleId } from './field-note.ts';

const invoice = {
  customer: { name: 'Lindqvist AB', email: 'accounts@lindqvist.example' },
  currency: 'EUR',
  lines: [
    { description: 'Design', quantity: '12.5', unit: 'h', unit_amount: 12_000, tax: { name: 'VAT', percent: 25 } },
    { description: 'Handbook, printed', quantity: 103, unit_amount: 3_000, tax: { name: 'VAT', percent: 6 } },
  ],
  settlement_asset: 'USDC',
};
const iban = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' };
const phone = { type: 'mobile_money', provider: 'mtn', number: '+233241234567' };

/** Whole examples of requests, by schema. Each is accepted in test mode as it stands, apart from its ids. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  AssetAmount: '45.4467000',
  CreatePayment: examplePayment,
  ConfirmPayment: { method: 'card', token: 'tok_visa' },
  UpdatePayment: { description: 'Order A-1042, shipped', metadata: { order: 'A-1042' } },
  CapturePayment: { amount: 4200 },
  ResolvePayment: { action: 'accept' },
  SubmitEvidence: { explanation: 'Delivered on 3 November, signed by the customer.', tracking_number: 'JD0002' },
  CreateRefund: { amount: 2100, reason: 'requested_by_customer' },
  CreateTopUp: { currency: 'EUR', amount: 500_000 },
  CreateWithdrawal: { asset: 'USDC', amount: '25.0000000' },
  CreateBalanceQuote: { from: { currency: 'EUR', amount: 10_000 }, to: { asset: 'USDC' } },
  CreateConversion: { from: { currency: 'EUR', amount: 10_000 }, to: { asset: 'USDC' } },
  CreatePaymentLink: { amount: 4990, currency: 'EUR', description: 'Merino throw', single_use: true },
  PayPaymentLink: { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } },
  UpdatePaymentLink: { status: 'disabled' },
  CreateInvoice: { ...invoice, due_date: '2026-12-23', metadata: { project: 'P-7' } },
  UpdateInvoice: { memo: 'Thank you for your order.' },
  InvoiceTemplate: { ...invoice, days_until_due: 14 },
  SendInvoice: { email: 'accounts@lindqvist.example' },
  PayInvoice: { amount: 50_000 },
  RecordPayment: { method: 'bank_transfer', reference: 'statement 118' },
  CreateCreditNote: { amount: 12_000, reason: 'order_change', memo: 'One hour less.' },
  RemindInvoice: {},
  CreatePayouts: {
    description: 'Wages 2026-11',
    payouts: [
      { reference: 'ada-2026-11', amount: 125_000, currency: 'EUR', destination: iban },
      { reference: 'kwame-2026-11', amount: 80_000, currency: 'EUR', destination: phone },
    ],
  },
  UpdatePayoutBatch: { description: 'Wages 2026-11, corrected' },
  PayoutDestination: iban,
  CreateRecipient: { name: 'Ada Lovelace', email: 'ada@example.com', type: 'individual', destinations: [iban] },
  UpdateRecipient: { email: 'ada@example.com' },
  CreateWebhookEndpoint: { url: 'https://shop.example.com/webhooks', events: ['payment.completed', 'refund.*'] },
  UpdateWebhookEndpoint: { events: ['payment.*'] },
  UpdateAccount: {
    name: 'Nordlys Supply',
    settlement: { asset: 'USDC', stellar_address: exampleAccount },
    allowed_origins: ['https://shop.example.com'],
  },
  CreateApiKey: { type: 'secret', name: 'Warehouse', scopes: ['payments:read'] },
  ReturnTransfer: {},
  RedeliverEvent: {},
  TestWebhookEndpoint: {},
  FundBalance: { currency: 'EUR', amount: 500_000 },
  SimulateBankTransfer: { amount: 4200 },
  TestBankTransfer: { reference: 'RF18539007547034', amount: 4200, currency: 'EUR' },
  TestDeposit: { chain: 'stellar', address: exampleAccount, asset: 'USDC', amount: '45.4467000' },
  TestDispute: { payment: exampleId('pay'), reason: 'product_not_received' },
  CreateWalletTransaction: { chain: 'stellar', address: exampleAccount, asset: 'XLM' },
};
