import type { Static, TSchema } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type { Caller } from '../http/access/caller.ts';

/** What a sample event is made for. */
export interface SampleContext {
  readonly caller: Pick<Caller, 'merchant' | 'livemode' | 'now'>;
  /** Base address of the service, without a slash at the end. */
  readonly publicUrl: string;
}

/** The content of an event that never happened: the object after the change, and the former values of what changed. */
export interface Sample<Data = unknown> {
  readonly resourceId: string;
  readonly object: Data;
  readonly previous: Partial<Data> | null;
}

/** A type of event, as its module declares it. */
export interface EventDefinition<Data = unknown> {
  /** The schema of the object that it carries. */
  readonly data: TSchema;
  readonly sample: (context: SampleContext) => Sample<Data>;
}

/** One definition for each of some events, each with its type of object. */
export type EventDefinitions<Objects> = { readonly [Type in keyof Objects]: EventDefinition<Objects[Type]> };

/** For each of some events, what it changes in an object that was just made. */
export type Changes<Data, Type extends string> = Readonly<Record<Type, (now: Date) => Partial<Data>>>;

/**
 * Defines events of one kind of object by a sample that was just made and, for each event, what it changes in that. An
 * event that changes nothing is a creation, and has no former values.
 */
export function sampleEvents<Schema extends TSchema, Type extends string>(
  data: Schema,
  make: (context: SampleContext) => Static<Schema> & { readonly id: string },
  changes: Changes<Static<Schema>, Type>,
): { readonly [T in Type]: EventDefinition<Static<Schema>> } {
  const types = Object.keys(changes) as Type[];
  const entries = types.map(type => [
    type,
    { data, sample: (context: SampleContext) => changed(make(context), changes[type](context.caller.now)) },
  ]);
  return Object.fromEntries(entries);
}

function changed<Data extends { readonly id: string }>(before: Data, change: Partial<Data>): Sample<Data> {
  const names = Object.keys(change) as (keyof Data)[];
  const previous = Object.fromEntries(names.map(name => [name, before[name]])) as Partial<Data>;
  return {
    resourceId: before.id,
    object: { ...before, ...change },
    previous: names.length === 0 ? null : previous,
  };
}

/** Every type of event that the modules declare. */
export type EventCatalogue = ReturnType<typeof createEventCatalogue>;

/** Makes the catalogue of the declared events. */
export function createEventCatalogue(events: Readonly<Record<string, EventDefinition>>) {
  const types = Object.keys(events);
  const families = new Set(types.map(type => `${type.split('.')[0]}.*`));
  return {
    types,
    /** The type's definition. Throws PayError `invalid_event_type` for an unknown type. */
    find: (type: string): EventDefinition => {
      const definition = Object.hasOwn(events, type) ? events[type] : undefined;
      if (definition !== undefined) return definition;
      const message = `There are no events called ${type}. Use one of: ${types.join(', ')}.`;
      throw new PayError('invalid_event_type', message, { param: 'type' });
    },
    /** Throws PayError `invalid_event_type`, naming `param`, for a pattern that matches no event. */
    checkPattern: (pattern: string, param: string): void => {
      if (pattern === '*' || types.includes(pattern) || families.has(pattern)) return;
      const choices = `Use "*", a family such as "payment.*", or one of: ${types.join(', ')}.`;
      throw new PayError('invalid_event_type', `There are no events called ${pattern}. ${choices}`, { param });
    },
  };
}
