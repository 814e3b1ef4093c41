import type { CreateRefund } from '../../../api/refund.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { takeWayOut } from '../../approvals/approval.service.ts';
import type { Valuer } from '../../approvals/approval.ts';
import { moneyText } from '../../ledger/balance-money.ts';
import { move } from '../../ledger/posting.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import type { Tx } from '../../platform/db/database.ts';
import { insertOf } from '../../platform/db/rows.ts';
import { creationEvents } from '../../platform/events/change.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { keyOf } from '../payment.store.ts';
import { statusOf } from '../payment.ts';
import { refundToWire } from '../payment.view.ts';
import { type Booking, planPaymentChange, unchangedPayment, writePaymentChanges } from '../payment-change.ts';
import { deductFromMerchant } from '../payment-deduction.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { refundableOf, type Taken, takenPostings } from '../payment-funds.ts';
import type { ChangeContext } from '../payment-purpose.ts';
import type { PaymentRow, RefundPartRow, RefundRow } from '../tables.ts';
import { lockRefund, refundableTransfers, saveDestination } from './refund.store.ts';
import { type RefundableTransfer, type RefundShare, readDestination, shareRefund } from './refund.ts';
import { assertSendable, limitsBack, wayBack } from './way-back.ts';

/** The purpose of outbound transfers that pay refunds. Their resource id is the id of a refund part. */
export const refundPurpose = 'refund';

/** A refund to start for a locked payment. */
export interface RefundStart {
  readonly payment: PaymentRow;
  readonly request: CreateRefund;
  /** Refund only money that waits for a decision (suspense). Default: the merchant's money first, then suspense. */
  readonly suspenseOnly?: boolean;
  /** Who asks, with the rates to the account's limit. Absent: the service refunds on its own. */
  readonly asking?: { readonly caller: Caller; readonly valuer: Valuer | null };
  readonly now: Date;
}

type RefundContext = Pick<PaymentDeps, 'crypto' | 'rails' | 'outbound' | keyof ChangeContext>;

/**
 * Starts a refund: reserves the money and queues the transfers. Throws `illegal_state` if nothing can be refunded,
 * `refund_exceeds_payment`, `invalid_amount` below the smallest unit of the received money, and the errors of
 * `readDestination`. Call `outbound.wake` after the commit.
 */
export async function startRefund(tx: Tx, context: RefundContext, start: RefundStart): Promise<RefundRow> {
  const draft = draftRefund(context, start, await refundableTransfers(tx, keyOf(start.payment)));
  const status = (await mustWait(tx, start, draft)) ? 'awaiting_approval' : 'pending';
  const taken = await deductFromMerchant(tx, draft);
  return await writeRefund(tx, context, { ...draft, taken, refund: { ...draft.refund, status } });
}

/**
 * Whether another person must approve the refund: it goes to a destination that the caller names, or that a person with
 * the refund's page will name, or its money left for another address than the account's.
 */
async function mustWait(tx: Tx, { asking }: RefundStart, draft: RefundDraft): Promise<boolean> {
  if (asking === undefined || !isWayOut(draft, asking.caller)) return false;
  const { caller, valuer } = asking;
  const { id: objectId, amount, currency } = draft.refund;
  const summary = `Refund of ${moneyText({ amount, currency })} to ${whereTo(draft)}`;
  const worth = valuer?.([{ amount, currency }]) ?? null;
  return await takeWayOut(tx, caller, { kind: 'refund', objectId, summary, worth });
}

function whereTo({ refund }: RefundDraft): string {
  const unnamed = refund.requires_destination ? 'an address that the payer enters' : 'the payer';
  return refund.destination?.['address'] ?? unnamed;
}

function isWayOut({ payment, refund }: RefundDraft, { merchant }: Caller): boolean {
  // A payment settled in a currency was paid to the account's own destination.
  const isElsewhere = !payment.settlement_in_fiat && payment.settlement_address !== merchant.stellarAddress;
  const hasLeft = payment.amount_settled + payment.amount_settling > 0n;
  return (isElsewhere && hasLeft) || refund.destination !== null || refund.requires_destination;
}

/** A checked refund. `amount`: the part of the merchant's own money. */
interface RefundDraft {
  readonly payment: PaymentRow;
  readonly amount: bigint;
  readonly refund: RefundRow;
  readonly parts: readonly PlannedPart[];
  readonly now: Date;
}

type PlannedPart = RefundShare & { readonly part: Omit<RefundPartRow, 'state'> };

interface PlannedRefund extends RefundDraft {
  readonly taken: Taken;
}

function draftRefund(
  context: Pick<PaymentDeps, 'crypto' | 'rails'>,
  { payment, request, now, suspenseOnly = false }: RefundStart,
  transfers: readonly RefundableTransfer[],
): RefundDraft {
  const most = suspenseOnly ? payment.amount_suspense : refundableOf(payment);
  if (statusOf[payment.phase] === 'pending' || most === 0n) {
    throw new PayError('illegal_state', nothingToRefund(payment));
  }
  const amount = request.amount === undefined ? most : BigInt(request.amount);
  const param = { param: 'amount' };
  if (amount > most) {
    throw new PayError('refund_exceeds_payment', `At most ${most} of this payment can be refunded.`, param);
  }
  const { livemode } = payment;
  const limitsOf = (transfer: RefundableTransfer) => limitsBack(context, { ...transfer, livemode });
  const shares = shareRefund(amount, transfers, transfer => limitsOf(transfer).step);
  if (shares === null) {
    const message = 'This is less than the smallest unit of the received money. Refund more.';
    throw new PayError('invalid_amount', message, param);
  }
  for (const share of shares) assertSendable(share, limitsOf(share.transfer), { payment, request });
  const rails = shares.flatMap(({ transfer }) => (transfer.isOnChain ? transfer.rail : []));
  const destination = request.destination && readOnChains(context, payment.livemode, rails, request.destination);
  const owned = most - payment.amount_suspense;
  const fromSuspense = suspenseOnly ? amount : amount > owned ? amount - owned : 0n;
  const draft = { ...newRefund(payment, request, amount, fromSuspense, now), destination: destination ?? null };
  const parts = shares.map(share => ({ ...share, part: newPart(draft, share, destination) }));
  const refund = { ...draft, requires_destination: parts.some(({ part }) => part.requires_destination) };
  return { payment, amount: amount - fromSuspense, refund, parts, now };
}

/** Writes a planned refund of a locked payment. */
async function writeRefund(tx: Tx, context: RefundContext, plan: PlannedRefund): Promise<RefundRow> {
  const { refund, now } = plan;
  const ready = plan.parts.flatMap(({ part, transfer }) =>
    part.requires_destination || refund.status === 'awaiting_approval'
      ? []
      : [outboundOf(context, refund, part, transfer, now)],
  );
  const parts = plan.parts.map(({ part }) => part);
  await writePaymentChanges(tx, context, [paymentPlan(context, plan)], {
    writes: [
      await insertOf(tx, 'refunds', [refund]),
      await insertOf(tx, 'refund_parts', parts),
      await context.outbound.queueing(tx, ready),
    ],
    events: creationEvents({ toWire: refundToWire }, context, 'refund.created', [refund]),
  });
  return refund;
}

function paymentPlan(context: ChangeContext, { payment, refund, taken, now }: PlannedRefund) {
  const suspense = payment.amount_suspense - refund.amount_from_suspense;
  // The refund takes all suspense money, so no decision remains. Money in a wrong asset needs a separate decision.
  const isDecided = suspense === 0n && refund.amount_from_suspense > 0n && payment.exception !== 'wrong_asset';
  return planPaymentChange(context, unchangedPayment(payment, now), {
    set: {
      ...(isDecided && { exception: null }),
      amount_refunding: payment.amount_refunding + refund.amount,
      amount_suspense: suspense,
      amount_available: payment.amount_available - taken.available,
      amount_receivable: payment.amount_receivable + taken.receivable,
    },
    bookings: [reservation(refund, taken)],
    now,
  });
}

function reservation(refund: RefundRow, taken: Taken): Booking {
  const postings = [
    ...takenPostings(taken, 'merchant.reserved', refund.currency),
    ...move('merchant.suspense', 'merchant.reserved', refund.currency, refund.amount_from_suspense),
  ];
  return { kind: 'refund', refundId: refund.id, postings };
}

function newRefund(payment: PaymentRow, request: CreateRefund, amount: bigint, fromSuspense: bigint, now: Date) {
  return {
    merchant_id: payment.merchant_id,
    id: newId('refund'),
    payment_id: payment.id,
    livemode: payment.livemode,
    amount,
    currency: payment.currency,
    status: 'pending' as RefundRow['status'],
    amount_from_suspense: fromSuspense,
    reason: request.reason ?? null,
    metadata: request.metadata ?? {},
    failure_code: null,
    failure_message: null,
    directions: 0,
    tx_hash: null,
    event_sequence: 1,
    created_at: now,
  };
}

function nothingToRefund(payment: PaymentRow): string {
  if (payment.amount_disputed > 0n) {
    return 'All that is left of this payment is disputed. The bank of the card has already taken it back for the payer.';
  }
  return payment.amount_direct > 0n
    ? 'This payment was paid straight into your own account. Send the refund from that account.'
    : 'This payment has no money left to refund.';
}

/** Reads the destination by the rules of the refund's chains. Returns it in canonical form. */
function readOnChains(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  livemode: boolean,
  rails: readonly string[],
  destination: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const used = crypto.filter(({ chain, livemode: mode }) => mode === livemode && rails.includes(chain.id));
  return used.reduce((read, { chain }) => readDestination(chain, read, 'destination'), destination);
}

/** The part of a refund for one transfer. If the chain does not know the sender, the part waits for a destination. */
function newPart(
  refund: ReturnType<typeof newRefund>,
  { transfer, amount, railAmount }: RefundShare,
  destination: CreateRefund['destination'],
) {
  return {
    merchant_id: refund.merchant_id,
    refund_id: refund.id,
    id: newId('refund'),
    transfer_id: transfer.id,
    rail: transfer.rail,
    amount,
    rail_amount: railAmount,
    rail_currency: transfer.currency,
    state: 'pending' as const,
    requires_destination: transfer.isOnChain && transfer.sender === null && destination === undefined,
    tx_hash: null,
    created_at: refund.created_at,
  };
}

/** The outbound transfer for a part. Throws the error of `wayBack`. */
function outboundOf(
  context: Pick<PaymentDeps, 'rails'>,
  refund: RefundRow,
  part: Omit<RefundPartRow, 'state'>,
  transfer: RefundableTransfer,
  now: Date,
): NewOutbound {
  const { livemode } = refund;
  return {
    merchantId: part.merchant_id,
    livemode,
    now,
    purpose: refundPurpose,
    resourceId: part.id,
    attempt: refund.directions + 1,
    ...wayBack(context, { ...transfer, livemode }, refund.destination),
    asset: part.rail_currency,
    amount: part.rail_amount,
    source: null,
    value: part.amount,
    valueCurrency: refund.currency,
  };
}

/**
 * Stores the payer's destination for a refund that waits for one, and queues the refund. Throws the errors of
 * `readDestination`, and `illegal_state` if the refund needs no destination.
 */
export async function sendRefundTo(
  tx: Tx,
  deps: Pick<PaymentDeps, 'crypto' | 'rails' | 'outbound'>,
  key: { readonly merchantId: string; readonly refundId: string },
  destination: Readonly<Record<string, string>>,
  now: Date,
): Promise<void> {
  const { refund, parts } = await lockRefund(tx, key.merchantId, key.refundId);
  const waiting = parts.filter(part => part.state === 'pending' && part.requires_destination);
  const rails = waiting.map(({ rail }) => rail);
  const directed = await saveDestination(tx, refund, readOnChains(deps, refund.livemode, rails, destination));
  if (directed === null || refund.status !== 'pending') {
    throw new PayError('illegal_state', 'This refund does not wait for an address.');
  }
  await queueAgain(deps, tx, directed, waiting, now);
}

/** Queues parts of a refund again, to its newest destination. */
export async function queueAgain(
  deps: Pick<PaymentDeps, 'rails' | 'outbound'>,
  tx: Tx,
  refund: RefundRow,
  parts: readonly RefundPartRow[],
  now: Date,
): Promise<void> {
  const { merchant_id: merchantId, payment_id: paymentId } = refund;
  const transfers = await refundableTransfers(tx, { merchantId, paymentId });
  const queued = parts.flatMap(part => {
    const transfer = transfers.find(({ id }) => id === part.transfer_id);
    return transfer === undefined ? [] : [outboundOf(deps, refund, part, transfer, now)];
  });
  await deps.outbound.queue(tx, queued);
}
