import { addSeconds } from '../../core/clock.ts';
import { type LedgerTransaction, post } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { ClockedOutbound, OutboundPurpose } from '../outbound/outbound.ts';
import type { ViewContext } from '../payments/payment.view.ts';
import { type Change, planChange, planned, writeChanges } from '../platform/events/change.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { waitAfter } from './deliver.service.ts';
import { lockRamps } from './ramp.store.ts';
import { rampPurpose, rampResource } from './ramp.ts';
import type { RampRow } from './tables.ts';

interface EndedDelivery {
  readonly row: RampRow;
  readonly sent: ClockedOutbound;
}

/** Books delivered coins, with their fee. Money of a failed delivery is available again, and the ramp goes on. */
export function createRampOutbound(context: ViewContext): OutboundPurpose {
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
      const plans = pairs.map(({ row, sent }) => planChange(rampResource, context, planned(row), changeOf(row, sent)));
      await writeChanges(tx, rampResource, plans);
    },
  };
}

/** The fee passes through its own account, which shows the turnover. What was reserved is the money of the delivery. */
function bookingsOf({ row, sent }: EndedDelivery): LedgerTransaction[] {
  const { merchant_id: merchantId, livemode } = row;
  const { value_currency: currency, clock: now } = sent;
  const of = { merchantId, livemode, resourceId: row.id, now };
  const fee = row.amount_fee;
  if (sent.state !== 'completed') {
    const postings = move('merchant.reserved', 'merchant.available', currency, sent.value + fee);
    return [{ ...of, kind: 'ramp_failed', postings }];
  }
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
      postings: [
        ...move('merchant.reserved', 'ramps.fee', currency, fee),
        ...move('ramps.fee', 'merchant.available', currency, fee),
      ],
    },
  ];
}

function changeOf(row: RampRow, sent: ClockedOutbound): Change<RampRow, RampRow['status']> {
  const { reference, ledger, clock: now } = sent;
  const anew = { status_at: now, tries: 0, failure_code: null, failure_message: null };
  if (sent.state === 'completed') {
    return { to: 'completed', set: { ...anew, tx_hash: reference, ledger, completed_at: now }, now };
  }
  const code = sent.failure_code ?? 'refused';
  const message = sent.failure_message ?? '';
  // A wallet that refuses every payment is looked at by the next plan, which asks the merchant.
  const wait = waitAfter({ status: 'pending_anchor', tries: Math.max(0, row.deliveries - 1) }, { code, message });
  const { to, seconds } = wait ?? { to: 'pending_anchor' as const, seconds: 60 };
  return { to, set: { ...anew, failure_code: code, failure_message: message, due_at: addSeconds(now, seconds) }, now };
}
