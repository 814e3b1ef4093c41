import { type LedgerTransaction, postAll } from '../../ledger/ledger.store.ts';
import { exchange, move } from '../../ledger/posting.ts';
import type { ClockedOutbound, OutboundFailure, OutboundPurpose } from '../../outbound/outbound.ts';
import type { Tx } from '../../platform/db/database.ts';
import { announceChanges, type NewEvent, recordEvents } from '../../platform/events/outbox.ts';
import { lockPayments } from '../crypto/deposit.store.ts';
import { type ChangedPayment, writeChanges } from '../payment.store.ts';
import { statusOf } from '../payment.ts';
import type { PaymentRow } from '../payment.view.ts';
import { type PaymentChange, planChange } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { returnedPostings, returnOwned } from '../payment-funds.ts';
import { queueAgain, refundEvent, refundPurpose } from './refund.service.ts';
import { lockRefundsOf, type RefundPartRow, type RefundRow, updateRefunds } from './refund.store.ts';

/** Books how the parts of refunds were sent. */
export function createRefundPurpose(deps: PaymentDeps): OutboundPurpose {
  return { name: refundPurpose, book: (tx, ended) => bookRefunds(deps, tx, ended) };
}

/** A refund that is being booked. */
interface OpenRefund {
  refund: RefundRow;
  parts: readonly RefundPartRow[];
  readonly touched: Set<string>;
}

/** Refunds and payments of one merchant as they change, and everything that is written with them. */
interface Booking {
  readonly refunds: ReadonlyMap<string, OpenRefund>;
  readonly payments: Map<string, ChangedPayment>;
  readonly postings: LedgerTransaction[];
  readonly events: NewEvent[];
}

/** Books parts of refunds that were sent or failed. The last part of a refund ends the refund, too. */
async function bookRefunds(deps: PaymentDeps, tx: Tx, ended: readonly ClockedOutbound[]): Promise<void> {
  const booking = await openBooking(tx, ended);
  for (const sent of ended) {
    const open = [...booking.refunds.values()].find(({ parts }) => parts.some(({ id }) => id === sent.resource_id));
    const part = open?.parts.find(({ id }) => id === sent.resource_id);
    if (open === undefined || part?.state !== 'pending') throw new Error(`refund part ${sent.resource_id} is not open`);
    if (!isAddressFault(deps, sent)) bookPart(deps, booking, open, part, sent);
    // Somebody has named another destination meanwhile.
    else if (sent.attempt <= open.refund.directions) await queueAgain(deps, tx, open.refund, [part], sent.clock);
    else awaitDestination(deps, booking, open, part, sent);
  }
  await writeBooking(deps, tx, booking);
}

async function openBooking(tx: Tx, ended: readonly ClockedOutbound[]): Promise<Booking> {
  const merchantId = ended[0]?.merchant_id ?? '';
  const partIds = ended.map(({ resource_id: id }) => id);
  const { refunds, parts } = await lockRefundsOf(tx, merchantId, partIds);
  const paymentIds = [...new Set(refunds.map(({ payment_id: id }) => id))];
  const keys = paymentIds.map(paymentId => ({ merchantId, paymentId }));
  const now = ended[0]?.clock ?? new Date(0);
  const rows = await lockPayments(tx, keys);
  return {
    refunds: new Map(
      refunds.map(refund => [
        refund.id,
        { refund, parts: parts.filter(part => part.refund_id === refund.id), touched: new Set<string>() },
      ]),
    ),
    payments: new Map(rows.map(row => [row.id, { before: row, after: row, events: [], steps: [], now }])),
    postings: [],
    events: [],
  };
}

function isAddressFault({ crypto }: Pick<PaymentDeps, 'crypto'>, sent: ClockedOutbound): boolean {
  const rail = crypto.find(({ chain, livemode }) => chain.id === sent.rail && livemode === sent.livemode);
  return sent.state === 'failed' && (rail?.payees?.isAddressFault(sent.failure_code ?? '') ?? false);
}

function failureOf({ failure_code: code, failure_message: message }: ClockedOutbound): OutboundFailure {
  return { code: code ?? '', message: message ?? '' };
}

/** The money stays reserved, and the payer is asked where it is to go. */
function awaitDestination(
  deps: PaymentDeps,
  booking: Booking,
  open: OpenRefund,
  part: RefundPartRow,
  sent: ClockedOutbound,
): void {
  setPart(open, { ...part, requires_destination: true });
  setRefund(open, { requires_destination: true, ...failureColumns(failureOf(sent)) });
  tell(deps, booking, open, 'refund.requires_destination', sent.clock);
}

function bookPart(
  deps: PaymentDeps,
  booking: Booking,
  open: OpenRefund,
  part: RefundPartRow,
  sent: ClockedOutbound,
): void {
  const { refund } = open;
  const payment = booking.payments.get(refund.payment_id)?.after;
  if (payment === undefined) throw new Error(`payment ${refund.payment_id} is gone`);
  const isSent = sent.state === 'completed';
  const toSuspense = isSent ? 0n : backToSuspense(refund, open.parts, part);
  const returned = returnOwned(payment, isSent ? 0n : part.amount - toSuspense);
  const given = { currency: refund.currency, amount: part.amount };
  const taken = { currency: part.rail_currency, amount: part.rail_amount };
  booking.postings.push({
    ...{ merchantId: refund.merchant_id, livemode: refund.livemode, paymentId: refund.payment_id },
    ...{ refundId: refund.id, kind: isSent ? 'refund_sent' : 'refund_failed', now: sent.clock },
    postings: isSent
      ? exchange('merchant.reserved', given, `clearing.${part.rail}`, taken)
      : [
          ...move('merchant.reserved', 'merchant.suspense', refund.currency, toSuspense),
          ...returnedPostings(returned, 'merchant.reserved', refund.currency),
        ],
  });
  setPart(open, { ...part, state: isSent ? 'completed' : 'failed' });
  if (!isSent) setRefund(open, failureColumns(failureOf(sent)));
  changeBooked(deps, booking, payment, {
    ...counted(payment, refund, part, { isSent, toSuspense, receivable: returned.receivable }, sent.clock),
    now: sent.clock,
  });
  if (open.parts.every(({ state }) => state !== 'pending')) endRefund(deps, booking, open, sent.clock);
}

/**
 * How much of a failed part belongs back in suspense. The merchant's money was sent first, so the parts that fail count
 * as money from suspense up to what was taken from there.
 */
function backToSuspense(refund: RefundRow, parts: readonly RefundPartRow[], failed: RefundPartRow): bigint {
  const failedBefore = parts.filter(part => part.state === 'failed').reduce((sum, part) => sum + part.amount, 0n);
  const upTo = (amount: bigint) => (amount < refund.amount_from_suspense ? amount : refund.amount_from_suspense);
  return upTo(failedBefore + failed.amount) - upTo(failedBefore);
}

/** The payment's sums after the part. A refund of surplus alone leaves the payment's phase as it is. */
function counted(
  payment: PaymentRow,
  refund: RefundRow,
  part: RefundPartRow,
  end: { readonly isSent: boolean; readonly toSuspense: bigint; readonly receivable: bigint },
  now: Date,
): Omit<PaymentChange, 'now'> {
  const isCompleted = statusOf[payment.phase] === 'completed';
  const refunded = payment.amount_refunded + (end.isSent ? part.amount : 0n);
  const isSurplus = refund.amount_from_suspense === refund.amount;
  const to = refunded === payment.amount_received ? 'refunded' : isSurplus ? payment.phase : 'partially_refunded';
  return {
    ...(isCompleted && end.isSent && { to }),
    set: {
      amount_refunding: payment.amount_refunding - part.amount,
      amount_refunded: refunded,
      amount_suspense: payment.amount_suspense + end.toSuspense,
      amount_receivable: payment.amount_receivable - end.receivable,
      ...(isCompleted && !end.isSent && { settlement_due_at: now }),
    },
  };
}

function changeBooked(deps: PaymentDeps, booking: Booking, payment: PaymentRow, change: PaymentChange): void {
  const draft = booking.payments.get(payment.id);
  if (draft === undefined) return;
  const { after, events, step } = planChange(deps, draft.after, change);
  booking.payments.set(payment.id, {
    ...{ before: draft.before, after, now: change.now },
    events: [...draft.events, ...events],
    steps: step === null ? draft.steps : [...draft.steps, step],
  });
}

function endRefund(deps: PaymentDeps, booking: Booking, open: OpenRefund, now: Date): void {
  const { refund, parts } = open;
  const sent = parts.filter(part => part.state === 'completed').reduce((sum, part) => sum + part.amount, 0n);
  const isSent = sent === refund.amount;
  const reason = refund.failure_message ?? 'A part could not be sent.';
  const message = sent === 0n ? reason : `${reason} ${sent} of ${refund.amount} was sent.`;
  setRefund(open, isSent ? { status: 'completed' } : { status: 'failed', failure_message: message });
  tell(deps, booking, open, isSent ? 'refund.completed' : 'refund.failed', now);
}

function failureColumns({ code, message }: OutboundFailure) {
  return { failure_code: code, failure_message: message };
}

function setPart(open: OpenRefund, part: RefundPartRow): void {
  open.parts = open.parts.map(other => (other.id === part.id ? part : other));
  open.touched.add(part.id);
}

function setRefund(open: OpenRefund, columns: Partial<RefundRow>): void {
  open.refund = { ...open.refund, ...columns };
}

function tell(
  deps: PaymentDeps,
  booking: Booking,
  open: OpenRefund,
  type: Parameters<typeof refundEvent>[2],
  now: Date,
): void {
  setRefund(open, { event_sequence: open.refund.event_sequence + 1 });
  booking.events.push(refundEvent(deps, open.refund, type, now));
}

async function writeBooking(deps: PaymentDeps, tx: Tx, booking: Booking): Promise<void> {
  const touched = [...booking.refunds.values()].filter(open => open.touched.size > 0);
  await updateRefunds(tx, {
    refunds: touched.map(({ refund }) => refund),
    parts: touched.flatMap(open => open.parts.filter(({ id }) => open.touched.has(id))),
  });
  await postAll(tx, booking.postings);
  const changed = [...booking.payments.values()].filter(({ before, after }) => before !== after);
  await writeChanges(tx, deps, changed, [
    ...(['amount_refunding', 'amount_refunded', 'amount_suspense', 'amount_receivable'] as const),
    'settlement_due_at',
  ]);
  await recordEvents(tx, booking.events);
  // One notice wakes the dispatcher, and the payments have given theirs.
  const notices = booking.events.map(({ merchantId, resourceId }) => ({ merchantId, resourceId }));
  if (changed.length === 0 && notices.length > 0) await announceChanges(tx, notices);
}
