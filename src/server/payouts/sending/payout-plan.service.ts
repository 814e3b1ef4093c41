import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { divideDown } from '../../../core/money.ts';
import { convertUp } from '../../../core/rate.ts';
import type { PayoutRail } from '../../rails/rail.ts';
import type { Rates } from '../../rates/rates.ts';
import { hasMemo } from '../../stellar/treasury/batch.ts';
import type { DeliveryPlan, SumToSend } from '../../stellar/treasury/delivery-plan.service.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { destinationFields } from '../destinations/route.ts';
import { treasuryShortHold } from '../payout.ts';
import type { PayoutRow } from '../tables.ts';

export interface PayoutPlanDeps {
  readonly rates: Rates;
  readonly rails: { readonly payouts: readonly PayoutRail[] };
  /** Plans the delivery of an amount on Stellar at this time. Throws `StellarUnavailable`. */
  readonly planDelivery: (sum: SumToSend) => Promise<DeliveryPlan>;
}

interface Reason {
  readonly code: string;
  readonly message: string;
}

/** How to send a payout now, or why not: it waits on hold, or it has failed. */
export type PayoutPlan =
  | {
      readonly state: 'ready';
      /** The sender's lane. */
      readonly lane: string;
      /** The debited amount, at most the reserved amount. */
      readonly sourceAmount: bigint;
      /** The amount that the recipient receives, in the payout's unit. */
      readonly paidAmount: bigint;
      readonly destination: Readonly<Record<string, string>>;
      readonly source: { readonly asset: string; readonly max: bigint; readonly path: readonly string[] } | null;
      readonly etaAt: Date;
    }
  /** `retrySeconds`: when the payout is planned again. Null: the merchant must act. */
  | ({ readonly state: 'on_hold'; readonly retrySeconds: number | null } & Reason)
  | ({ readonly state: 'failed' } & Reason);

/** Expected seconds for a payment on Stellar: about two ledgers. */
export const ledgerSeconds = 10;
/** The hold of a payout that the treasury cannot pay now. The payout is planned again until the treasury can pay. */
const treasuryShort: PayoutPlan = {
  state: 'on_hold',
  code: treasuryShortHold,
  retrySeconds: 60,
  message: 'The service does not hold enough of the asset now. The payout is sent when it does.',
};

const temporaryFailures: ReadonlySet<string> = new Set(['treasury_underfunded', 'day_cap', 'asset_unavailable']);

/** Plans the sending of a payout at the current rates, within the limits that its merchant accepted. */
export async function planPayout(deps: PayoutPlanDeps, payout: PayoutRow, now: Date): Promise<PayoutPlan> {
  const rail = deps.rails.payouts.find(({ id }) => id === payout.rail);
  const money = await currentAmounts(deps.rates, payout, rail?.step ?? 1n);
  if ('code' in money) return { state: 'on_hold', retrySeconds: null, ...money };
  if (payout.rail === treasuryRail) return await planOnStellar(deps, payout, money, now);
  if (rail === undefined) {
    const message = `The rail ${payout.rail} is not connected.`;
    return { state: 'on_hold', retrySeconds: null, code: 'no_route', message };
  }
  const { description } = payout;
  const destination = { ...destinationFields(payout.destination), ...(description !== null && { description }) };
  return { state: 'ready', lane: rail.lane, ...money, destination, source: null, etaAt: rail.etaOf(now) };
}

interface PayoutAmounts {
  readonly sourceAmount: bigint;
  readonly paidAmount: bigint;
}

/** The amounts at current rates, with the debit rounded up. A `Reason` if a limit is exceeded or a rate is missing. */
async function currentAmounts(rates: Rates, payout: PayoutRow, step: bigint): Promise<PayoutAmounts | Reason> {
  const { amount, currency, unit, source_currency: source, source_amount: most, least_amount: least } = payout;
  try {
    const sourceAmount = source === currency ? amount : convertUp(amount, (await rates.find(currency, source)).rate);
    const paidAmount = unit === null || unit === currency ? amount : await paidAmountIn(rates, payout, unit, step);
    if (sourceAmount <= most && paidAmount > 0n && (least === null || paidAmount >= least)) {
      return { sourceAmount, paidAmount };
    }
    const message =
      'The rate is worse than the accepted rate. Resume the payout to use the current rate, or cancel it.';
    return { code: 'rate_moved', message };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    if (error.code === 'asset_not_listed') {
      return { code: error.code, message: 'The operator no longer lists the asset. Cancel the payout.' };
    }
    if (error.code !== 'rate_unavailable') throw error;
    return { code: error.code, message: 'No current rate is known. Resume the payout later, or cancel it.' };
  }
}

async function paidAmountIn(
  rates: Rates,
  { amount, currency }: PayoutRow,
  unit: string,
  step: bigint,
): Promise<bigint> {
  const { rate } = await rates.find(currency, unit);
  return divideDown(amount * rate.numerator, rate.denominator * step) * step;
}

async function planOnStellar(
  deps: PayoutPlanDeps,
  payout: PayoutRow,
  money: PayoutAmounts,
  now: Date,
): Promise<PayoutPlan> {
  const fields = destinationFields(payout.destination);
  const { destination } = payout;
  const plan = await deps.planDelivery({
    asset: payout.unit ?? '',
    amount: money.paidAmount,
    destination: fields['address'] ?? '',
    paidIn: null,
    given: payout.unit === payout.currency ? null : { currency: payout.currency, amount: payout.amount },
    hasMemo: hasMemo(fields),
    mayBePutAside: destination.type === 'crypto_wallet' && destination.claimable_balance === true,
  });
  if (plan.delivery === null) {
    const { code, message } = plan.failure;
    if (temporaryFailures.has(code)) return treasuryShort;
    if (code === 'price_moved') return { state: 'on_hold', retrySeconds: null, code, message };
    return { state: 'failed', code, message };
  }
  const { sourceAsset: asset, sendMax: max, path, delivery } = plan;
  const { address = '', memo, memo_type } = fields;
  return {
    state: 'ready',
    lane: treasuryRail,
    ...money,
    destination: {
      address,
      delivery,
      ...(memo !== undefined && { memo }),
      ...(memo_type !== undefined && { memo_type }),
    },
    source: { asset, max, path },
    etaAt: addSeconds(now, ledgerSeconds),
  };
}
