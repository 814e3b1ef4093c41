import type { BankInstructions, Payment, PaymentOptions, ReceivedPart } from '../../../src/api/payment.ts';

/** Service time of the examples. */
export const exampleNow = Date.parse('2026-11-21T14:02:00.000Z');

const at = (seconds: number) => new Date(exampleNow + seconds * 1000).toISOString();

/** A pending payment of €128.40, fifteen seconds old, with changes. */
export function examplePayment(change: Partial<Payment> = {}): Payment {
  return {
    id: 'pay_3kTMd0PpC1hJ6nLq2uXs9B',
    object: 'payment',
    status: 'pending',
    phase: 'awaiting_payer',
    exception: null,
    requires_decision: false,
    checkout_url: 'https://pay.example/checkout/4fRk2Qm',
    client_secret: 'pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_x1',
    amount: 12_840,
    currency: 'EUR',
    amount_received: 0,
    amount_refunded: 0,
    amount_disputed: 0,
    amount_capturable: 0,
    capture_before: null,
    received: [],
    receipts: false,
    expires_at: at(885),
    session_expires_at: at(86_385),
    description: 'Winter things',
    reference: 'A-1042',
    line_items: [
      { name: 'Merino base layer', quantity: 1, amount: 8900 },
      { name: 'Enamel mug', quantity: 2, amount: 3440 },
      { name: 'Shipping', quantity: 1, amount: 500, type: 'shipping' },
    ],
    locale: null,
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    settlement_address: null,
    settlement_mode: 'custodial',
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    capture_method: 'automatic',
    redirect_url: null,
    cancel_url: null,
    method: null,
    card: null,
    mobile_money: null,
    next_action: null,
    open_prompt: null,
    last_attempt: null,
    quote: exampleQuote(),
    settlement: {
      status: 'none',
      asset: 'USDC',
      amount: null,
      tx_hash: null,
      ledger: null,
      delivery: null,
      payout: null,
      failure: null,
    },
    failure: null,
    merchant: {
      name: 'Nordlys Supply',
      support_email: 'help@nordlys.example',
      support_url: null,
      logo: null,
      primary_color: null,
    },
    payment_link: null,
    invoice: null,
    ramp: null,
    created_via: 'server',
    livemode: false,
    created_at: at(-15),
    completed_at: null,
    ...change,
  };
}

export function paidPayment(change: Partial<Payment> = {}): Payment {
  return examplePayment({
    status: 'completed',
    phase: 'paid',
    method: 'card',
    amount_received: 12_840,
    completed_at: at(0),
    redirect_url: 'https://nordlys.example/thanks',
    ...change,
  });
}

/** A part of the received money, with changes. */
export function receivedPart(change: Partial<ReceivedPart>): ReceivedPart {
  return {
    method: 'card',
    rail: null,
    chain: null,
    asset: 'EUR',
    amount: '128.40',
    credited: 12_840,
    card: null,
    tx_hash: null,
    at: at(0),
    ...change,
  };
}

/** A quote that is held for 15 minutes from the creation of the payment. */
export function exampleQuote(change: Partial<Payment['quote']> = {}): Payment['quote'] {
  return {
    id: 'quote_1',
    settlement_asset: 'USDC',
    settlement_amount: '139.2140000',
    rate: '1.0842211',
    created_at: at(-15),
    expires_at: at(885),
    ...change,
  };
}

/** Instructions for a SEPA transfer. */
export function exampleInstructions(amount = 12_840): BankInstructions {
  const text = (amount / 100).toFixed(2);
  return {
    type: 'bank_instructions',
    rail: 'sepa',
    fields: [
      { name: 'account_holder', label: 'Account holder', value: 'Nordlys Supply', copyable: true },
      { name: 'iban', label: 'IBAN', value: 'LT60 1010 0123 4567 8901', copyable: true },
      { name: 'bic', label: 'BIC', value: 'SBOXLT20', copyable: true },
      { name: 'reference', label: 'Reference', value: 'NRD-7F3K-92QX', copyable: true },
      { name: 'amount', label: 'Amount in EUR', value: text, copyable: true },
    ],
    reference: 'NRD-7F3K-92QX',
    amount,
    currency: 'EUR',
    qr: {
      format: 'epc',
      payload: `BCD\n002\n1\nSCT\nSBOXLT20\nNordlys Supply\nLT601010012345678901\nEUR${text}\n\n\nNRD-7F3K-92QX`,
    },
  };
}

/** Options for the remaining amount: card and two kinds of bank transfer. */
export function exampleOptions(
  due = 12_840,
  frameUrl = `${location.origin}/test/element/support/fake-card-frame.html`,
): PaymentOptions {
  return {
    object: 'payment_options',
    card: { brands: ['visa', 'mastercard', 'amex'], frame_url: frameUrl, amount: due, currency: 'EUR' },
    bank_transfer: {
      rails: [
        { rail: 'sepa', currency: 'EUR', amount: due, settlement_days: 0 },
        { rail: 'ach', currency: 'USD', amount: Math.round(due * 1.0842), settlement_days: 2 },
      ],
    },
    crypto: { assets: [] },
  };
}
