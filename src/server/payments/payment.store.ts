import type { Updateable } from 'kysely';
import type { EventType } from '../../api/event.ts';
import type { Payment, PaymentPhase } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Executor, Tx } from '../db/database.ts';
import type { PaymentsTable } from '../db/tables.ts';
import { announceChange, recordEvent } from '../events/outbox.ts';
import { eventOfPhase, paymentMachine, statusOf } from './payment.ts';
import { type PaymentRow, paymentToWire, type ViewContext } from './payment.view.ts';

/** Which payment is meant. */
export interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The payment, or null when the merchant has none of this id. */
export async function findPayment(db: Executor, key: PaymentKey): Promise<PaymentRow | null> {
  return (await selectPayment(db, key).executeTakeFirst()) ?? null;
}

/** The payment, locked until the transaction ends. Throws `resource_missing`. */
export async function lockPayment(tx: Tx, key: PaymentKey): Promise<PaymentRow> {
  const row = await selectPayment(tx, key).forUpdate().executeTakeFirst();
  if (!row) throw paymentMissing(key.paymentId);
  return row;
}

function selectPayment(db: Executor, key: PaymentKey) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.paymentId);
}

/** The error for an id that is nobody's, or another merchant's: both look the same. */
export function paymentMissing(paymentId: string): PayError {
  return new PayError(
    'resource_missing',
    `No payment ${paymentId.slice(0, 64)} exists. Check the id and the mode of the key.`,
    { param: 'id' },
  );
}

/** A change of a payment. Without `to` the phase stays; `events` are told besides the one that belongs to the phase. */
export interface PaymentChange {
  readonly to?: PaymentPhase;
  readonly set?: Omit<Updateable<PaymentsTable>, 'phase' | 'status' | 'version' | 'event_sequence'>;
  readonly events?: readonly EventType[];
  readonly now: Date;
}

/**
 * Changes a payment that the transaction holds locked, together with its transition, its events and the wake-up of
 * live listeners. Throws `illegal_state` when the machine knows no such step.
 */
export async function changePayment(
  tx: Tx,
  context: ViewContext,
  before: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  const to = change.to ?? before.phase;
  const moves = to !== before.phase;
  if (moves && !paymentMachine.can(before.phase, to)) throw illegalState(before, to);
  const phaseEvent = moves ? eventOfPhase[to] : undefined;
  const events = [...(phaseEvent ? [phaseEvent] : []), ...(change.events ?? [])];
  const after = await tx
    .updateTable('payments')
    .set({
      ...change.set,
      phase: to,
      status: statusOf[to],
      version: before.version + 1,
      event_sequence: before.event_sequence + events.length,
    })
    .where('merchant_id', '=', before.merchant_id)
    .where('id', '=', before.id)
    .where('phase', 'in', moves ? [...paymentMachine.sourcesOf(to)] : [before.phase])
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (!after) throw illegalState(before, to);
  const eventId = await tellEvents(tx, context, before, after, events, change.now);
  if (moves) await recordTransition(tx, before, after, eventId, change.now);
  await announceChange(tx, { merchantId: after.merchant_id, resourceId: after.id });
  return after;
}

async function tellEvents(
  tx: Tx,
  context: ViewContext,
  before: PaymentRow,
  after: PaymentRow,
  events: readonly EventType[],
  now: Date,
): Promise<string | null> {
  const object = paymentToWire(context, after);
  const previous = changedFields(paymentToWire(context, before), object);
  let first: string | null = null;
  for (const [index, type] of events.entries()) {
    const id = await recordEvent(tx, {
      merchantId: after.merchant_id,
      livemode: after.livemode,
      type,
      resourceId: after.id,
      sequence: before.event_sequence + index + 1,
      object,
      previous,
      now,
    });
    first ??= id;
  }
  return first;
}

function changedFields(before: Payment, after: Payment): Partial<Payment> {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name as keyof Payment]),
  );
  return Object.fromEntries(changed);
}

async function recordTransition(
  tx: Tx,
  before: PaymentRow,
  after: PaymentRow,
  eventId: string | null,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('transitions')
    .values({
      merchant_id: after.merchant_id,
      resource_id: after.id,
      seq: after.version,
      from_phase: before.phase,
      to_phase: after.phase,
      event_id: eventId,
      at: now,
    })
    .execute();
}

function illegalState(row: Pick<PaymentRow, 'id' | 'phase' | 'status'>, to: PaymentPhase): PayError {
  return new PayError(
    'illegal_state',
    `The payment is ${row.phase.replaceAll('_', ' ')} and cannot become ${to.replaceAll('_', ' ')}.`,
  );
}
