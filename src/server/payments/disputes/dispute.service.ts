import type { DisputeOutcome, SubmitEvidence } from '../../../api/disputes/dispute.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow, createRows } from '../../platform/events/change.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import type { CardRail } from '../../rails/card-rail.ts';
import { cardRailNamed } from '../../rails/rails.ts';
import { claimAtRails, lockPayment, type PaymentKey } from '../payment.store.ts';
import { changePayment, type PaymentChange } from '../payment-change.ts';
import { deductFromMerchant } from '../payment-deduction.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { returnedPostings, returnOwned, takenPostings } from '../payment-funds.ts';
import type { PaymentRow } from '../tables.ts';
import { dueDisputes, findReported, lockDispute, moveDispute } from './dispute.store.ts';
import { type DisputeRow, disputeResource, disputeToWire } from './dispute.ts';

/** A dispute reported by the rail. `amount` is in minor units. `railReference` identifies the dispute. */
interface DisputeReport {
  readonly railReference: string;
  readonly rail: string;
  readonly amount: bigint;
  readonly reason: string;
  /** Until when the merchant may answer. */
  readonly evidenceDueAt: Date;
}

/**
 * Books a dispute of a completed payment, and takes the disputed amount from the merchant. A repeated report changes
 * nothing. Throws `illegal_state` for an incomplete payment, or if the amount exceeds the undisputed money.
 */
export async function openDispute(
  deps: PaymentDeps,
  tx: Tx,
  key: PaymentKey,
  report: DisputeReport,
  now: Date,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, key);
  const { amount } = report;
  if ((await findReported(tx, key.merchantId, report)) !== null) return payment;
  assertDisputable(payment, amount);
  const dispute = newDispute(payment, report, now);
  const taken = await deductFromMerchant(tx, { payment, amount, now });
  await createRows(tx, disputeResource, deps, 'dispute.created', [dispute]);
  return await changePayment(tx, deps, payment, {
    set: {
      amount_disputed: payment.amount_disputed + amount,
      amount_available: payment.amount_available - taken.available,
      amount_receivable: payment.amount_receivable + taken.receivable,
    },
    events: [{ type: 'payment.disputed', fields: { dispute: disputeToWire(dispute) } }],
    bookings: [{ kind: 'dispute', postings: takenPostings(taken, `clearing.${report.rail}`, payment.currency) }],
    now,
  });
}

/**
 * Throws `illegal_state` unless the payment received the amount and it is not disputed yet. Refunded money can be
 * disputed: the card's bank takes it a second time, until it decides.
 */
export function assertDisputable(payment: PaymentRow, amount: bigint): void {
  const { completed_at: completedAt, amount_received: received, amount_disputed: disputed } = payment;
  if (completedAt !== null && amount <= received - disputed) return;
  throw new PayError('illegal_state', 'Only an amount that was paid by card and is not disputed can be disputed.');
}

function newDispute(payment: PaymentRow, report: DisputeReport, now: Date): DisputeRow {
  const { merchant_id, livemode, id: payment_id, currency } = payment;
  const { amount, reason, rail, railReference: rail_reference, evidenceDueAt: evidence_due_at } = report;
  return {
    merchant_id,
    id: newId('dispute'),
    livemode,
    payment_id,
    amount,
    currency,
    reason,
    rail,
    rail_reference,
    status: 'needs_response',
    outcome: null,
    evidence: null,
    evidence_due_at,
    evidence_submitted_at: null,
    due_at: evidence_due_at,
    closed_at: null,
    event_sequence: 1,
    version: 0,
    created_at: now,
  };
}

type RailDeps = Pick<PaymentDeps, 'rails'>;

/** Throws `illegal_state` unless the merchant may still answer the dispute. */
export function assertAnswerable({ status, evidence_due_at: until }: DisputeRow, now: Date): void {
  if (status === 'under_review') throw new PayError('illegal_state', 'The bank already has your evidence.');
  if (status === 'closed') throw new PayError('illegal_state', 'The dispute is closed.');
  if (until <= now) throw new PayError('illegal_state', 'The deadline for evidence has passed.');
}

/** Sends evidence to the rail, before the evidence is stored. The rail treats repeated calls as one call. */
export async function sendEvidence(deps: RailDeps, dispute: DisputeRow, evidence: SubmitEvidence, now: Date) {
  await cardRailNamed(deps.rails, dispute.rail).submitEvidence({ dispute: dispute.rail_reference, evidence, now });
}

/**
 * Tells the rail that the merchant accepts the loss, and returns the outcome. The rail ignores this if it already has
 * evidence, for example of a call whose answer was lost. Throws `illegal_state` while the rail examines evidence.
 */
export async function sendAcceptance(deps: RailDeps, dispute: DisputeRow, now: Date): Promise<DisputeOutcome> {
  const rail = cardRailNamed(deps.rails, dispute.rail);
  await rail.acceptDispute({ dispute: dispute.rail_reference, now });
  const outcome = await outcomeAt(rail, dispute, now);
  if (outcome !== 'open') return outcome;
  throw new PayError('illegal_state', 'The bank already has evidence of this dispute. Wait for its outcome.');
}

async function outcomeAt(rail: CardRail, { rail_reference: reference }: DisputeRow, now: Date) {
  const known = await rail.findDispute(reference, now);
  if (known === null) throw new Error(`the card rail ${rail.id} does not know its dispute ${reference}`);
  return known.outcome;
}

/** Seconds between two questions about the outcome. */
const askAgainSeconds = 30;

/** Stores the evidence that the rail has received. */
export async function bookEvidence(
  deps: PaymentDeps,
  tx: Tx,
  { merchant_id, id }: DisputeRow,
  evidence: SubmitEvidence,
  now: Date,
): Promise<DisputeRow> {
  const dispute = await lockDispute(tx, merchant_id, id);
  if (dispute.status === 'under_review') return dispute;
  const set = { evidence, evidence_submitted_at: now, due_at: addSeconds(now, askAgainSeconds) };
  return await changeRow(tx, disputeResource, deps, dispute, { to: 'under_review', set, now });
}

/**
 * Closes a dispute. The amount of a won dispute returns to the merchant: it pays the merchant's debt first, and the
 * rest is settled. Does not change a closed dispute.
 */
export async function closeDispute(
  deps: PaymentDeps,
  tx: Tx,
  { merchant_id: merchantId, payment_id: paymentId, id }: DisputeRow,
  outcome: DisputeOutcome,
  now: Date,
): Promise<DisputeRow> {
  const payment = await lockPayment(tx, { merchantId, paymentId });
  const dispute = await lockDispute(tx, merchantId, id);
  if (dispute.status === 'closed') return dispute;
  const set = { outcome, closed_at: now, due_at: null };
  const closed = await changeRow(tx, disputeResource, deps, dispute, { to: 'closed', set, now });
  if (outcome === 'won') await changePayment(tx, deps, payment, returnOf(payment, dispute, now));
  return closed;
}

function returnOf(payment: PaymentRow, { amount, rail, currency }: DisputeRow, now: Date): PaymentChange {
  const returned = returnOwned(payment, amount);
  return {
    set: {
      amount_disputed: payment.amount_disputed - amount,
      amount_receivable: payment.amount_receivable - returned.receivable,
      settlement_due_at: now,
    },
    bookings: [{ kind: 'dispute_won', postings: returnedPostings(returned, `clearing.${rail}`, currency) }],
    now,
  };
}

/** Disputes that one run asks about. */
const mostAtOnce = 100;

/** Asks the rails for the outcomes of disputes that are due. Returns their number. */
export async function followDisputes(deps: PaymentDeps): Promise<number> {
  const rails = deps.rails.cards.map(({ id }) => id);
  const due = await claimAtRails<DisputeRow>(deps.db, dueDisputes, { rails, now: deps.clock.now(), limit: mostAtOnce });
  await runEach(due, async dispute => {
    const { clock: now } = dispute;
    const outcome = await outcomeAt(cardRailNamed(deps.rails, dispute.rail), dispute, now);
    if (outcome === 'open') return await moveDispute(deps.db, dispute, addSeconds(now, askAgainSeconds));
    await deps.db.transaction().execute(tx => closeDispute(deps, tx, dispute, outcome, now));
  });
  return due.length;
}
