import type { EventType } from '../../../api/event.ts';
import type { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Machine } from '../../../core/machine.ts';
import { changedFields, type NewEvent, recordEvents } from '../events/outbox.ts';
import type { Tx } from './database.ts';
import { insertRows, updateRows } from './rows.ts';
import type { Tables, TransitionsTable } from './tables.ts';

/**
 * The one writer of changes: the row with its counters, its transition, its events and the notice for live listeners.
 * `planChange` needs no database, and plans may build on each other. `writeChanges` writes the plans of many rows at once.
 */

/** A row that this writer changes. */
interface ChangingRow {
  readonly merchant_id: string;
  readonly id: string;
  readonly livemode: boolean;
  /** Counts the events of the row. */
  readonly event_sequence?: number;
  /** Counts all changes of the row. */
  readonly version?: number;
}

/** The rows of one table, as the writer sees them. A module describes each of its resources once. */
export interface Resource<Row extends ChangingRow, State extends string, Context, Wire extends object> {
  readonly table: keyof Tables;
  readonly machine: Machine<State>;
  readonly stateOf: (row: Row) => State;
  /** The columns that hold a state. */
  readonly columnsOf: (state: State) => Partial<Row>;
  /** The error for a step that the machine refuses. */
  readonly illegalStep: (row: Row, to: State) => PayError;
  /** The event of a step; undefined when it has none. */
  readonly eventOf: (from: State, to: State) => EventType | undefined;
  /** The object that events carry. `after`, when given, spares computing fields that no change touches, such as URLs. */
  readonly toWire: (context: Context, row: Row, now: Date, after?: Wire) => Wire;
  /** Whether steps are kept in `transitions`, numbered by `version`. */
  readonly keepsTransitions: boolean;
}

/** A change of a row. */
export interface Change<Row, State> {
  /** The next state. Left out, the state stays. */
  readonly to?: State | undefined;
  readonly set?: Partial<Row>;
  /** Events besides that of the step. An event with more fields than the object has no former values. */
  readonly events?: readonly (EventType | { readonly type: EventType; readonly fields: object })[];
  /** The merchant's clock. */
  readonly now: Date;
}

/** A row with all that is to be written for its changes. */
export interface Planned<Row> {
  readonly before: Row;
  readonly after: Row;
  readonly columns: readonly string[];
  readonly events: readonly NewEvent[];
  readonly transitions: readonly TransitionsTable[];
}

/** A row without any change yet. */
export function planned<Row>(row: Row): Planned<Row> {
  return { before: row, after: row, columns: [], events: [], transitions: [] };
}

/** Adds a change to the plan of a row. Throws the error of the resource when the machine refuses the step. */
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
    ...{ merchant_id: row.merchant_id, resource_id: row.id, seq: after.version ?? 0, from_phase: from, to_phase: to },
    ...{ event_id: events[0]?.id ?? null, at: change.now },
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
    ...{ id: newId('event'), merchantId, livemode, resourceId, sequence: last + index + 1, now },
    ...(typeof event === 'string'
      ? { type: event, object, previous }
      : { type: event.type, object: { ...object, ...event.fields }, previous: null }),
  }));
}

/**
 * Writes planned changes of rows that the transaction holds locked, each row once, and wakes live listeners on commit.
 * The SQL changes a row only while its state and its counters are those that the plan began with: anything else is an error.
 */
export async function writeChanges<Row extends ChangingRow, State extends string, Context, Wire extends object>(
  tx: Tx,
  { table, stateOf, columnsOf }: Resource<Row, State, Context, Wire>,
  plans: readonly Planned<Row>[],
): Promise<void> {
  const [first] = plans;
  if (first === undefined) return;
  const guard = Object.keys({ ...columnsOf(stateOf(first.before)), ...counted(first.before, 0) });
  const written = await updateRows(tx, {
    ...{ table, key: ['merchant_id', 'id'], columns: plans.flatMap(({ columns }) => columns) },
    rows: plans.map(({ after }) => after),
    unchanged: { columns: guard, rows: plans.map(({ before }) => before) },
  });
  if (written !== plans.length) throw new Error(`a row of ${table} was changed under its lock`);
  await insertRows(
    tx,
    'transitions',
    plans.flatMap(({ transitions }) => transitions),
  );
  await recordEvents(
    tx,
    plans.flatMap(({ events }) => events),
    plans.map(({ after }) => ({ merchantId: after.merchant_id, resourceId: after.id })),
  );
}

/** Plans and writes one change of a row that the transaction holds locked; returns the row as it is then. */
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
