import { DisputedPayment, type DisputeEvents } from '../../api/disputes/dispute.ts';
import { Payment, type PaymentEvents } from '../../api/payment.ts';
import { Refund, type RefundEvents } from '../../api/refund.ts';
import { Transfer, type TransferEvents } from '../../api/transfer.ts';
import { addSeconds } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import { formatUnits } from '../../core/money.ts';
import { type Changes, type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import { sampleDispute } from './disputes/dispute.ts';

const amount = 12_90;
const sampleCard = { brand: 'visa', last4: '4242' };

const paid = (now: Date): Partial<Payment> => ({
  status: 'completed',
  phase: 'paid',
  amount_received: amount,
  received: [receivedByBank(amount, now)],
  completed_at: now.toISOString(),
});

const receivedByBank = (credited: number, at: Date): Payment['received'][number] => ({
  method: 'bank_transfer',
  rail: 'ach',
  chain: null,
  asset: 'USD',
  amount: formatUnits(BigInt(credited), 2),
  credited,
  card: null,
  tx_hash: null,
  at: at.toISOString(),
});

const card = { ...sampleCard, three_d_secure: 'authenticated' } as const;

const paidByCard = (now: Date): Partial<Payment> => ({
  ...paid(now),
  received: [{ ...receivedByBank(amount, now), method: 'card', rail: 'sandbox_card', card: sampleCard }],
  method: 'card',
  card,
});

const promptUntil = (end: Date) => ({
  provider: 'mtn',
  number: '+256772123456',
  amount: 48_000,
  currency: 'UGX',
  expires_at: end.toISOString(),
});

const unsettled: Payment['settlement'] = {
  status: 'none',
  asset: 'USDC',
  amount: null,
  tx_hash: null,
  ledger: null,
  delivery: null,
  payout: null,
  failure: null,
};
const expired = { code: 'payment_expired', message: 'The payer did not pay in time.' };

/** The fields of a new payment that each event changes. */
const paymentChanges: Changes<Payment, keyof PaymentEvents> = {
  'payment.created': () => ({}),
  'payment.completed': paidByCard,
  'payment.failed': () => ({ status: 'failed', phase: 'expired', failure: expired }),
  'payment.refunded': now => ({ ...paidByCard(now), status: 'refunded', phase: 'refunded', amount_refunded: amount }),
  'payment.requires_action': now => ({
    phase: 'requires_action',
    payment_methods: ['card', 'mobile_money'],
    method: 'mobile_money',
    next_action: { type: 'phone_prompt', ...promptUntil(addSeconds(now, 300)) },
    open_prompt: promptUntil(addSeconds(now, 300)),
  }),
  'payment.authorized': now => ({
    phase: 'authorized',
    method: 'card',
    card,
    capture_method: 'manual',
    amount_capturable: amount,
    capture_before: addSeconds(now, 7 * 86_400).toISOString(),
  }),
  'payment.confirming': () => ({ phase: 'confirming', method: 'crypto' }),
  'payment.partially_paid': now => ({
    phase: 'partially_paid',
    exception: 'underpaid',
    method: 'bank_transfer',
    amount_received: 5_00,
    received: [receivedByBank(5_00, now)],
  }),
  'payment.overpaid': now => ({
    ...paid(now),
    method: 'bank_transfer',
    exception: 'overpaid',
    amount_received: amount + 10_00,
    received: [receivedByBank(amount + 10_00, now)],
  }),
  'payment.paid_late': now => ({
    status: 'failed',
    phase: 'expired',
    exception: 'paid_late',
    method: 'bank_transfer',
    amount_received: amount,
    received: [receivedByBank(amount, now)],
    failure: expired,
  }),
  'payment.unrecognized_asset': () => ({ phase: 'awaiting_funds', method: 'crypto', exception: 'wrong_asset' }),
  'payment.quote_refreshed': now => {
    const expiresAt = addSeconds(now, 7_200).toISOString();
    return { expires_at: expiresAt, quote: sampleQuote(now.toISOString(), expiresAt) };
  },
  'payment.settled': now => ({
    ...paidByCard(now),
    settlement: {
      ...unsettled,
      status: 'settled',
      amount: '12.9000000',
      tx_hash: '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
      ledger: 1_000_000,
      delivery: 'payment',
    },
  }),
  'payment.settlement_failed': now => ({
    ...paidByCard(now),
    settlement: {
      ...unsettled,
      status: 'pending',
      amount: '12.9000000',
      failure: { code: 'account_limit_reached', message: 'The account cannot hold that much of the asset.' },
    },
  }),
};

const refundChanges: Changes<Refund, Exclude<keyof RefundEvents, 'refund.approved'>> = {
  'refund.created': () => ({}),
  'refund.completed': () => ({ status: 'completed' }),
  'refund.requires_destination': () => ({ requires_destination: true, claim_url: 'https://pay.example/refund/sample' }),
  'refund.failed': () => ({ status: 'failed', failure: accountClosed }),
};

const accountClosed = { code: 'account_closed', message: 'The account that the money came from is closed.' };

function samplePayment({ caller, publicUrl }: SampleContext): Payment {
  const { merchant, livemode, now } = caller;
  const expiresAt = addSeconds(now, merchant.quoteSeconds).toISOString();
  return {
    id: newId('payment'),
    object: 'payment',
    status: 'pending',
    phase: 'awaiting_payer',
    exception: null,
    requires_decision: false,
    checkout_url: `${publicUrl}/checkout/sample`,
    amount,
    currency: 'USD',
    ...unpaid,
    expires_at: expiresAt,
    session_expires_at: addSeconds(now, merchant.sessionSeconds).toISOString(),
    description: 'Coffee beans, 1 kg',
    reference: 'order-1001',
    line_items: [{ name: 'Coffee beans, 1 kg', quantity: 1, amount }],
    locale: 'en',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    settlement_address: null,
    settlement_mode: 'custodial',
    payment_methods: ['card', 'bank_transfer'],
    capture_method: 'automatic',
    customer: { id: newId('customer'), email: 'ada@example.com', name: 'Ada Example' },
    receipts: false,
    metadata: { order_id: '1001' },
    redirect_url: null,
    cancel_url: null,
    quote: sampleQuote(now.toISOString(), expiresAt),
    settlement: unsettled,
    payment_link: null,
    invoice: null,
    ramp: null,
    created_via: 'server',
    livemode,
    created_at: now.toISOString(),
  };
}

/** The fields of a payment that no money has reached. */
const unpaid = {
  amount_received: 0,
  amount_refunded: 0,
  amount_disputed: 0,
  amount_capturable: 0,
  capture_before: null,
  received: [],
  method: null,
  card: null,
  mobile_money: null,
  next_action: null,
  open_prompt: null,
  last_attempt: null,
  failure: null,
  completed_at: null,
};

function sampleDisputed(context: SampleContext): DisputedPayment {
  const payment = samplePayment(context);
  const dispute = sampleDispute(context);
  return { ...payment, amount_disputed: dispute.amount, dispute: { ...dispute, payment: payment.id } };
}

function sampleQuote(createdAt: string, expiresAt: string): Payment['quote'] {
  return {
    id: newId('quote'),
    settlement_asset: 'USDC',
    settlement_amount: '12.9000000',
    rate: '1',
    created_at: createdAt,
    expires_at: expiresAt,
  };
}

function sampleRefund({ caller }: SampleContext): Refund {
  return {
    id: newId('refund'),
    object: 'refund',
    payment: newId('payment'),
    amount,
    currency: 'USD',
    status: 'pending',
    reason: 'requested_by_customer',
    failure: null,
    requires_destination: false,
    claim_url: null,
    tx_hash: null,
    metadata: {},
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
  };
}

function sampleTransfer({ caller }: SampleContext, status: Transfer['status']): Transfer {
  return {
    id: newId('transfer'),
    object: 'transfer',
    rail: 'sepa',
    payment: null,
    top_up: null,
    status,
    amount,
    currency: 'EUR',
    asset: null,
    asset_amount: null,
    reference: 'no such reference',
    sender: 'Ada Example',
    chain: null,
    address: null,
    tx_hash: null,
    memo: null,
    memo_type: null,
    problem: null,
    failure: null,
    amount_applied: 0,
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
  };
}

export const paymentEvents: EventDefinitions<
  PaymentEvents & RefundEvents & TransferEvents & Pick<DisputeEvents, 'payment.disputed'>
> = {
  ...sampleEvents(Payment, samplePayment, paymentChanges),
  ...sampleEvents(DisputedPayment, sampleDisputed, { 'payment.disputed': paidByCard }),
  ...sampleEvents(Refund, sampleRefund, refundChanges),
  ...sampleEvents(Refund, context => ({ ...sampleRefund(context), status: 'awaiting_approval' as const }), {
    'refund.approved': () => ({ status: 'pending' }),
  }),
  ...sampleEvents(Transfer, context => sampleTransfer(context, 'unmatched'), {
    'transfer.unmatched': () => ({}),
    'transfer.assigned': () => ({ status: 'matched', payment: 'pay_3kTMd0PpC1hJ6nLq2uXs9B', amount_applied: amount }),
  }),
  ...sampleEvents(Transfer, context => sampleTransfer(context, 'returning'), {
    'transfer.returned': () => ({ status: 'returned' }),
    'transfer.return_failed': () => ({ status: 'unmatched' }),
  }),
};
