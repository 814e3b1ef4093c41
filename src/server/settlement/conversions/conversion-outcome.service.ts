import { addSeconds } from '../../../core/clock.ts';
import { post } from '../../ledger/ledger.store.ts';
import { exchange } from '../../ledger/posting.ts';
import type { ClockedOutbound, OutboundFailure, OutboundPurpose } from '../../outbound/outbound.ts';
import type { FiatConversions } from '../../payments/settling/fiat-conversion.service.ts';
import { growingPause } from '../../payments/settling/payment-settlement.service.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Change, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { lockConversions } from './conversion.store.ts';
import { conversionResource } from './conversion.ts';
import type { ConversionRow } from './tables.ts';

/** The purpose of outbound transfers that convert crypto. Their resource is a conversion. */
export const conversionPurpose = 'settlement_conversion';

type ConversionChange = Change<ConversionRow, ConversionRow['status']>;

/** Stores why a conversion failed, and when it is tried again. It ends after more than a month. */
export function postponed({ tries }: ConversionRow, { code, message }: OutboundFailure, now: Date): ConversionChange {
  const seconds = growingPause(tries + 1);
  const set = { tries: tries + 1, failure_code: code, failure_message: message };
  return seconds === null
    ? { to: 'failed', set: { ...set, due_at: null, ended_at: now }, now }
    : { to: 'waiting', set: { ...set, due_at: addSeconds(now, seconds) }, now };
}

/** Books conversions, and ends the wait of their payments. */
export function createConversionPurpose(payments: FiatConversions): OutboundPurpose {
  return { name: conversionPurpose, book: (tx, ended) => bookEnded(payments, tx, ended) };
}

/** A conversion with its ended transfer. */
interface Ended {
  readonly row: ConversionRow;
  readonly sent: ClockedOutbound;
}

async function bookEnded(payments: FiatConversions, tx: Tx, ended: readonly ClockedOutbound[]): Promise<void> {
  const byId = new Map(ended.map(sent => [sent.resource_id, sent]));
  const locked = await lockConversions(tx, ended[0]?.merchant_id ?? '', [...byId.keys()]);
  const all = locked.flatMap((row): Ended[] => {
    const sent = byId.get(row.id);
    return sent === undefined ? [] : [{ row, sent }];
  });
  const plans = all.map(one => planChange(conversionResource, null, planned(one.row), changeOf(one)));
  await writeChanges(tx, conversionResource, plans);
  const completed = all.filter(({ sent }) => sent.state === 'completed');
  await post(tx, completed.map(bookingOf));
  const converted = completed.flatMap(({ row, sent: { reference: txHash, ledger, clock: now } }) =>
    txHash === null || ledger === null ? [] : [{ ...keyOf(row), txHash, ledger, now }],
  );
  if (converted.length > 0) await payments.converted(tx, converted);
  const [failed, ...others] = all.filter(({ sent }) => sent.state !== 'completed');
  if (failed !== undefined) {
    await payments.release(
      tx,
      [failed, ...others].map(({ row }) => keyOf(row)),
      failed.sent.clock,
    );
  }
}

const keyOf = ({ merchant_id: merchantId, payment_id: paymentId }: ConversionRow) => ({ merchantId, paymentId });

function changeOf({ row, sent }: Ended): ConversionChange {
  const { reference, ledger, sent_amount, clock: now, failure_code: code, failure_message: message } = sent;
  if (sent.state !== 'completed') return postponed(row, { code: code ?? 'refused', message: message ?? '' }, now);
  const set = { tx_hash: reference, ledger, sent_amount, failure_code: null, failure_message: null, ended_at: now };
  return { to: 'completed', set, now };
}

/** The treasury's own money changes its asset. The merchant's accounts stay as they are. */
function bookingOf({ row, sent }: Ended) {
  const account = `treasury.${treasuryRail}` as const;
  // Money that left the treasury is positive: the bought asset is subtracted, and the sold one is added.
  const bought = { currency: row.asset, amount: row.amount };
  const sold = { currency: row.source_asset, amount: sent.sent_amount ?? sent.source_max };
  return {
    merchantId: row.merchant_id,
    livemode: row.livemode,
    paymentId: row.payment_id,
    resourceId: row.id,
    kind: conversionPurpose,
    postings: exchange(account, bought, account, sold),
    now: sent.clock,
  };
}
