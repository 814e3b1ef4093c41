import { addSeconds } from '../../../core/clock.ts';
import { type LedgerTransaction, post } from '../../ledger/ledger.store.ts';
import { exchange, move } from '../../ledger/posting.ts';
import { cancelOutbound } from '../../outbound/outbound.store.ts';
import type { ClockedOutbound, OutboundProgress, OutboundPurpose } from '../../outbound/outbound.ts';
import { underfunded } from '../../outbound/sender.ts';
import { type Change, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { lockRamps } from '../ramp.store.ts';
import { rampPurpose, rampResource } from '../ramp.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { feePostings, keptOf, pricedColumns } from '../ramp-money.ts';
import type { RampRow } from '../tables.ts';
import { waitAfter } from './deliver.service.ts';

interface EndedDelivery {
  readonly row: RampRow;
  readonly sent: ClockedOutbound;
}

/** Books delivered coins, with their fee. Money of a failed delivery is available again, and the ramp goes on. */
export function createRampOutbound(deps: RampDeps): OutboundPurpose {
  return {
    name: rampPurpose,
    book: async (tx, ended) => {
      const byRamp = new Map(ended.map(sent => [sent.resource_id, sent]));
      const rows = await lockRamps(tx, ended[0]?.merchant_id ?? '', [...byRamp.keys()]);
      const pairs = rows.flatMap((row): EndedDelivery[] => {
        const sent = byRamp.get(row.id);
        return sent === undefined ? [] : [{ row, sent }];
      });
      await post(tx, pairs.flatMap(bookingsOf));
      const plans = pairs.map(({ row, sent }) => planChange(rampResource, deps, planned(row), changeOf(row, sent)));
      await writeChanges(tx, rampResource, plans);
    },
    progress: steps => takeBackShort(deps, steps),
  };
}

/** The fee passes through its own account, which shows the turnover. What was reserved is the money of the delivery. */
function bookingsOf({ row, sent }: EndedDelivery): LedgerTransaction[] {
  const { merchant_id: merchantId, livemode } = row;
  const { value_currency: currency, clock: now } = sent;
  const of = { merchantId, livemode, resourceId: row.id, now };
  const fee = row.amount_delivered - sent.value;
  if (sent.state !== 'completed') return [moneyBack(row, now)];
  const taken = { currency: sent.source_asset, amount: sent.sent_amount ?? sent.source_max };
  const given = { currency, amount: sent.value };
  return [
    {
      ...of,
      kind: 'ramp_delivered',
      postings: exchange('merchant.reserved', given, `treasury.${treasuryRail}`, taken),
    },
    {
      ...of,
      kind: 'ramp_fee',
      postings: feePostings('merchant.reserved', currency, fee),
    },
  ];
}

function changeOf(row: RampRow, sent: ClockedOutbound): Change<RampRow, RampRow['status']> {
  const { reference, ledger, clock: now } = sent;
  const anew = { status_at: now, tries: 0, failure_code: null, failure_message: null };
  if (sent.state === 'completed') {
    return { to: 'completed', set: { ...anew, tx_hash: reference, ledger, completed_at: now }, now };
  }
  const failure = { code: sent.failure_code ?? 'refused', message: sent.failure_message ?? '' };
  return undelivered(row, waitAfter({ status: 'pending_anchor', tries: row.deliveries - 1 }, failure), failure, now);
}

/** The change of a ramp whose coins did not leave. What was disputed meanwhile buys no coins. */
function undelivered(
  row: RampRow,
  wait: ReturnType<typeof waitAfter>,
  { code, message }: { readonly code: string; readonly message: string },
  now: Date,
): Change<RampRow, RampRow['status']> {
  const set = {
    ...pricedColumns(row),
    amount_delivered: 0n,
    delivery: null,
    status_at: now,
    tries: wait?.tries ?? 0,
    failure_code: code,
    failure_message: message,
  };
  if (keptOf(row) === 0n) return { to: 'refunded', set: { ...set, completed_at: now }, now };
  if (wait === null) return { to: 'on_hold', set, now };
  return { to: wait.to, set: { ...set, due_at: addSeconds(now, wait.seconds) }, now };
}

/** Takes back transfers that the treasury cannot pay. Their ramps wait, can be refunded, and are planned again. */
async function takeBackShort(deps: RampDeps, steps: readonly OutboundProgress[]): Promise<void> {
  const short = steps.filter(({ step }) => step === 'short').map(({ row }) => row);
  const [first] = short;
  if (first === undefined) return;
  const { merchant_id: merchantId, livemode } = first;
  const now = merchantNow(await deps.findMerchant(merchantId), livemode, deps.clock.now());
  const ids = short.map(({ resource_id: id }) => id);
  await deps.db.transaction().execute(async tx => {
    const rows = await lockRamps(tx, merchantId, ids);
    const canceled = new Set(await cancelOutbound(tx, { merchantId, purpose: rampPurpose, now }, ids));
    const back = rows.filter(({ id, status }) => status === 'pending_stellar' && canceled.has(id));
    await post(
      tx,
      back.map(row => moneyBack(row, now)),
    );
    const wait = { to: 'pending_anchor' as const, tries: 1, seconds: shortSeconds };
    const plans = back.map(row =>
      planChange(rampResource, deps, planned(row), undelivered(row, wait, underfunded, now)),
    );
    await writeChanges(tx, rampResource, plans);
  });
}

/** Seconds until a delivery is planned again that the treasury could not pay. */
const shortSeconds = 60;

/** The booking of a ramp whose coins did not leave: its money is available again. */
function moneyBack(row: RampRow, now: Date): LedgerTransaction {
  const { merchant_id: merchantId, livemode, id: resourceId, currency, amount_delivered: amount } = row;
  const postings = move('merchant.reserved', 'merchant.available', currency, amount);
  return { merchantId, livemode, resourceId, kind: 'ramp_failed', postings, now };
}
