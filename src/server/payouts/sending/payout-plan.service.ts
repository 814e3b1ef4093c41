import { PayError } from '../../../core/error.ts';
import { divideDown } from '../../../core/money.ts';
import { convertUp } from '../../../core/rate.ts';
import type { Outbound } from '../../outbound/outbound.service.ts';
import type { OutboundFailure } from '../../outbound/outbound.ts';
import { networkAway, type Order, type Planned } from '../../outbound/sender.ts';
import { type Log, runEach } from '../../platform/jobs/sweeper.ts';
import type { PayoutRail } from '../../rails/rail.ts';
import type { Rates } from '../../rates/rates.ts';
import { destinationFields, sendingBy } from '../destinations/route.ts';
import type { ClockedPayout } from '../payout.store.ts';
import { treasuryShortHold } from '../payout.ts';
import type { PayoutRow } from '../tables.ts';

export interface PayoutPlanDeps {
  readonly rates: Rates;
  readonly rails: { readonly payouts: readonly PayoutRail[] };
  readonly outbound: Pick<Outbound, 'plan'>;
  readonly log: Log;
}

/** How to send a payout now, or why not: it waits on hold, or it has failed. */
export type PayoutPlan =
  | (Extract<Planned, { state: 'ready' }> & PayoutAmounts & { readonly lane: string; readonly etaAt: Date })
  /** `retrySeconds`: when the payout is planned again. Null: the merchant must act. */
  | ({ readonly state: 'on_hold'; readonly retrySeconds: number | null } & OutboundFailure)
  | ({ readonly state: 'failed' } & OutboundFailure);

export interface PlannedPayout {
  readonly payout: ClockedPayout;
  readonly plan: PayoutPlan;
}

/** The hold of a payout that the treasury cannot pay now. The payout is planned again until the treasury can pay. */
const treasuryShort: PayoutPlan = {
  state: 'on_hold',
  code: treasuryShortHold,
  retrySeconds: 60,
  message: 'The service does not hold enough of the asset now. The payout is sent when it does.',
};

/** A payout with its amounts, and how its rail sends. */
interface Payable {
  readonly payout: ClockedPayout;
  readonly money: PayoutAmounts;
  readonly sending: NonNullable<ReturnType<typeof sendingBy>>;
}

/**
 * Plans the sending of payouts at the current rates, within the limits that their merchants accepted. Omits payouts
 * that cannot be planned now: they are due again when their leases end.
 */
export async function planPayouts(deps: PayoutPlanDeps, due: readonly ClockedPayout[]): Promise<PlannedPayout[]> {
  const plans: PlannedPayout[] = [];
  const payable: Payable[] = [];
  const pricing = runEach(due, async payout => {
    const sending = sendingBy(deps.rails.payouts, payout.rail);
    const money = await currentAmounts(deps.rates, payout, sending?.step ?? 1n);
    if ('code' in money) plans.push({ payout, plan: { state: 'on_hold', retrySeconds: null, ...money } });
    else if (sending === null) plans.push({ payout, plan: notConnected(payout) });
    else payable.push({ payout, money, sending });
  });
  await pricing.catch(err => deps.log.error({ err }, 'payouts could not be priced and will be tried again'));
  for (const [lane, some] of Map.groupBy(payable, ({ sending }) => sending.lane)) {
    const planned = await deps.outbound.plan(lane, some.map(orderOf));
    for (const [index, one] of some.entries()) {
      const plan = planOf(one, planned[index]);
      if (plan !== null) plans.push({ payout: one.payout, plan });
    }
  }
  return plans;
}

function notConnected({ rail }: PayoutRow): PayoutPlan {
  return { state: 'on_hold', retrySeconds: null, code: 'no_route', message: `The rail ${rail} is not connected.` };
}

function orderOf({ payout, money }: Payable): Order {
  const { unit, currency, amount, destination, description } = payout;
  return {
    asset: unit ?? '',
    amount: money.paidAmount,
    destination: { ...destinationFields(destination), ...(description !== null && { description }) },
    given: unit === currency ? null : { currency, amount },
    paidIn: null,
    claimable: destination.type === 'crypto_wallet' && destination.claimable_balance === true,
  };
}

/** The plan of a payout. Null while the network does not answer. */
function planOf({ payout, money, sending }: Payable, planned: Planned | undefined): PayoutPlan | null {
  if (planned?.state === 'ready') {
    return { ...planned, ...money, lane: sending.lane, etaAt: sending.etaOf(payout.clock) };
  }
  if (planned === undefined || planned.code === networkAway) return null;
  const { state, code, message } = planned;
  if (state === 'failed') return { state, code, message };
  return code === 'price_moved' ? { state: 'on_hold', retrySeconds: null, code, message } : treasuryShort;
}

interface PayoutAmounts {
  readonly sourceAmount: bigint;
  readonly paidAmount: bigint;
}

/** The amounts at current rates, with the debit rounded up. A failure if a limit is exceeded or a rate is missing. */
async function currentAmounts(rates: Rates, payout: PayoutRow, step: bigint): Promise<PayoutAmounts | OutboundFailure> {
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
