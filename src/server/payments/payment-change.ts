import type { Payment, PaymentPhase } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { type LedgerTransaction, postingWrites } from '../ledger/ledger.store.ts';
import type { Tx } from '../platform/db/database.ts';
import {
  type AlsoWritten,
  type Change,
  createRows,
  type Planned,
  planChange,
  planned,
  type Resource,
  writeChanges,
} from '../platform/events/change.ts';
import { makeReleaseDue } from './attempts/attempt.store.ts';
import { eventOfStep, paymentMachine, statusOf } from './payment.ts';
import { paymentToWire, type ViewContext } from './payment.view.ts';
import { type ChangeContext, reportChanges } from './payment-purpose.ts';
import { queueReceipts } from './receipts/receipt-mail.ts';
import type { PaymentRow } from './tables.ts';

export interface PaymentChange extends Change<PaymentRow, PaymentPhase> {
  readonly bookings?: readonly Booking[];
}

export type Booking = Pick<LedgerTransaction, 'kind' | 'postings' | 'refundId' | 'resourceId'>;

/** A payment with the planned changes and bookings. */
export interface PlannedPayment extends Planned<PaymentRow> {
  readonly bookings: readonly LedgerTransaction[];
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

const payments: Resource<PaymentRow, PaymentPhase, ViewContext, Payment> = {
  table: 'payments',
  machine: paymentMachine,
  stateOf: ({ phase }) => phase,
  columnsOf: phase => ({ phase, status: statusOf[phase] }),
  illegalStep: ({ phase }, to) => {
    const [from, next] = [phase.replaceAll('_', ' '), to.replaceAll('_', ' ')];
    return new PayError('illegal_state', `The payment is ${from} and cannot become ${next}.`);
  },
  eventOf: eventOfStep,
  toWire: (context, row, _now, after) => paymentToWire(context, row, after?.checkout_url),
  keepsTransitions: true,
};

/** Inserts drafted payments in the caller's transaction, each with its event. */
export async function createPayments(tx: Tx, context: ViewContext, rows: readonly PaymentRow[]): Promise<void> {
  await createRows(tx, payments, context, 'payment.created', rows);
}

/** A plan for a payment, without changes. */
export function unchangedPayment(row: PaymentRow, now: Date): PlannedPayment {
  return { ...planned(row), bookings: [], now };
}

/** Adds a change to a payment's plan. Throws `illegal_state` if the state machine forbids the step. */
export function planPaymentChange(context: ViewContext, plan: PlannedPayment, change: PaymentChange): PlannedPayment {
  const { merchant_id: merchantId, livemode, id: paymentId } = plan.before;
  const { bookings = [], now } = change;
  return {
    ...planChange(payments, context, plan, change),
    bookings: [...plan.bookings, ...bookings.map(booking => ({ ...booking, merchantId, livemode, paymentId, now }))],
    now,
  };
}

/**
 * Writes planned changes of locked payments, together with the other writes, in one statement. Reports the changes to
 * the payments' purposes, and queues receipts of completed payments. Releases an authorized card when its payment
 * leaves the phase `authorized`. Throws a purpose's error. Returns the number of rows of each write in `writes`.
 */
export async function writePaymentChanges(
  tx: Tx,
  context: ChangeContext,
  plans: readonly PlannedPayment[],
  { writes = [], events = [] }: AlsoWritten = {},
): Promise<readonly number[]> {
  const bookings = await postingWrites(
    tx,
    plans.flatMap(plan => plan.bookings),
  );
  const [, , ...rest] = await writeChanges(tx, payments, plans, { writes: [...bookings, ...writes], events });
  for (const { after, now } of plans.filter(hasLeftAuthorization)) await makeReleaseDue(tx, after, now);
  await reportChanges(tx, context, plans);
  await queueReceipts(tx, context, plans);
  return rest;
}

function hasLeftAuthorization({ before, after }: PlannedPayment): boolean {
  return before.phase === 'authorized' && after.phase !== 'authorized';
}

/** A locked payment and its change. */
export interface ChangedPayment {
  readonly payment: PaymentRow;
  readonly change: PaymentChange;
}

/** Plans and writes one change for each payment. */
export async function changePayments(
  tx: Tx,
  context: ChangeContext,
  changes: readonly ChangedPayment[],
): Promise<PaymentRow[]> {
  const plans = changes.map(({ payment, change }) =>
    planPaymentChange(context, unchangedPayment(payment, change.now), change),
  );
  await writePaymentChanges(tx, context, plans);
  return plans.map(({ after }) => after);
}

/** Like `changePayments`, for one payment. Returns the changed payment. */
export async function changePayment(
  tx: Tx,
  context: ChangeContext,
  payment: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  const [after = payment] = await changePayments(tx, context, [{ payment, change }]);
  return after;
}
