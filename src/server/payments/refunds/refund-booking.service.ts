import type { PaymentException } from '../../../api/payment.ts';
import type { Refund } from '../../../api/refund.ts';
import { PayError } from '../../../core/error.ts';
import { defineMachine } from '../../../core/machine.ts';
import { least, sumOf } from '../../../core/money.ts';
import { approve } from '../../approvals/approval.service.ts';
import { type ApprovalPurpose, canceledFailure, notWaiting } from '../../approvals/approval.ts';
import { exchange, move } from '../../ledger/posting.ts';
import type { ClockedOutbound, OutboundPurpose } from '../../outbound/outbound.ts';
import type { Tx } from '../../platform/db/database.ts';
import {
  type Change,
  changeRow,
  type Planned,
  planChange,
  planned,
  type Resource,
  writeChanges,
} from '../../platform/events/change.ts';
import { lockPayments } from '../payment.store.ts';
import { statusOf } from '../payment.ts';
import { refundToWire, type ViewContext } from '../payment.view.ts';
import {
  type PaymentChange,
  type PlannedPayment,
  planPaymentChange,
  unchangedPayment,
  writePaymentChanges,
} from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { returnedPostings, returnOwned } from '../payment-funds.ts';
import type { PaymentRow, RefundPartRow, RefundRow } from '../tables.ts';
import { queueAgain, refundPurpose } from './refund.service.ts';
import { lockRefund, lockRefundsOf, updateParts } from './refund.store.ts';

/** The purpose of outbound transfers that pay refunds. */
export function createRefundPurpose(deps: PaymentDeps): OutboundPurpose {
  return { name: refundPurpose, book: (tx, ended) => bookRefunds(deps, tx, ended) };
}

const refunds: Resource<RefundRow, RefundRow['status'], ViewContext, Refund> = {
  table: 'refunds',
  machine: defineMachine<RefundRow['status']>({
    awaiting_approval: ['pending', 'failed'],
    pending: ['completed', 'failed'],
    completed: [],
    failed: [],
  }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => new PayError('illegal_state', `The refund is ${status} and cannot become ${to}.`),
  eventOf: (_from, to) => {
    if (to === 'pending') return 'refund.approved';
    return to === 'completed' ? 'refund.completed' : 'refund.failed';
  },
  toWire: refundToWire,
  keepsTransitions: false,
};

/** Approvals of refunds whose destination is not the sender's. */
export function refundApprovals(deps: PaymentDeps): ApprovalPurpose {
  const lockWaiting = async (tx: Tx, merchantId: string, refundId: string) => {
    const found = await lockRefund(tx, merchantId, refundId);
    if (found.refund.status !== 'awaiting_approval') throw notWaiting();
    return found;
  };
  return {
    kind: 'refund',
    prepare: async (_, refundId) => async (tx, caller) => {
      const { refund, parts } = await lockWaiting(tx, caller.merchant.id, refundId);
      await approve(tx, caller, refundId);
      const approved = await changeRow(tx, refunds, deps, refund, { to: 'pending', now: caller.now });
      const ready = parts.filter(part => !part.requires_destination);
      await queueAgain(deps, tx, approved, ready, caller.now);
    },
    cancel: async (tx, caller, refundId) => {
      const { parts } = await lockWaiting(tx, caller.merchant.id, refundId);
      const { merchant, livemode, now: clock } = caller;
      const ended = parts.map(({ id, rail }) => ({
        merchant_id: merchant.id,
        resource_id: id,
        livemode,
        rail,
        attempt: 1,
        state: 'failed' as const,
        clock,
        ...canceledFailure,
        reference: null,
      }));
      await bookRefunds(deps, tx, ended);
    },
    wake: () => deps.outbound.wake(),
  };
}

type Ending = 'merchant_id' | 'resource_id' | 'livemode' | 'rail' | 'attempt' | 'state' | 'clock' | 'reference';

/** The outcome of sending a part of a refund. */
type EndedPart = Pick<ClockedOutbound, Ending | 'failure_code' | 'failure_message'>;

/** The planned refund and parts during the booking. */
interface OpenRefund {
  plan: Planned<RefundRow>;
  parts: readonly RefundPartRow[];
  readonly touched: Set<string>;
}

/** The planned refunds and payments of one merchant during the booking. */
interface Booking {
  readonly refunds: ReadonlyMap<string, OpenRefund>;
  readonly payments: Map<string, PlannedPayment>;
}

/** Books parts of refunds that were sent or failed. The last part also ends its refund. */
async function bookRefunds(deps: PaymentDeps, tx: Tx, ended: readonly EndedPart[]): Promise<void> {
  const booking = await openBooking(tx, ended);
  for (const sent of ended) {
    const open = [...booking.refunds.values()].find(({ parts }) => parts.some(({ id }) => id === sent.resource_id));
    const part = open?.parts.find(({ id }) => id === sent.resource_id);
    if (open === undefined || part?.state !== 'pending') throw new Error(`refund part ${sent.resource_id} is not open`);
    if (!isAddressFault(deps, sent)) bookPart(deps, booking, open, part, sent);
    // The payer has entered another destination since this attempt, so the part is queued again.
    else if (sent.attempt <= open.plan.after.directions) {
      await queueAgain(deps, tx, open.plan.after, [part], sent.clock);
    } else awaitDestination(deps, open, part, sent);
  }
  await writeBooking(deps, tx, booking);
}

async function openBooking(tx: Tx, ended: readonly EndedPart[]): Promise<Booking> {
  const merchantId = ended[0]?.merchant_id ?? '';
  const partIds = ended.map(({ resource_id: id }) => id);
  const { refunds: rows, parts } = await lockRefundsOf(tx, merchantId, partIds);
  const paymentIds = new Set(rows.map(({ payment_id: id }) => id));
  const payments = await lockPayments(
    tx,
    [...paymentIds].map(paymentId => ({ merchantId, paymentId })),
  );
  const now = ended[0]?.clock ?? new Date(0);
  const opened = rows.map(refund => {
    const own = parts.filter(part => part.refund_id === refund.id);
    return [refund.id, { plan: planned(refund), parts: own, touched: new Set<string>() }] as const;
  });
  return {
    refunds: new Map(opened),
    payments: new Map(payments.map(payment => [payment.id, unchangedPayment(payment, now)])),
  };
}

function isAddressFault(deps: Pick<PaymentDeps, 'crypto'>, sent: EndedPart): boolean {
  return sent.state === 'failed' && (chainOf(deps, sent)?.payees?.isAddressFault(sent.failure_code ?? '') ?? false);
}

/** The chain that the transfer was sent on, or undefined for a card or bank. */
function chainOf({ crypto }: Pick<PaymentDeps, 'crypto'>, sent: EndedPart) {
  return crypto.find(({ chain, livemode }) => chain.id === sent.rail && livemode === sent.livemode);
}

/** Keeps the money reserved, and asks the payer for another destination. */
function awaitDestination(deps: PaymentDeps, open: OpenRefund, part: RefundPartRow, sent: EndedPart): void {
  const { failure_code, failure_message, clock: now } = sent;
  setPart(open, { ...part, requires_destination: true });
  const set = { requires_destination: true, failure_code, failure_message };
  changeRefund(deps, open, { set, events: ['refund.requires_destination'], now });
}

function bookPart(deps: PaymentDeps, booking: Booking, open: OpenRefund, part: RefundPartRow, sent: EndedPart): void {
  const { failure_code, failure_message, clock: now } = sent;
  const refund = open.plan.after;
  const plan = booking.payments.get(refund.payment_id);
  if (plan === undefined) throw new Error(`payment ${refund.payment_id} does not exist`);
  const payment = plan.after;
  const isSent = sent.state === 'completed';
  const toSuspense = isSent ? 0n : backToSuspense(refund, open.parts, part);
  const returned = returnOwned(payment, isSent ? 0n : part.amount - toSuspense);
  const given = { currency: refund.currency, amount: part.amount };
  const taken = { currency: part.rail_currency, amount: part.rail_amount };
  const postings = isSent
    ? exchange('merchant.reserved', given, `clearing.${part.rail}`, taken)
    : [
        ...move('merchant.reserved', 'merchant.suspense', refund.currency, toSuspense),
        ...returnedPostings(returned, 'merchant.reserved', refund.currency),
      ];
  const hash = isSent && chainOf(deps, sent) !== undefined ? { tx_hash: sent.reference } : {};
  setPart(open, { ...part, ...hash, state: isSent ? 'completed' : 'failed' });
  const change = {
    ...counted(payment, refund, part, { isSent, toSuspense, receivable: returned.receivable }, now),
    bookings: [{ kind: isSent ? 'refund_sent' : 'refund_failed', refundId: refund.id, postings }],
    now,
  };
  booking.payments.set(payment.id, planPaymentChange(deps, plan, change));
  const set = isSent ? hash : { failure_code, failure_message };
  if (open.parts.every(({ state }) => state !== 'pending')) endRefund(deps, open, set, now);
  else changeRefund(deps, open, { set, now });
}

/**
 * The amount of a failed part that returns to suspense. A refund sends the merchant's money first and suspense money
 * last. Failed parts therefore count as suspense money, up to the refund's amount from suspense.
 */
function backToSuspense(refund: RefundRow, parts: readonly RefundPartRow[], failed: RefundPartRow): bigint {
  const failedBefore = sumOf(parts.filter(part => part.state === 'failed').map(part => part.amount));
  const upTo = (amount: bigint) => least(amount, refund.amount_from_suspense);
  return upTo(failedBefore + failed.amount) - upTo(failedBefore);
}

/**
 * The payment's phase and amounts after the part. A refund of only suspense money does not change the phase, unless all
 * received money is then refunded.
 */
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
      ...(end.toSuspense > 0n && { exception: payment.exception ?? exceptionAgain(payment) }),
      amount_receivable: payment.amount_receivable - end.receivable,
      ...(isCompleted && !end.isSent && { settlement_due_at: now }),
    },
  };
}

/** The exception of a payment after its refund failed. The payment's money waits for a decision again. */
function exceptionAgain({ phase, amount, amount_received: received }: PaymentRow): PaymentException {
  if (statusOf[phase] !== 'failed') return 'overpaid';
  return received < amount ? 'underpaid' : 'paid_late';
}

/** Ends a refund after its last part. `set`: the columns that the last part changes. */
function endRefund(deps: PaymentDeps, open: OpenRefund, set: Partial<RefundRow>, now: Date): void {
  const refund = { ...open.plan.after, ...set };
  const sent = sumOf(open.parts.filter(part => part.state === 'completed').map(part => part.amount));
  const reason = refund.failure_message ?? 'A part could not be sent.';
  const failure_message = sent === 0n ? reason : `${reason} ${sent} of ${refund.amount} was sent.`;
  const isComplete = sent === refund.amount;
  changeRefund(
    deps,
    open,
    isComplete ? { to: 'completed', set, now } : { to: 'failed', set: { ...set, failure_message }, now },
  );
}

function setPart(open: OpenRefund, part: RefundPartRow): void {
  open.parts = open.parts.map(other => (other.id === part.id ? part : other));
  open.touched.add(part.id);
}

function changeRefund(deps: PaymentDeps, open: OpenRefund, change: Change<RefundRow, RefundRow['status']>): void {
  open.plan = planChange(refunds, deps, open.plan, change);
}

async function writeBooking(deps: PaymentDeps, tx: Tx, booking: Booking): Promise<void> {
  const open = [...booking.refunds.values()];
  const parts = open.flatMap(refund => refund.parts.filter(({ id }) => refund.touched.has(id)));
  await updateParts(tx, parts);
  const isChanged = ({ before, after }: Planned<object>) => before !== after;
  await writeChanges(tx, refunds, open.map(({ plan }) => plan).filter(isChanged));
  await writePaymentChanges(tx, deps, [...booking.payments.values()].filter(isChanged));
}
