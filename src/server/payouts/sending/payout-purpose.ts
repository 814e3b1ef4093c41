import { postingWrites } from '../../ledger/ledger.store.ts';
import { exchange } from '../../ledger/posting.ts';
import { cancelOutbound } from '../../outbound/outbound.store.ts';
import type { ClockedOutbound, OutboundProgress, OutboundPurpose } from '../../outbound/outbound.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Planned, planChange, planned } from '../../platform/events/change.ts';
import { concludeBatches } from '../batch-end.service.ts';
import { payingAccount } from '../destinations/route.ts';
import { lockPayouts } from '../payout.store.ts';
import { payoutResource } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { writePayouts } from '../payout-change.ts';
import { markVerification } from '../recipients/payee.store.ts';
import type { PayoutRow } from '../tables.ts';
import { payoutPurpose, released } from './payout-queue.service.ts';

interface Deps extends PayoutContext {
  readonly db: Db;
  /** The current time on the merchant's clock in the mode. */
  readonly nowOf: (merchantId: string, livemode: boolean) => Promise<Date>;
}

/** Books completed and failed payouts, and reports payouts in progress. */
export function createPayoutPurpose(deps: Deps): OutboundPurpose {
  return {
    name: payoutPurpose,
    book: (tx, ended) => book(deps, tx, ended),
    progress: steps => progress(deps, steps),
  };
}

/** Books the outcomes of transfers of one merchant and mode: status, money, batch and the recipients' destinations. */
async function book(deps: Deps, tx: Tx, ended: readonly ClockedOutbound[]): Promise<void> {
  const merchantId = ended[0]?.merchant_id ?? '';
  const byPayout = new Map(ended.map(row => [row.resource_id, row]));
  const changes: Planned<PayoutRow>[] = [];
  for (const payout of await lockPayouts(tx, merchantId, [...byPayout.keys()])) {
    const row = byPayout.get(payout.id);
    if (row !== undefined && row.attempt === payout.attempt) changes.push(planOutcome(deps, payout, row));
  }
  const paid = changes.flatMap(({ after }) => paidTransactions(after, byPayout.get(after.id)));
  const booked = [...released(changes, ended[0]?.clock ?? new Date(0)), ...paid];
  await writePayouts(tx, deps, changes, { writes: await postingWrites(tx, booked) });
  await markVerification(
    tx,
    merchantId,
    changes.flatMap(({ after }) => verificationOf(after)),
  );
  await concludeBatches(tx, deps, changes);
}

/** The change of a payout whose transfer has ended. If no server reported the sending, the payout is still `queued`. */
function planOutcome(deps: Deps, payout: PayoutRow, row: ClockedOutbound): Planned<PayoutRow> {
  const now = row.clock;
  if (row.state === 'failed') {
    const set = { failure_code: row.failure_code, failure_message: row.failure_message, completed_at: now };
    return planChange(payoutResource, deps, planned(payout), { to: 'failed', set, now });
  }
  const start = planned(payout);
  const sent = payout.status === 'queued' ? planChange(payoutResource, deps, start, { to: 'processing', now }) : start;
  const set = { trace: row.reference ?? payout.trace, completed_at: now };
  return planChange(payoutResource, deps, sent, { to: 'completed', set, now });
}

function paidTransactions(payout: PayoutRow, row: ClockedOutbound | undefined) {
  if (row === undefined || row.state !== 'completed') return [];
  const { merchant_id: merchantId, livemode, id: resourceId } = payout;
  const given = { currency: row.value_currency, amount: row.value };
  const taken = { currency: row.source_asset, amount: row.sent_amount ?? row.source_max };
  const postings = exchange('merchant.reserved', given, payingAccount(payout), taken);
  return [{ merchantId, livemode, kind: 'payout', resourceId, postings, now: row.clock }];
}

/** Failures that the recipient's account caused. The rail and the money are not at fault. */
const accountFaults: ReadonlySet<string> = new Set([
  ...['invalid_account_number', 'invalid_bank_code', 'account_closed', 'account_frozen', 'name_mismatch'],
  ...['recipient_not_found', 'recipient_not_allowed', 'destination_missing', 'no_trustline', 'memo_required'],
]);

function verificationOf({ recipient_id: recipientId, destination, status, failure_code: code }: PayoutRow) {
  if (recipientId === null) return [];
  if (status === 'completed') return [{ recipientId, destination, verified: true }];
  return accountFaults.has(code ?? '') ? [{ recipientId, destination, verified: false }] : [];
}

/** Updates payouts of one merchant and mode that are being sent, or that their rail has accepted. */
async function progress(deps: Deps, steps: readonly OutboundProgress[]): Promise<void> {
  const first = steps[0]?.row;
  if (first === undefined) return;
  const now = await deps.nowOf(first.merchant_id, first.livemode);
  const byPayout = new Map(steps.map(step => [step.row.resource_id, step]));
  await deps.db.transaction().execute(async tx => {
    const locked = await lockPayouts(tx, first.merchant_id, [...byPayout.keys()]);
    const current = locked.filter(payout => byPayout.get(payout.id)?.row.attempt === payout.attempt);
    const short = current.filter(({ id, status }) => byPayout.get(id)?.step === 'short' && status === 'queued');
    const canceling = { merchantId: first.merchant_id, purpose: payoutPurpose, now };
    const ids = short.map(({ id }) => id);
    const withdrawn = new Set(await cancelOutbound(tx, canceling, ids));
    const changes = current.flatMap(payout => {
      const step = byPayout.get(payout.id);
      if (step === undefined) return [];
      if (step.step === 'short') return withdrawn.has(payout.id) ? [planAgain(deps, payout, now)] : [];
      return planProgress(deps, payout, step, now) ?? [];
    });
    await writePayouts(tx, deps, changes);
  });
}

/**
 * Plans the payout again: the treasury may pay it from another asset. The canceled transfer has used the attempt's
 * number, and the queue accepts each number once.
 */
function planAgain(deps: Deps, payout: PayoutRow, now: Date): Planned<PayoutRow> {
  return planChange(payoutResource, deps, planned(payout), { set: { attempt: payout.attempt + 1, due_at: now }, now });
}

function planProgress(deps: Deps, payout: PayoutRow, step: OutboundProgress, now: Date): Planned<PayoutRow> | null {
  const start = planned(payout);
  const isQueued = payout.status === 'queued';
  if (step.step === 'sending')
    return isQueued ? planChange(payoutResource, deps, start, { to: 'processing', now }) : null;
  const sending = isQueued ? planChange(payoutResource, deps, start, { to: 'processing', now }) : start;
  const set = { trace: step.reference };
  if (sending.after.status === 'processing') return planChange(payoutResource, deps, sending, { to: 'sent', set, now });
  // A bank adds the payout to a file later, which changes the rail's reference.
  const hasNewTrace = payout.status === 'sent' && payout.trace !== step.reference;
  return hasNewTrace ? planChange(payoutResource, deps, start, { set, now }) : null;
}
