import type { EventType } from '../../../api/event.ts';
import type { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Machine } from '../../../core/machine.ts';
import type { Tx } from '../db/database.ts';
import { insertOf, updateOf, type Write, writeTogether } from '../db/rows.ts';
import type { Tables, TransitionsTable } from '../db/tables.ts';
import { type ChangeNotice, changedFields, eventInsert, type NewEvent, notices } from './outbox.ts';

/**
 * Writes changes of rows: the row with its counters, its transition, its events, and the notice for live listeners.
 * `createRows` inserts rows. `planChange` plans a change in memory, and a plan can have several changes. `writeChanges`
 * writes the plans of many rows at once.
 */

/** A row with the columns that changes use. */
interface ChangingRow {
  readonly merchant_id: string;
  readonly id: string;
  readonly livemode: boolean;
  /** Counts the events of the row. */
  readonly event_sequence?: number;
  /** Counts all changes of the row. */
  readonly version?: number;
}

/** How rows of one table change. A module declares each of its resources once. */
export interface Resource<Row extends ChangingRow, State extends string, Context, Wire extends object> {
  readonly table: keyof Tables;
  readonly machine: Machine<State>;
  readonly stateOf: (row: Row) => State;
  /** The columns that store a state. */
  readonly columnsOf: (state: State) => Partial<Row>;
  /** The error for a step that the machine forbids. */
  readonly illegalStep: (row: Row, to: State) => PayError;
  /** The event of a step, or undefined. */
  readonly eventOf: (from: State, to: State) => EventType | undefined;
  /**
   * The object in events. For the row before a change, `after` is the object after the change. Fields that never
   * change, such as URLs, may be copied from `after`.
   */
  readonly toWire: (context: Context, row: Row, now: Date, after?: Wire) => Wire;
  /** Whether steps are stored in the table `transitions`, numbered by `version`. */
  readonly keepsTransitions: boolean;
}

export interface Change<Row, State> {
  /** The next state. Default: unchanged. */
  readonly to?: State | undefined;
  readonly set?: Partial<Row>;
  /** Events besides the step's event. With `fields`, these are added to the object, and `previous` is null. */
  readonly events?: readonly (EventType | { readonly type: EventType; readonly fields: object })[];
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/** A row and everything to write for its changes. */
export interface Planned<Row> {
  readonly before: Row;
  readonly after: Row;
  readonly columns: readonly string[];
  readonly events: readonly NewEvent[];
  readonly transitions: readonly TransitionsTable[];
}

/**
 * Inserts rows of one kind, with their creation events, in one statement. On commit, notifies live listeners of the
 * rows, or of the objects in `changed` if given. The caller sets all columns of each row. A row's `event_sequence`, if
 * the table has this column, must be 1.
 */
export async function createRows<Row extends ChangingRow & { readonly created_at: Date }, Context, Wire extends object>(
  tx: Tx,
  { table, toWire }: Pick<Resource<Row, string, Context, Wire>, 'table' | 'toWire'>,
  context: Context,
  type: EventType,
  rows: readonly Row[],
  changed?: readonly ChangeNotice[],
): Promise<void> {
  const events = creationEvents({ toWire }, context, type, rows);
  await writeTogether(tx, [await insertOf(tx, table, rows), eventInsert(events)], notices(changed ?? events, events));
}

/** The creation events of new rows. */
export function creationEvents<Row extends ChangingRow & { readonly created_at: Date }, Context, Wire extends object>(
  { toWire }: Pick<Resource<Row, string, Context, Wire>, 'toWire'>,
  context: Context,
  type: EventType,
  rows: readonly Row[],
): NewEvent[] {
  return rows.map(row => {
    const { merchant_id: merchantId, livemode, id: resourceId, created_at: now } = row;
    const object = toWire(context, row, now);
    return { merchantId, livemode, type, resourceId, sequence: 1, object, previous: null, now };
  });
}

/** Other writes in the statement of the changes, and events of other objects. */
export interface AlsoWritten {
  readonly writes?: readonly (Write | null)[];
  readonly events?: readonly NewEvent[];
}

/** A plan for a row, without changes. */
export function planned<Row>(row: Row): Planned<Row> {
  return { before: row, after: row, columns: [], events: [], transitions: [] };
}

/** Adds a change to a row's plan. Throws the resource's error if the machine forbids the step. */
export function planChange<Row extends ChangingRow, State extends string, Context, Wire extends object>(
  resource: Resource<Row, State, Context, Wire>,
  context: Context,
  plan: Planned<Row>,
  change: Change<Row, State>,
): Planned<Row> {
  const row = plan.after;
  const from = resource.stateOf(row);
  const to = change.to ?? from;
  if (to !== from && !resource.machine.can(from, to)) throw resource.illegalStep(row, to);
  const step = to === from ? undefined : resource.eventOf(from, to);
  const types = [...(step === undefined ? [] : [step]), ...(change.events ?? [])];
  const set = { ...change.set, ...resource.columnsOf(to), ...counted(row, types.length) };
  const after = { ...row, ...set };
  const events = types.length === 0 ? [] : eventsOf(resource, context, { row, after, types, now: change.now });
  const transition = {
    merchant_id: row.merchant_id,
    resource_id: row.id,
    seq: after.version ?? 0,
    from_phase: from,
    to_phase: to,
    event_id: events[0]?.id ?? null,
    at: change.now,
  };
  return {
    before: plan.before,
    after,
    columns: [...plan.columns, ...Object.keys(set)],
    events: [...plan.events, ...events],
    transitions: to !== from && resource.keepsTransitions ? [...plan.transitions, transition] : plan.transitions,
  };
}

function counted({ version, event_sequence: sequence }: ChangingRow, events: number): Partial<ChangingRow> {
  return {
    ...(version !== undefined && { version: version + 1 }),
    ...(sequence !== undefined && { event_sequence: sequence + events }),
  };
}

interface Told<Row> {
  readonly row: Row;
  readonly after: Row;
  readonly types: NonNullable<Change<Row, never>['events']>;
  readonly now: Date;
}

function eventsOf<Row extends ChangingRow, State extends string, Context, Wire extends object>(
  { toWire }: Resource<Row, State, Context, Wire>,
  context: Context,
  { row, after, types, now }: Told<Row>,
): (NewEvent & { readonly id: string })[] {
  const object = toWire(context, after, now);
  const needsPrevious = types.some(event => typeof event === 'string');
  const previous = needsPrevious ? changedFields(toWire(context, row, now, object), object) : null;
  const { merchant_id: merchantId, livemode, id: resourceId, event_sequence: last = 0 } = row;
  return types.map((event, index) => ({
    id: newId('event'),
    merchantId,
    livemode,
    resourceId,
    sequence: last + index + 1,
    now,
    ...(typeof event === 'string'
      ? { type: event, object, previous }
      : { type: event.type, object: { ...object, ...event.fields }, previous: null }),
  }));
}

/**
 * Writes planned changes of locked rows, together with other writes, in one statement. Each row has one plan. Notifies
 * live listeners on commit. Throws if the state or the counters of a row have changed since its plan. Returns the
 * number of rows of each other write.
 */
export async function writeChanges<Row extends ChangingRow, State extends string, Context, Wire extends object>(
  tx: Tx,
  { table, stateOf, columnsOf }: Resource<Row, State, Context, Wire>,
  plans: readonly Planned<Row>[],
  { writes = [], events: others = [] }: AlsoWritten = {},
): Promise<readonly number[]> {
  const [first] = plans;
  const guard = first && Object.keys({ ...columnsOf(stateOf(first.before)), ...counted(first.before, 0) });
  const update = await updateOf(tx, {
    table,
    key: ['merchant_id', 'id'],
    columns: plans.flatMap(({ columns }) => columns),
    rows: plans.map(({ after }) => after),
    unchanged: { columns: guard ?? [], rows: plans.map(({ before }) => before) },
  });
  const steps = plans.flatMap(({ transitions }) => transitions);
  const transitions = await insertOf(tx, 'transitions', steps);
  const events = [...others, ...plans.flatMap(each => each.events)];
  const rows = plans.map(({ after }) => ({ merchantId: after.merchant_id, resourceId: after.id }));
  const changed = [...others, ...rows].map(({ merchantId, resourceId }) => ({ merchantId, resourceId }));
  const [written, , , ...rest] = await writeTogether(
    tx,
    [update, transitions, eventInsert(events), ...writes],
    notices(changed, events),
  );
  if (written !== plans.length) throw new Error(`a row of ${table} was changed under its lock`);
  return rest;
}

/** Plans and writes one change of a locked row. Returns the changed row. */
export async function changeRow<Row extends ChangingRow, State extends string, Context, Wire extends object>(
  tx: Tx,
  resource: Resource<Row, State, Context, Wire>,
  context: Context,
  before: Row,
  change: Change<Row, State>,
): Promise<Row> {
  const plan = planChange(resource, context, planned(before), change);
  await writeChanges(tx, resource, [plan]);
  return plan.after;
}
