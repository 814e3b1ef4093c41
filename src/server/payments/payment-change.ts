import type { Updateable } from 'kysely';
import type { EventType } from '../../api/event.ts';
import type { Payment, PaymentPhase } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { changedFields } from '../platform/events/outbox.ts';
import { eventOfPhase, paymentMachine, statusOf } from './payment.ts';
import { type PaymentRow, paymentToWire, type ViewContext } from './payment.view.ts';
import type { PaymentsTable } from './tables.ts';

/** A change of a payment. Without `to` the phase stays. `events` are reported besides the event of the phase. */
export interface PaymentChange {
  readonly to?: PaymentPhase;
  readonly set?: Omit<Updateable<PaymentsTable>, 'phase' | 'status' | 'version' | 'event_sequence'>;
  readonly events?: readonly EventType[];
  readonly now: Date;
}

/** An event of a payment, ready to be written. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly object: Payment;
  readonly previous: Partial<Payment>;
  readonly now: Date;
}

/** A step of a payment's machine, ready to be written. */
export interface PaymentStep {
  readonly seq: number;
  readonly from: PaymentPhase;
  readonly to: PaymentPhase;
  readonly eventId: string | null;
  readonly at: Date;
}

/** A planned change: the payment after it, and the rows that are written with it. */
export interface PlannedChange {
  readonly after: PaymentRow;
  readonly events: readonly PaymentEvent[];
  readonly step: PaymentStep | null;
}

/**
 * The columns that the change sets, its counters included. Throws `illegal_state` when the machine does not allow the
 * step.
 */
export function columnsOfChange(before: PaymentRow, change: PaymentChange): Updateable<PaymentsTable> {
  const to = change.to ?? before.phase;
  if (to !== before.phase && !paymentMachine.can(before.phase, to)) throw illegalStep(before, to);
  return {
    ...change.set,
    phase: to,
    status: statusOf[to],
    version: before.version + 1,
    event_sequence: before.event_sequence + eventTypesOf(before, change).length,
  };
}

/** Plans a change in memory. Throws `illegal_state` when the machine does not allow the step. */
export function planChange(context: ViewContext, before: PaymentRow, change: PaymentChange): PlannedChange {
  const { next_action: nextAction, last_attempt: lastAttempt, ...columns } = columnsOfChange(before, change);
  const after = {
    ...before,
    ...columns,
    ...(nextAction === undefined ? {} : { next_action: parsed(nextAction) }),
    ...(lastAttempt === undefined ? {} : { last_attempt: parsed(lastAttempt) }),
  } as PaymentRow;
  return { after, ...reportOf(context, before, after, change) };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** The events and the transition of a change. */
export function reportOf(
  context: ViewContext,
  before: PaymentRow,
  after: PaymentRow,
  change: PaymentChange,
): Omit<PlannedChange, 'after'> {
  const events = eventsOf(context, before, after, change);
  const moves = after.phase !== before.phase;
  const eventId = events[0]?.id ?? null;
  const step = { seq: after.version, from: before.phase, to: after.phase, eventId, at: change.now };
  return { events, step: moves ? step : null };
}

function eventsOf(context: ViewContext, before: PaymentRow, after: PaymentRow, change: PaymentChange): PaymentEvent[] {
  const types = eventTypesOf(before, change);
  if (types.length === 0) return [];
  const object = paymentToWire(context, after);
  const previous = changedFields(paymentToWire(context, before, object.checkout_url), object);
  return types.map((type, index) => ({
    ...{ id: newId('event'), type, sequence: before.event_sequence + index + 1 },
    ...{ object, previous, now: change.now },
  }));
}

function eventTypesOf(before: PaymentRow, { to = before.phase, events = [] }: PaymentChange): EventType[] {
  const phaseEvent = to === before.phase ? undefined : eventOfPhase[to];
  return [...(phaseEvent ? [phaseEvent] : []), ...events];
}

/** The error for a step that the machine does not allow. */
export function illegalStep(row: Pick<PaymentRow, 'phase'>, to: PaymentPhase): PayError {
  return new PayError(
    'illegal_state',
    `The payment is ${row.phase.replaceAll('_', ' ')} and cannot become ${to.replaceAll('_', ' ')}.`,
  );
}
