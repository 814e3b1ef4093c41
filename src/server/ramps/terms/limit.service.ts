import type { KycStatus, KycTier } from '../../../api/kyc/kyc.ts';
import type { RampTerms } from '../../../api/ramps/ramp-settings.ts';
import { PayError } from '../../../core/error.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { findTerms, lockCustomer, type RampingCustomer, sumsOf } from '../ramp.store.ts';
import type { RampDeps, RampSession } from '../ramp-deps.ts';
import type { RampRow } from '../tables.ts';
import { askLimits } from './terms.ts';

/** A ramp that limits allow or not. `amount` is in minor units. */
export interface LimitQuestion extends RampingCustomer {
  readonly country: string | null;
  readonly amount: bigint;
  /** The ramp's session. Only its own identity check counts, unless the merchant vouches for the customer. */
  readonly session: RampSession;
  readonly now: Date;
}

/** The customer's identity check, and the tier that the ramp still needs. Null: none. */
export interface Gate {
  readonly kyc_status: KycStatus;
  readonly tier_needed: KycTier | null;
}

/**
 * Asks whether the customer may ramp the amount. In a transaction, other ramps of the customer wait for its end. Throws
 * `amount_out_of_range`, which names the limit.
 */
export async function askGate(
  { kycStandings }: Pick<RampDeps, 'kycStandings'>,
  db: Executor,
  terms: RampTerms,
  { country, amount, session, now, ...customer }: LimitQuestion,
): Promise<Gate> {
  const { status, tier } = await kycStandings.standing(db, customer, customer.customerId, session);
  const sums = await sumsOf(db, customer, amount, now);
  const answer = askLimits(terms, { tier, country }, customer.currency, sums);
  return { kyc_status: status, tier_needed: answer.allowed ? null : answer.tier };
}

/** `askGate` for a ramp that begins in this transaction. */
export async function passGate(
  deps: Pick<RampDeps, 'kycStandings'>,
  tx: Tx,
  terms: RampTerms,
  question: LimitQuestion,
): Promise<Gate> {
  await lockCustomer(tx, question);
  return await askGate(deps, tx, terms, question);
}

/** Whether a ramp fits the limits with the money that came for it. In this transaction, the customer's others wait. */
export async function fitsLimits(
  deps: Pick<RampDeps, 'kycStandings'>,
  tx: Tx,
  row: RampRow,
  now: Date,
): Promise<boolean> {
  const terms = await findTerms(tx, row.merchant_id);
  if (terms.limits.length === 0) return true;
  const { merchant_id: merchantId, livemode, customer_id: customerId, currency, country } = row;
  const customer = { merchantId, livemode, customerId, currency };
  await lockCustomer(tx, customer);
  const { tier } = await deps.kycStandings.standing(tx, customer, customerId, row);
  const sums = await sumsOf(tx, { ...customer, rampId: row.id }, row.amount_in, now);
  try {
    return askLimits(terms, { tier, country }, currency, sums).allowed;
  } catch (error) {
    if (error instanceof PayError) return false;
    throw error;
  }
}
