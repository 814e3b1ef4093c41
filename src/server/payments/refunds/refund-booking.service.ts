import type { PaymentException, PaymentPhase } from '../../../api/payment.ts';
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
import { type Returned, returnedPostings, returnOwned } from '../payment-funds.ts';
import type { PaymentRow, RefundPartRow, RefundRow } from '../tables.ts';
import { queueAgain, refundPurpose } from './refund.service.ts';
import { lockRefund, lockRefundsOf, updateParts } from './refund.store.ts';

/** The purpose of outbound transfers that pay refunds. */
export function createRefundPurpose(deps: PaymentDeps): OutboundPurpose {
  return {
    name: refundPurpose,
    book: (tx, ended) => bookRefunds(deps, tx, ended),
    takeBack: (tx, returned) =>
      bookRefunds(
        deps,
        tx,
        returned.map(({ row, code, message }) => {
          return { ...row, state: 'returned', failure_code: code, failure_message: message };
        }),
      ),
  };
}

const refunds: Resource<RefundRow, RefundRow['status'], ViewContext, Refund> = {
  table: 'refunds',
  machine: defineMachine<RefundRow['status']>({
    awaiting_approval: ['pending', 'failed'],
    pending: ['completed', 'failed'],
    // The rail may give the money back later.
    completed: ['failed'],
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
    prepare:
      async (_, { id, object_id: refundId }) =>
      async (tx, caller) => {
        const { refund, parts } = await lockWaiting(tx, caller.merchant.id, refundId);
        await approve(tx, caller, id);
        const approved = await changeRow(tx, refunds, deps, refund, { to: 'pending', now: caller.now });
        const ready = parts.filter(part => !part.requires_destination);
        await queueAgain(deps, tx, approved, ready, caller.now);
      },
    cancel: async (tx, caller, { object_id: refundId }) => {
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

type Ending = 'merchant_id' | 'resource_id' | 'livemode' | 'rail' | 'attempt' | 'clock' | 'reference';

/** The outcome of sending a part of a refund. `returned`: it was sent, and the rail has given the money back. */
type EndedPart = Pick<ClockedOutbound, Ending | 'failure_code' | 'failure_message'> & {
  readonly state: ClockedOutbound['state'] | 'returned';
};

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

/** Books parts of refunds that were sent, failed or came back. The last part also ends its refund. */
async function bookRefunds(deps: PaymentDeps, tx: Tx, ended: readonly EndedPart[]): Promise<void> {
  const booking = await openBooking(tx, ended);
  for (const sent of ended) {
    const open = [...booking.refunds.values()].find(({ parts }) => parts.some(({ id }) => id === sent.resource_id));
    const part = open?.parts.find(({ id }) => id === sent.resource_id);
    const expected = sent.state === 'returned' ? 'completed' : 'pending';
    if (open === undefined || part?.state !== expected) {
      throw new Error(`refund part ${sent.resource_id} is not ${expected}`);
    }
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
  const end = endOf(sent);
  const isSent = end === 'completed';
  const toSuspense = isSent ? 0n : backToSuspense(refund, open.parts, part);
  const restored = { toSuspense, ...returnOwned(payment, isSent ? 0n : part.amount - toSuspense) };
  const hash = isSent && chainOf(deps, sent) !== undefined ? { tx_hash: sent.reference } : {};
  setPart(open, { ...part, ...hash, state: isSent ? 'completed' : 'failed' });
  const change = {
    ...counted(payment, refund, part, { end, ...restored }, now),
    bookings: [{ ...bookingOf(refund, part, { end, ...restored }), refundId: refund.id }],
    now,
  };
  booking.payments.set(payment.id, planPaymentChange(deps, plan, change));
  const set = isSent ? hash : { failure_code, failure_message };
  if (open.parts.every(({ state }) => state !== 'pending')) endRefund(deps, open, set, now);
  else changeRefund(deps, open, { set, now });
}

type PartEnd = 'completed' | 'failed' | 'returned';

function endOf({ state }: EndedPart): PartEnd {
  return state === 'completed' || state === 'returned' ? state : 'failed';
}

/** How a part ended, and where its money is then: with the payer, in suspense, or with the merchant. */
interface PartOutcome extends Returned {
  readonly end: PartEnd;
  readonly toSuspense: bigint;
}

function bookingOf(refund: RefundRow, part: RefundPartRow, { end, toSuspense, ...returned }: PartOutcome) {
  const own = { currency: refund.currency, amount: part.amount };
  const railMoney = { currency: part.rail_currency, amount: part.rail_amount };
  const clearing = `clearing.${part.rail}` as const;
  const restored = [
    ...move('merchant.reserved', 'merchant.suspense', refund.currency, toSuspense),
    ...returnedPostings(returned, 'merchant.reserved', refund.currency),
  ];
  switch (end) {
    case 'completed':
      return { kind: 'refund_sent', postings: exchange('merchant.reserved', own, clearing, railMoney) };
    case 'failed':
      return { kind: 'refund_failed', postings: restored };
    case 'returned': {
      const postings = [...exchange(clearing, railMoney, 'merchant.reserved', own), ...restored];
      return { kind: 'refund_returned', postings };
    }
  }
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

/** The payment's phase and amounts after the part. */
function counted(
  payment: PaymentRow,
  refund: RefundRow,
  part: RefundPartRow,
  { end, toSuspense, receivable }: PartOutcome,
  now: Date,
): Omit<PaymentChange, 'now'> {
  const refunded = payment.amount_refunded + { completed: part.amount, failed: 0n, returned: -part.amount }[end];
  const to = phaseAfter(payment, refund, end, refunded);
  return {
    to,
    set: {
      amount_refunding: payment.amount_refunding - (end === 'returned' ? 0n : part.amount),
      amount_refunded: refunded,
      amount_suspense: payment.amount_suspense + toSuspense,
      ...(toSuspense > 0n && { exception: payment.exception ?? exceptionAgain(payment) }),
      amount_receivable: payment.amount_receivable - receivable,
      ...(statusOf[to] === 'completed' && end !== 'completed' && { settlement_due_at: now }),
    },
  };
}

/**
 * The phase of a payment after a part. A refund of only suspense money does not change the phase of a completed payment,
 * unless all received money is then refunded. A payment without any refunded money is paid again.
 */
function phaseAfter(payment: PaymentRow, refund: RefundRow, end: PartEnd, refunded: bigint): PaymentPhase {
  const { phase, amount_received: received } = payment;
  const isPaid = statusOf[phase] === 'completed' || phase === 'refunded';
  if (!isPaid || end === 'failed') return phase;
  if (refunded === received) return 'refunded';
  if (refunded === 0n) return 'paid';
  const isSurplus = refund.amount_from_suspense === refund.amount;
  return phase !== 'refunded' && isSurplus ? phase : 'partially_refunded';
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
  if (sent === refund.amount) {
    changeRefund(deps, open, { to: 'completed', set, now });
    return;
  }
  // A failed refund of which a part comes back later changes its message, and reports that once more.
  const events = refund.status === 'failed' ? (['refund.failed'] as const) : [];
  changeRefund(deps, open, { to: 'failed', set: { ...set, failure_message }, events, now });
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
