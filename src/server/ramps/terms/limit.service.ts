import type { KycStatus, KycTier } from '../../../api/kyc/kyc.ts';
import type { RampTerms } from '../../../api/ramps/ramp-settings.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { lockCustomer, type RampingCustomer, sumsOf } from '../ramp.store.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { askLimits } from './terms.ts';

/** A ramp that limits allow or not. `amount` is in minor units. */
export interface LimitQuestion extends RampingCustomer {
  readonly country: string | null;
  readonly amount: bigint;
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
  { country, amount, now, ...customer }: LimitQuestion,
): Promise<Gate> {
  const { status, tier } = await kycStandings.standing(db, customer, customer.customerId);
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
