import type { Kyc } from '../../../src/api/kyc/kyc.ts';
import type { Ramp } from '../../../src/api/ramps/ramp.ts';

const at = '2026-11-20T09:00:00.000Z';
const issuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

/** The full name of a listed asset. */
export const usdc = `USDC:${issuer}`;

/** A ramp that its customer pays next. */
export function exampleRamp(fields: Partial<Ramp> = {}): Ramp {
  return {
    id: 'ramp_1',
    object: 'ramp',
    direction: 'on',
    status: 'pending_user_transfer_start',
    kyc_status: 'approved',
    kyc_tier_needed: null,
    customer_id: 'cus_1',
    method: 'bank_transfer',
    chain: 'stellar',
    wallet: { address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', memo: null, memo_type: null },
    payout_destination: null,
    claimable: false,
    fiat_currency: 'EUR',
    asset: usdc,
    amount_in: 100_00,
    amount_fee: 1_50,
    amount_out: '107.3650000',
    price: '0.9174311927',
    quote_id: null,
    price_expires_at: at,
    payment: 'pay_1',
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
    livemode: false,
    created_at: at,
    paid_at: null,
    completed_at: null,
    ...fields,
  };
}

/** A ramp with late money that waits for the merchant. */
export const heldRamp = (fields: Partial<Ramp> = {}): Ramp =>
  exampleRamp({
    status: 'on_hold',
    deposit: null,
    paid_at: at,
    failure: { code: 'paid_late', message: 'The money came after the price had ended. Accept or refund it.' },
    ...fields,
  });

/** The identity check of a person that waits for staff. */
export function exampleKyc(fields: Partial<Kyc> = {}): Kyc {
  const field = (name: string, description: string, status: 'provided' | 'needed') =>
    ({ name, format: 'text', status, required: true, description, choices: null }) as const;
  return {
    id: 'kyc_1',
    object: 'kyc',
    customer: 'cus_1',
    type: 'person',
    status: 'under_review',
    tier: 'basic',
    requested_tier: 'standard',
    fields: [field('birth_date', 'Date of birth.', 'provided'), field('city', 'City of residence.', 'needed')],
    rejection_reasons: [],
    flags: [],
    provider: 'sandbox',
    provider_reference: null,
    decided_by: null,
    decided_at: null,
    livemode: false,
    created_at: at,
    ...fields,
  };
}
