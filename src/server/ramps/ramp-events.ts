import { Ramp, type RampEvents } from '../../api/ramps/ramp.ts';
import { addSeconds } from '../../core/clock.ts';
import { newId } from '../../core/id.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';

const sampleWallet = {
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  memo: null,
  memo_type: null,
};

function sampleRamp({ caller: { livemode, now } }: SampleContext): Ramp {
  return {
    id: newId('ramp'),
    object: 'ramp',
    direction: 'on',
    status: 'pending_user_transfer_start',
    kyc_status: 'approved',
    kyc_tier_needed: null,
    customer_id: newId('customer'),
    method: 'bank_transfer',
    chain: 'stellar',
    wallet: sampleWallet,
    payout_destination: null,
    claimable: false,
    fiat_currency: 'EUR',
    asset: 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    amount_in: 100_00,
    amount_fee: 1_50,
    amount_out: '107.3650000',
    price: '0.9174311927',
    quote_id: null,
    price_expires_at: addSeconds(now, 900).toISOString(),
    payment: newId('payment'),
    deposit: { amount: 100_00, currency: 'EUR', checkout_url: 'https://pay.example/checkout/token' },
    refunds: { amount_refunded: 0 },
    amount_disputed: 0,
    payout: null,
    delivery: null,
    tx_hash: null,
    ledger: null,
    status_eta_at: null,
    failure: null,
    return_url: null,
    client_reference: null,
    metadata: {},
    livemode,
    created_at: now.toISOString(),
    paid_at: null,
    completed_at: null,
  };
}

const paid = (now: Date) => ({ deposit: null, paid_at: now.toISOString() });

/** The events of ramps, with samples. */
export const rampEvents: EventDefinitions<RampEvents> = sampleEvents(Ramp, sampleRamp, {
  'ramp.created': () => ({}),
  'ramp.updated': now => ({ status: 'pending_anchor', ...paid(now) }),
  'ramp.completed': now => ({
    status: 'completed',
    ...paid(now),
    delivery: 'payment',
    tx_hash: '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
    ledger: 1_000_000,
    completed_at: now.toISOString(),
  }),
  'ramp.failed': () => ({
    status: 'expired',
    deposit: null,
    failure: { code: 'payment_expired', message: 'The payment was not paid in time.' },
  }),
  'ramp.refunded': now => ({
    status: 'refunded',
    ...paid(now),
    amount_fee: 0,
    amount_out: '0.0000000',
    refunds: { amount_refunded: 100_00 },
    completed_at: now.toISOString(),
  }),
});
