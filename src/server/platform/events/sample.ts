import type { Static, TSchema } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type { Caller } from '../http/access/caller.ts';

/** The caller that receives a sample event, and the service's URL. */
export interface SampleContext {
  readonly caller: Pick<Caller, 'livemode' | 'now'> & {
    readonly merchant: Pick<Caller['merchant'], 'settlementAsset' | 'locale' | 'quoteSeconds' | 'sessionSeconds'>;
  };
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: string;
}

/** The content of a sample event: the object after the change, and the earlier values of the changed fields. */
export interface Sample<Data = unknown> {
  readonly resourceId: string;
  readonly object: Data;
  readonly previous: Partial<Data> | null;
}

/** A type of event, declared by its module. */
export interface EventDefinition<Data = unknown> {
  /** The schema of the event's object. */
  readonly data: TSchema;
  readonly sample: (context: SampleContext) => Sample<Data>;
}

/** Definitions of events by type. `Objects` maps each type to its object. */
export type EventDefinitions<Objects> = { readonly [Type in keyof Objects]: EventDefinition<Objects[Type]> };

/** By event type: the fields that the event changes in a sample object. */
export type Changes<Data, Type extends string> = Readonly<Record<Type, (now: Date) => Partial<Data>>>;

/**
 * Defines the events of one kind of object by a new sample object and the fields that each event changes. An event
 * without changes is a creation, and has no earlier values.
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

/** All types of events that the modules declare. */
export type EventCatalogue = ReturnType<typeof createEventCatalogue>;

/** Creates the catalogue of the declared events. */
export function createEventCatalogue(events: Readonly<Record<string, EventDefinition>>) {
  const types = Object.keys(events);
  const families = new Set(types.map(type => `${type.split('.')[0]}.*`));
  return {
    types,
    /** The type's definition. Throws PayError `invalid_event_type` for an unknown type. */
    find: (type: string): EventDefinition => {
      const definition = Object.hasOwn(events, type) ? events[type] : undefined;
      if (definition !== undefined) return definition;
      const message = `No event type is called ${type}. Use one of: ${types.join(', ')}.`;
      throw new PayError('invalid_event_type', message, { param: 'type' });
    },
    /** Throws PayError `invalid_event_type` for `param` if the pattern matches no event. */
    checkPattern: (pattern: string, param: string): void => {
      if (pattern === '*' || types.includes(pattern) || families.has(pattern)) return;
      const choices = `Use "*", a family such as "payment.*", or one of: ${types.join(', ')}.`;
      throw new PayError('invalid_event_type', `No event type is called ${pattern}. ${choices}`, { param });
    },
  };
}
