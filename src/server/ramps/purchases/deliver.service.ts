import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { convertDown } from '../../../core/ramp/price.ts';
import { unitOf } from '../../../core/unit.ts';
import { post, requireAvailable } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import { networkAway, type Planned } from '../../outbound/sender.ts';
import { lockPayment } from '../../payments/payment.store.ts';
import { startRefund } from '../../payments/refunds/refund.service.ts';
import { makeAvailable } from '../../payments/settling/payment-availability.service.ts';
import { retryAfter } from '../../payments/settling/payment-settlement.service.ts';
import type { Tx } from '../../platform/db/database.ts';
import { runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import { deliveryIn } from '../../stellar/treasury/batch.ts';
import { isForOwner } from '../../stellar/treasury/destination.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { continueRamp } from '../continue.service.ts';
import { claimRamps, type DueRamp, dueRamps, lockClaimed } from '../ramp.store.ts';
import { changeRamp, rampPurpose } from '../ramp.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { keptOf, pricedColumns } from '../ramp-money.ts';
import { endOfPrice } from '../ramp-purpose.ts';
import { payOut } from '../sales/pay-out.service.ts';
import type { RampRow } from '../tables.ts';
import { decideExcess, decideUncounted, hasCounted } from '../terms/late-money.service.ts';

/** The sweep that works on ramps. */
export const rampSweep = 'ramps';

/** Maximum number of ramps in one run. */
const mostAtOnce = 100;

/** Works on due ramps: delivers coins, pays out, lets ramps of approved customers begin, and returns late money. */
export function createRampSweep(deps: RampDeps): Sweep {
  return {
    name: rampSweep,
    due: [dueRamps],
    run: async () => {
      const due = await claimRamps(deps.db, { now: deps.clock.now(), limit: mostAtOnce });
      await runEach(due, row => work(deps, row));
      return due.length;
    },
  };
}

async function work(deps: RampDeps, row: DueRamp): Promise<void> {
  if (row.status === 'incomplete') return await continueRamp(deps, row);
  if (row.kyc_status === 'rejected' && row.status !== 'on_hold') return await hold(deps, row, rejectedCustomer);
  if (!hasCounted(row)) return await holdFor(deps, row, await decideUncounted(deps, row));
  if (row.status === 'on_hold') return await returnMoney(deps, row);
  if (await decideExcess(deps, row)) return;
  if (row.direction === 'on') return await deliver(deps, row);
  await holdFor(deps, row, await payOut(deps, row));
}

async function holdFor(deps: RampDeps, row: DueRamp, fault: Failure | null): Promise<void> {
  if (fault !== null) await hold(deps, row, fault);
}

/** Plans the delivery, then reserves its money and queues it in one transaction. */
async function deliver(deps: RampDeps, claimed: DueRamp): Promise<void> {
  const priced = claimed.at_market ? await atMarket(deps, claimed) : claimed;
  if (priced === null) return await postpone(deps, claimed, noRate);
  const { asset, amount_out: amount, wallet, claimable, currency } = priced;
  if (wallet === null) throw new Error(`ramp ${claimed.id} buys coins without a wallet`);
  if (amount === 0n || amount > unitOf(asset).most) return await hold(deps, claimed, tooSmall);
  const given = { currency, amount: keptOf(priced) - priced.amount_fee };
  const order = { asset, amount, destination: wallet, given, paidIn: null, claimable };
  const [plan] = await deps.outbound.plan(treasuryRail, [order]);
  // Without an answer of the network, the ramp waits for the end of its lease.
  if (plan === undefined || ('code' in plan && plan.code === networkAway)) return;
  if (plan.state !== 'ready') return await postpone(deps, claimed, plan);
  try {
    await deps.db.transaction().execute(tx => handOver(deps, tx, claimed, priced, plan));
    deps.outbound.wake();
  } catch (error) {
    if (!(error instanceof PayError && error.code === 'insufficient_funds')) throw error;
    await postpone(deps, claimed, { code: error.code, message: error.message });
  }
}

const noRate = { code: 'rate_unavailable', message: 'There is no reliable rate at present. The ramp waits for one.' };
const rejectedCustomer = {
  code: 'kyc_rejected',
  message: 'The identity check of the customer was rejected. Refund the money.',
};
const tooSmall = { code: 'invalid_amount', message: 'The money buys less than the smallest unit of the asset.' };

/** The ramp at the market's price of now, or null without a reliable rate. The fee stays. */
async function atMarket({ rates }: RampDeps, row: DueRamp): Promise<DueRamp | null> {
  try {
    const { rate } = await rates.findFor(keptOf(row), row.currency, row.asset);
    const columns = { rate_numerator: rate.numerator, rate_denominator: rate.denominator };
    const priced = { ...row, ...columns };
    return { ...priced, amount_out: convertDown(keptOf(row) - row.amount_fee, rate) };
  } catch (error) {
    if (error instanceof PayError) return null;
    throw error;
  }
}

type Ready = Extract<Planned, { state: 'ready' }>;

async function handOver(deps: RampDeps, tx: Tx, claimed: DueRamp, priced: DueRamp, plan: Ready): Promise<void> {
  const { merchant_id: merchantId, livemode, payment_id: paymentId, currency, clock: now } = claimed;
  // Payments are locked before their owners everywhere.
  if (paymentId !== null) await makeAvailable(deps, tx, [{ merchantId, paymentId }], now);
  const row = await lockClaimed(tx, claimed);
  if (row === null || paymentId === null || row.kyc_status === 'rejected') return;
  const scope = { merchantId, livemode, now };
  const kept = keptOf(row);
  await requireAvailable(tx, scope, new Map([[currency, kept]]));
  const postings = move('merchant.available', 'merchant.reserved', currency, kept);
  await post(tx, [{ ...scope, kind: 'ramp', resourceId: row.id, postings }]);
  const { rate_numerator, rate_denominator } = priced;
  const price = { rate_numerator, rate_denominator };
  const after = await changeRamp(tx, deps, row, {
    to: 'pending_stellar',
    set: {
      ...price,
      ...pricedColumns({ ...row, ...price }),
      amount_delivered: kept,
      deliveries: row.deliveries + 1,
      delivery: deliveryIn(plan.destination),
      due_at: null,
    },
    now,
  });
  await deps.outbound.queue(tx, [outboundOf(after, plan, now)]);
}

function outboundOf(row: RampRow, plan: Ready, now: Date): NewOutbound {
  return {
    merchantId: row.merchant_id,
    livemode: row.livemode,
    now,
    purpose: rampPurpose,
    resourceId: row.id,
    attempt: row.deliveries,
    rail: treasuryRail,
    destination: plan.destination,
    originalReference: null,
    asset: row.asset,
    amount: row.amount_out,
    source: plan.source,
    value: keptOf(row) - row.amount_fee,
    valueCurrency: row.currency,
  };
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Seconds between two looks at a wallet that cannot hold the asset yet, in the first hour and afterwards. */
const trustPauses = { first: 5, later: 60, firstTries: 720 } as const;

/** The next state and try after a delivery that cannot begin. Null: the merchant decides. */
export function waitAfter({ status, tries }: Pick<RampRow, 'status' | 'tries'>, { code }: Failure) {
  if (isForOwner(code)) {
    const count = status === 'pending_trust' ? tries + 1 : 1;
    const seconds = count <= trustPauses.firstTries ? trustPauses.first : trustPauses.later;
    return { to: 'pending_trust' as const, tries: count, seconds };
  }
  const count = status === 'pending_anchor' ? tries + 1 : 1;
  const isOfService = code === 'insufficient_funds' || code === 'rate_unavailable';
  const seconds = retryAfter(isOfService ? 1 : count, code);
  return seconds === null || code === 'memo_required' || code === 'own_account'
    ? null
    : { to: 'pending_anchor' as const, tries: count, seconds };
}

/** Days after which a wallet that cannot hold the asset is left to the merchant's decision. */
const mostTrustDays = 30;

function addDays(date: Date, days: number): Date {
  return addSeconds(date, days * 86_400);
}

/** Whether the delivery waits for the owner of the wallet or the balance, and not for the service. */
function isOwners({ code }: Failure): boolean {
  return isForOwner(code) || code === 'insufficient_funds';
}

/** Notes why the delivery waits. The merchant gets an event only if the reason is new. */
async function postpone(deps: RampDeps, claimed: DueRamp, failure: Failure): Promise<void> {
  const wait = waitAfter(claimed, failure);
  const isTooLong = claimed.status === 'pending_trust' && addDays(claimed.status_at, mostTrustDays) < claimed.clock;
  if (wait === null || isTooLong) return await hold(deps, claimed, failure);
  const graceEnd = await endOfPrice(deps.db, claimed);
  await deps.db.transaction().execute(async tx => {
    const row = await lockClaimed(tx, claimed);
    if (row === null) return;
    const { to, tries, seconds } = wait;
    const isNew = to === row.status && row.failure_code !== failure.code;
    await changeRamp(tx, deps, row, {
      to,
      set: {
        tries,
        failure_code: failure.code,
        failure_message: failure.message,
        due_at: addSeconds(claimed.clock, seconds),
        // A price is no option for the owner of the wallet or the balance: after its end, the market's counts.
        ...(isOwners(failure) && claimed.clock >= graceEnd && { at_market: true }),
      },
      ...(isNew && { events: ['ramp.updated' as const] }),
      now: claimed.clock,
    });
  });
}

/** Leaves the money to the merchant's decision. */
async function hold(deps: RampDeps, claimed: DueRamp, { code, message }: Failure): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const row = await lockClaimed(tx, claimed);
    if (row === null) return;
    const set = { failure_code: code, failure_message: message, due_at: null };
    await changeRamp(tx, deps, row, { to: 'on_hold', set, now: claimed.clock });
  });
}

/** Refunds late money. If the refund is refused, the merchant decides. */
async function returnMoney(deps: RampDeps, claimed: DueRamp): Promise<void> {
  const { merchant_id: merchantId, payment_id: paymentId, clock: now } = claimed;
  if (paymentId === null) return;
  try {
    await deps.db.transaction().execute(async tx => {
      const payment = await lockPayment(tx, { merchantId, paymentId });
      if ((await lockClaimed(tx, claimed)) === null) return;
      await startRefund(tx, deps, { payment, request: { reason: 'paid_late' }, now });
    });
    deps.outbound.wake();
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    await hold(deps, claimed, { code: error.code, message: error.message });
  }
}
