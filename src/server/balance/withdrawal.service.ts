import type { CreateWithdrawal } from '../../api/balance/withdrawal.ts';
import { formatAsset } from '../../core/asset.ts';
import { parseCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { convert } from '../../core/rate.ts';
import { unitOf } from '../../core/unit.ts';
import { approve, takeWayOut } from '../approvals/approval.service.ts';
import { type ApprovalPurpose, canceledFailure, createValuer, notWaiting, type Valuer } from '../approvals/approval.ts';
import type { CryptoRail } from '../chains/chain.ts';
import { isAsset, moneyText, moneyToWire, readAmount, readUnit } from '../ledger/balance-money.ts';
import { post, requireAvailable } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { ClockedOutbound, OutboundPurpose } from '../outbound/outbound.ts';
import type { Order, Planned } from '../outbound/sender.ts';
import { cryptoRail } from '../payments/crypto/crypto-price.service.ts';
import { readDestination } from '../payments/refunds/refund.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Change, changeRow, createRows, planChange, planned, writeChanges } from '../platform/events/change.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { deliveryIn } from '../stellar/treasury/batch.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { findWithdrawal, lockWithdrawals } from './balance.store.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import type { WithdrawalRow } from './tables.ts';
import { withdrawalResource } from './withdrawal.view.ts';

/** The purpose of transfers that pay withdrawals. */
const withdrawalPurpose = 'withdrawal';

type Destination = Readonly<Record<string, string>> & { readonly address: string };
type Deliverable = Extract<Planned, { state: 'ready' }>;

/** A checked request for a withdrawal, and the planned delivery. */
interface PlannedWithdrawal
  extends Pick<WithdrawalRow, 'currency' | 'amount' | 'paid_asset' | 'paid_amount' | 'metadata'> {
  readonly destination: Destination;
  readonly plan: Deliverable;
  readonly valuer: Valuer | null;
}

/**
 * Checks a request, converts the amount and plans its delivery. Throws the errors of `readUnit`, `readAmount` and
 * `readDestination`. Throws `invalid_address` if the account cannot receive the amount. Throws `unavailable` if the
 * treasury cannot send it now, or if Stellar does not answer. Also throws `settlement_account_missing` and
 * `rate_unavailable`.
 */
export async function planWithdrawal(
  deps: BalanceMoveDeps,
  { merchant, livemode }: Caller,
  body: CreateWithdrawal,
): Promise<PlannedWithdrawal> {
  const isNamed = body.currency !== undefined || body.asset !== undefined;
  if (body.asset === undefined && parseCurrency(merchant.settlementAsset) !== null) throw needsAsset();
  const settlementAsset = body.asset ?? formatAsset(deps.rates.asset(merchant.settlementAsset, 'asset'));
  const currency = isNamed ? readUnit(body, deps.rates.asset) : settlementAsset;
  const amount = readAmount(body.amount, currency);
  const rail = cryptoRail(deps, treasuryRail, livemode);
  const destination = destinationOf(rail, merchant.stellarAddress, body.destination);
  const asset = isAsset(currency) ? currency : settlementAsset;
  const paid = isAsset(currency) ? amount : await convertedAmount(deps, currency, amount, merchant.settlementAsset);
  if (paid === 0n || paid > unitOf(asset).most) {
    const message =
      'The amount is worth less than the smallest unit of the asset, or more than the maximum amount of its chain.';
    throw new PayError('invalid_amount', message, { param: 'amount' });
  }
  const plan = await planNow(deps, {
    asset,
    amount: paid,
    destination,
    given: isAsset(currency) ? null : { currency, amount },
    paidIn: null,
    claimable: destination['memo'] === undefined,
  });
  const metadata = body.metadata ?? {};
  const valuer = await createValuer(deps, merchant, [currency]);
  return { currency, amount, paid_asset: asset, paid_amount: paid, destination, metadata, plan, valuer };
}

/** The error for an account that settles in a currency, so that it has no asset to convert into. */
function needsAsset(): PayError {
  const message =
    'The account settles in a currency. Name an asset of the balance, or pay out by POST /v1/payouts/bulk.';
  return new PayError('parameter_missing', message, { param: 'asset' });
}

/** The amount in smallest units of the settlement asset. Throws `asset_not_listed` and `rate_unavailable`. */
async function convertedAmount(
  { rates }: BalanceMoveDeps,
  currency: string,
  amount: bigint,
  settlementAsset: string,
): Promise<bigint> {
  const asset = formatAsset(rates.listedAsset(settlementAsset, 'asset'));
  return convert(amount, (await rates.findFor(amount, currency, asset)).rate);
}

function destinationOf(rail: CryptoRail, own: string | null, given: CreateWithdrawal['destination']): Destination {
  if (given !== undefined) {
    return readDestination(rail.chain, { ...given }, 'destination');
  }
  if (own !== null) return { address: own };
  const message = 'Set the account’s settlement.stellar_address, or give a destination.';
  throw new PayError('settlement_account_missing', message, { param: 'destination' });
}

/** The plan of the order, which the caller learns at once. Throws as `planWithdrawal` does. */
async function planNow({ outbound }: BalanceMoveDeps, order: Order): Promise<Deliverable> {
  const [plan] = await outbound.plan(treasuryRail, [order]);
  if (plan?.state === 'ready') return plan;
  if (plan?.state === 'failed') throw new PayError('invalid_address', plan.message, { param: 'destination' });
  throw new PayError('unavailable', `${plan?.message} Try again later.`, { retryAfterSeconds: 60 });
}

/**
 * Reserves the money and queues the transfer, unless another person must approve it. Throws `insufficient_funds`. Call
 * `outbound.wake` after the commit.
 */
export async function createWithdrawal(
  deps: BalanceMoveDeps,
  tx: Tx,
  caller: Caller,
  { plan, valuer, ...given }: PlannedWithdrawal,
): Promise<WithdrawalRow> {
  const { merchant, livemode, now } = caller;
  const scope = { merchantId: merchant.id, livemode, now };
  const objectId = newId('withdrawal');
  const summary = `Withdrawal of ${moneyText(given)} to ${given.destination.address}`;
  const waits = await takeWayOut(tx, caller, {
    kind: 'withdrawal',
    objectId,
    summary,
    worth: valuer?.([given]) ?? null,
  });
  await requireAvailable(tx, scope, new Map([[given.currency, given.amount]]));
  const row: WithdrawalRow = {
    merchant_id: merchant.id,
    id: objectId,
    livemode,
    ...given,
    status: waits ? 'awaiting_approval' : 'pending',
    delivery: deliveryIn(plan.destination),
    tx_hash: null,
    ledger: null,
    failure_code: null,
    failure_message: null,
    event_sequence: 1,
    created_at: now,
    completed_at: null,
  };
  const postings = move('merchant.available', 'merchant.reserved', row.currency, row.amount);
  await post(tx, [{ ...scope, kind: 'withdrawal', resourceId: row.id, postings }]);
  await createRows(tx, withdrawalResource, null, 'withdrawal.created', [row]);
  if (!waits) await queueTransfer(deps, tx, row, plan, now);
  return row;
}

async function queueTransfer(
  { outbound }: Pick<BalanceMoveDeps, 'outbound'>,
  tx: Tx,
  row: WithdrawalRow,
  plan: Deliverable,
  now: Date,
): Promise<void> {
  const scope = { merchantId: row.merchant_id, livemode: row.livemode, now };
  await outbound.queue(tx, [
    {
      ...scope,
      purpose: withdrawalPurpose,
      resourceId: row.id,
      attempt: 1,
      rail: treasuryRail,
      destination: plan.destination,
      originalReference: null,
      asset: row.paid_asset,
      amount: row.paid_amount,
      source: plan.source,
      value: row.amount,
      valueCurrency: row.currency,
    },
  ]);
}

/** Approvals of withdrawals. An approved withdrawal is priced and planned again, because the market has moved. */
export function withdrawalApprovals(deps: BalanceMoveDeps): ApprovalPurpose {
  return {
    kind: 'withdrawal',
    prepare: async (caller, { id: approvalId, object_id: id }) => {
      const before = await findWithdrawal(deps.db, scopeOf(caller), id);
      if (before === null) throw notWaiting();
      const { currency, amount, destination } = before;
      const wire = moneyToWire({ currency, amount });
      const { plan, paid_amount, paid_asset } = await planWithdrawal(deps, caller, {
        ...wire,
        destination: destination as Destination,
      });
      return async tx => {
        const row = await lockWaiting(tx, caller, id);
        await approve(tx, caller, approvalId);
        const set = { paid_amount, paid_asset, delivery: deliveryIn(plan.destination) };
        const after = await changeRow(tx, withdrawalResource, null, row, { to: 'pending', set, now: caller.now });
        await queueTransfer(deps, tx, after, plan, caller.now);
      };
    },
    cancel: async (tx, caller, { object_id: id }) => {
      const row = await lockWaiting(tx, caller, id);
      const { merchant_id: merchantId, livemode, currency, amount } = row;
      const postings = move('merchant.reserved', 'merchant.available', currency, amount);
      const booking = { merchantId, livemode, resourceId: id, kind: 'withdrawal_failed', postings, now: caller.now };
      await post(tx, [booking]);
      const set = { ...canceledFailure, completed_at: caller.now };
      await changeRow(tx, withdrawalResource, null, row, { to: 'failed', set, now: caller.now });
    },
    wake: () => deps.outbound.wake(),
  };
}

async function lockWaiting(tx: Tx, { merchant }: Caller, id: string): Promise<WithdrawalRow> {
  const [row] = await lockWithdrawals(tx, merchant.id, [id]);
  if (row?.status !== 'awaiting_approval') throw notWaiting();
  return row;
}

/** Books delivered withdrawals. Makes the money of failed withdrawals available again. */
export const withdrawalOutbound: OutboundPurpose = {
  name: withdrawalPurpose,
  book: async (tx, ended) => {
    const byWithdrawal = new Map(ended.map(sent => [sent.resource_id, sent]));
    const rows = await lockWithdrawals(tx, ended[0]?.merchant_id ?? '', [...byWithdrawal.keys()]);
    const pairs = rows.flatMap(row => {
      const sent = byWithdrawal.get(row.id);
      return sent === undefined ? [] : [{ row, sent }];
    });
    await post(tx, pairs.map(bookingOf));
    const plans = pairs.map(({ row, sent }) => planChange(withdrawalResource, null, planned(row), changeOf(sent)));
    await writeChanges(tx, withdrawalResource, plans);
  },
};

interface EndedWithdrawal {
  readonly row: WithdrawalRow;
  readonly sent: ClockedOutbound;
}

function bookingOf({ row, sent }: EndedWithdrawal) {
  const { merchant_id: merchantId, livemode, currency, amount } = row;
  const base = { merchantId, livemode, resourceId: row.id, now: sent.clock };
  if (sent.state !== 'completed') {
    return {
      ...base,
      kind: 'withdrawal_failed',
      postings: move('merchant.reserved', 'merchant.available', currency, amount),
    };
  }
  const taken = { currency: sent.source_asset, amount: sent.sent_amount ?? sent.source_max };
  return {
    ...base,
    kind: 'withdrawn',
    postings: exchange('merchant.reserved', { currency, amount }, `treasury.${treasuryRail}`, taken),
  };
}

function changeOf(sent: ClockedOutbound): Change<WithdrawalRow, WithdrawalRow['status']> {
  const { reference, ledger, clock: now } = sent;
  if (sent.state === 'completed') {
    return { to: 'completed', set: { tx_hash: reference, ledger, completed_at: now }, now };
  }
  const failure = { failure_code: sent.failure_code ?? 'refused', failure_message: sent.failure_message };
  return { to: 'failed', set: { ...failure, completed_at: now }, now };
}
