import { sql } from 'kysely';
import type { PaymentStatus } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import { insertRows, updateRows } from '../platform/db/bulk.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type DueWork, findDue } from '../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import {
  announceChange,
  announceChanges,
  type NewEvent,
  recordEvent,
  recordEvents,
} from '../platform/events/outbox.ts';
import { paymentMachine } from './payment.ts';
import type { PaymentRow } from './payment.view.ts';
import {
  columnsOfChange,
  illegalStep,
  type PaymentChange,
  type PaymentEvent,
  type PaymentStep,
  reportOf,
} from './payment-change.ts';
import { type ChangeContext, type PaymentOwner, reportChanges } from './payment-purpose.ts';
import type { PaymentsTable } from './tables.ts';

/** Identifies a payment. */
export interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The payment, or null when the merchant has none of this id. */
export async function findPayment(db: Executor, key: PaymentKey): Promise<PaymentRow | null> {
  return (await selectPayment(db, key).executeTakeFirst()) ?? null;
}

/** The mode of a payment; null when the merchant has none of this id. */
export async function findPaymentMode(db: Executor, key: PaymentKey): Promise<{ readonly livemode: boolean } | null> {
  const row = await db
    .selectFrom('payments')
    .select('livemode')
    .where('merchant_id', '=', key.merchantId)
    .where('id', '=', key.paymentId)
    .executeTakeFirst();
  return row ?? null;
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

/** The error for an unknown id. Ids of other merchants look unknown, too. */
export function paymentMissing(paymentId: string): PayError {
  return new PayError(
    'resource_missing',
    `No payment ${paymentId.slice(0, 64)} exists. Check the id and the mode of the key.`,
    { param: 'id' },
  );
}

/**
 * Changes a locked payment with its transition and events, wakes live listeners and reports the change to its purpose.
 * Throws `illegal_state` when the machine does not allow the step, or the error of the purpose.
 */
export async function changePayment(
  tx: Tx,
  context: ChangeContext,
  before: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  const columns = columnsOfChange(before, change);
  const to = change.to ?? before.phase;
  const after = await tx
    .updateTable('payments')
    .set(columns)
    .where('merchant_id', '=', before.merchant_id)
    .where('id', '=', before.id)
    .where('phase', 'in', to === before.phase ? [to] : [...paymentMachine.sourcesOf(to)])
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (!after) throw illegalStep(before, to);
  const { events, step } = reportOf(context, before, after, change);
  for (const event of events) await recordEvent(tx, eventOf(after, event));
  if (step !== null) await tx.insertInto('transitions').values(transitionOf(after, step)).execute();
  await announceChange(tx, { merchantId: after.merchant_id, resourceId: after.id });
  await reportChanges(tx, context, [{ before, after, now: change.now }]);
  return after;
}

/** A payment with several planned changes that are written at once. */
export interface ChangedPayment {
  readonly before: PaymentRow;
  readonly after: PaymentRow;
  readonly events: readonly PaymentEvent[];
  readonly steps: readonly PaymentStep[];
  /** Time on the merchant's clock. */
  readonly now: Date;
}

/**
 * Writes the changes of many locked payments, one statement a table, with all that `changePayment` writes. `columns`
 * are the changed columns. Throws when a payment was changed meanwhile.
 */
export async function writeChanges(
  tx: Tx,
  context: Pick<ChangeContext, 'purposes'>,
  changed: readonly ChangedPayment[],
  columns: readonly (keyof PaymentsTable)[],
): Promise<void> {
  const written = await updateRows(tx, {
    table: 'payments',
    key: ['merchant_id', 'id'],
    columns: ['phase', 'status', 'version', 'event_sequence', ...columns],
    rows: changed.map(({ after }) => after),
    unchanged: { column: 'version', values: changed.map(({ before }) => before.version) },
  });
  if (written !== changed.length) throw new Error('a payment was changed under its lock');
  await recordEvents(
    tx,
    changed.flatMap(({ after, events }) => events.map(event => eventOf(after, event))),
  );
  const transitions = changed.flatMap(({ after, steps }) => steps.map(step => transitionOf(after, step)));
  await insertRows(tx, 'transitions', transitions);
  await announceChanges(
    tx,
    changed.map(({ after }) => ({ merchantId: after.merchant_id, resourceId: after.id })),
  );
  await reportChanges(tx, context, changed);
}

function eventOf(payment: PaymentRow, event: PaymentEvent): NewEvent {
  return { merchantId: payment.merchant_id, livemode: payment.livemode, resourceId: payment.id, ...event };
}

function transitionOf(payment: PaymentRow, step: PaymentStep) {
  return {
    merchant_id: payment.merchant_id,
    resource_id: payment.id,
    seq: step.seq,
    from_phase: step.from,
    to_phase: step.to,
    event_id: step.eventId,
    at: step.at,
  };
}

/** A payment whose session is over, and its mode. */
export type DuePayment = PaymentKey & { readonly livemode: boolean };

const openPayments: DueWork = {
  ...{ table: 'payments', key: ['merchant_id', 'id'], dueAt: 'session_expires_at', clock: 'merchant' },
  where: sql`t.status = 'pending' and t.phase not in ('processing', 'confirming')`,
};

/** Finds payments that may expire and whose session is over on their merchant's clock. */
export async function findExpired(db: Db, now: Date, limit: number): Promise<readonly DuePayment[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "paymentId", t.livemode`;
  return await findDue(db, openPayments, { now, limit }, columns);
}

/** The merchant and mode of a list. */
export interface ListScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Filters of the list of payments (wire contract §1). */
export interface PaymentFilters {
  readonly status?: PaymentStatus;
  readonly reference?: string;
  readonly customerId?: string;
  readonly owner?: PaymentOwner;
}

/** A page of the merchant's payments. */
export async function listPayments(
  db: Db,
  scope: ListScope,
  filters: PaymentFilters,
  request: PageRequest,
): Promise<Page<PaymentRow>> {
  const { status, reference, customerId, owner } = filters;
  const list = { table: 'payments' as const, ...scope, only: { owner_type: owner?.type, owner_id: owner?.id } };
  return await readPage(db, list, request, { equal: { status, reference, customer_id: customerId } });
}
