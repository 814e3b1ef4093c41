import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { type LedgerTransaction, post, requireAvailable } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import { makeAvailable } from '../../payments/settling/payment-availability.service.ts';
import type { EndedPayout, PayoutOwner } from '../../payouts/payout-owner.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Change, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { type DueRamp, lockClaimed, lockRamps } from '../ramp.store.ts';
import { changeRamp, rampResource } from '../ramp.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { feePostings, keptOf, payableOf, pricedColumns } from '../ramp-money.ts';
import { payoutFault, routeFor } from '../ramp-target.ts';
import type { RampRow } from '../tables.ts';

/** Seconds until a payout is tried again that the balance cannot pay. */
const retrySeconds = 60;

/**
 * Pays out the money for sold coins. Coins other than the currency's stablecoin are converted first, and the ramp waits
 * for the first outcome. Returns why the merchant must decide, or null.
 */
export async function payOut(deps: RampDeps, claimed: DueRamp): Promise<PayError | null> {
  const { merchant_id: merchantId, livemode, currency, payment_id: paymentId, clock: now } = claimed;
  if (paymentId === null) return null;
  const fault = payoutFault(deps, claimed);
  if (fault !== null) return fault;
  const payments = [{ merchantId, paymentId }];
  const ready = await deps.money.settlement.convert({ merchantId, livemode, currency, payments, now });
  // The end of the conversion makes the ramp due. Otherwise the ramp is due at the end of its lease.
  if (ready.length === 0) return null;
  try {
    await deps.db.transaction().execute(tx => handOver(deps, tx, claimed, paymentId));
    deps.ownedPayouts.wake();
  } catch (error) {
    if (!(error instanceof PayError && error.code === 'insufficient_funds')) throw error;
    await waitForMoney(deps, claimed, error);
  }
  return null;
}

async function handOver(deps: RampDeps, tx: Tx, claimed: DueRamp, paymentId: string): Promise<void> {
  const { merchant_id: merchantId, livemode, currency, clock: now } = claimed;
  // Payments are locked before their owners everywhere.
  await makeAvailable(deps, tx, [{ merchantId, paymentId }], now);
  const row = await lockClaimed(tx, claimed);
  if (row === null || row.kyc_status === 'rejected') return;
  const { payout_destination: destination } = row;
  const route = routeFor(deps, row);
  if (destination === null || route === null) return;
  const kept = keptOf(row);
  await requireAvailable(tx, { merchantId, livemode, now }, new Map([[currency, kept]]));
  const postings = move('merchant.available', 'merchant.reserved', currency, kept);
  await post(tx, [{ merchantId, livemode, kind: 'ramp', resourceId: row.id, postings, now }]);
  const owner = { type: 'ramp' as const, id: row.id };
  const order = { owner, amount: payableOf(row), currency, destination, rail: route.rail };
  const merchant = await deps.findMerchant(merchantId);
  const payouts = await deps.ownedPayouts.create(tx, { merchant, livemode, now }, [order]);
  await changeRamp(tx, deps, row, {
    to: 'pending_external',
    set: {
      payout_id: payouts.get(row.id) ?? null,
      amount_delivered: kept,
      deliveries: row.deliveries + 1,
      due_at: null,
    },
    now,
  });
}

async function waitForMoney(deps: RampDeps, claimed: DueRamp, { code, message }: PayError): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const row = await lockClaimed(tx, claimed);
    if (row === null) return;
    const isNew = row.failure_code !== code;
    const set = { failure_code: code, failure_message: message, due_at: addSeconds(claimed.clock, retrySeconds) };
    await changeRamp(tx, deps, row, { set, ...(isNew && { events: ['ramp.updated' as const] }), now: claimed.clock });
  });
}

/** Ends sales with their payouts. The fee of a payout that came back comes back with it. */
export function createRampPayouts(deps: RampDeps): PayoutOwner {
  return {
    type: 'ramp',
    ended: async (tx, payouts) => {
      const byRamp = new Map(payouts.map(payout => [payout.ownerId, payout]));
      const rows = await lockRamps(tx, payouts[0]?.merchantId ?? '', [...byRamp.keys()]);
      const pairs = rows.flatMap(row => {
        const payout = byRamp.get(row.id);
        // A sale that was paid again has another payout.
        return payout?.payoutId === row.payout_id ? [{ row, payout }] : [];
      });
      await post(
        tx,
        pairs.map(({ row, payout }) => bookingOf(row, payout)),
      );
      const plans = pairs.map(({ row, payout }) => planChange(rampResource, deps, planned(row), changeOf(row, payout)));
      await writeChanges(tx, rampResource, plans);
    },
  };
}

/** The payout books its own money. The rest is the fee, which passes through its own account when it is earned. */
function bookingOf(row: RampRow, { status, now }: EndedPayout): LedgerTransaction {
  const { merchant_id: merchantId, livemode, id: resourceId, currency, amount_fee: fee } = row;
  const of = { merchantId, livemode, resourceId, now };
  if (status === 'completed') {
    return { ...of, kind: 'ramp_fee', postings: feePostings('merchant.reserved', currency, fee) };
  }
  if (row.status === 'completed') {
    return { ...of, kind: 'ramp_fee_back', postings: feePostings('merchant.available', currency, fee) };
  }
  return { ...of, kind: 'ramp_failed', postings: move('merchant.reserved', 'merchant.available', currency, fee) };
}

/** After a failed or returned payout, the merchant decides: pay again, or send the coins back. */
function changeOf(row: RampRow, { status, failure, now }: EndedPayout): Change<RampRow, RampRow['status']> {
  const anew = { status_at: now, tries: 0 };
  if (status === 'completed') {
    return { to: 'completed', set: { ...anew, failure_code: null, failure_message: null, completed_at: now }, now };
  }
  const set = {
    ...anew,
    ...pricedColumns(row),
    amount_delivered: 0n,
    completed_at: null,
    failure_code: failure.code,
    failure_message: failure.message,
  };
  return keptOf(row) === 0n ? { to: 'refunded', set: { ...set, completed_at: now }, now } : { to: 'on_hold', set, now };
}
