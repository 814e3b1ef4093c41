import type { TSchema } from 'typebox';
import { idPrefixes } from '../../../../core/id.ts';
import type { EventDefinition } from '../../events/sample.ts';
import type { Declarations } from '../../module.ts';
import { explainViolations, type JsonSchema } from '../violations.ts';
import { everyObject } from './every-object.ts';
import { exampleId, type FieldNotes } from './field-note.ts';

/** A schema of the document. */
interface Node extends Omit<JsonSchema, 'anyOf' | 'items' | 'properties'> {
  readonly $ref?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
}
type Nodes = Readonly<Record<string, Node>>;

/** Adds descriptions and examples to fields without any. Adds only examples that the field's schema accepts. */
export type Fill = ReturnType<typeof createFill>;

interface FillSource extends Pick<Declarations, 'fieldNotes' | 'requestExamples'> {
  /** The named schemas of the document. */
  readonly schemas: Nodes;
  /** Whole objects by the name of their schema. */
  readonly samples: Readonly<Record<string, unknown>>;
}

export function createFill({ schemas, samples, fieldNotes, requestExamples }: FillSource) {
  const notes: FieldNotes = { ...everyObject, ...fieldNotes };
  const resolved = (schema: Node, depth = 0): JsonSchema => {
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined && depth < 9) return resolved(schemas[name] ?? {}, depth + 1);
    const { anyOf, items, properties } = schema;
    const parts = {
      ...(anyOf !== undefined && { anyOf: anyOf.map(variant => resolved(variant, depth + 1)) }),
      ...(items !== undefined && { items: resolved(items, depth + 1) }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [key, resolved(value, depth + 1)]),
        ),
      }),
    };
    return { ...schema, ...parts } as JsonSchema;
  };

  /** The field with its note. `context` is the name of the schema, or a method and path. */
  const field = (name: string, schema: Node, context: string): Node => {
    const note = notes[`${context}.${name}`] ?? notes[name];
    const [meaning, ...examples] = typeof note === 'string' ? [note] : (note ?? []);
    const given = name === 'id' ? [exampleId(prefixOf(context)), ...examples] : examples;
    const fits = isChoice(schema)
      ? undefined
      : given.find(example => explainViolations(resolved(schema), example).length === 0);
    return {
      ...inside(schema, context),
      ...(schema.description === undefined && meaning !== undefined && { description: String(meaning) }),
      ...(schema.examples === undefined && fits !== undefined && { examples: [fits] }),
    };
  };

  const inside = (schema: Node, context: string): Node => ({
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, part]) => [name, field(name, part, context)]),
      ),
    }),
    ...(schema.items && { items: inside(schema.items, context) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(variant => inside(variant, context)) }),
    ...(schema.allOf && { allOf: schema.allOf.map(part => inside(part, context)) }),
  });

  return {
    field,
    inside,
    /** A named schema with its notes, and with a sample object as its example if there is one. */
    named: (name: string): Node => {
      const example = requestExamples[name] ?? samples[name];
      return { ...inside(schemas[name] ?? {}, name), ...(example !== undefined && { examples: [example] }) };
    },
  };
}

/** Whether the schema lists its values. Such a schema needs no example. */
const isChoice = ({ const: constant, enum: choices, anyOf = [] }: Node): boolean =>
  constant !== undefined ||
  choices !== undefined ||
  anyOf.some(variant => variant.enum !== undefined || variant.const !== undefined);

/** Prefixes of ids, by kind of object in lower case. */
const prefixes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(idPrefixes).map(([kind, prefix]) => [kind.toLowerCase(), prefix]),
);

/** The prefix of ids in a schema (`PaymentLink`) or a path (`get /v1/payment-links/{id}`). */
function prefixOf(context: string): string {
  const words = context.includes('/')
    ? (/\/v1\/([\w/-]+)\/\{/.exec(context)?.[1] ?? '').split('/').toReversed()
    : [context];
  const names = words.map(word =>
    word
      .replace(/[-_]/g, '')
      .replace(/(ch)es$|s$/, '$1')
      .toLowerCase(),
  );
  return names.map(name => prefixes[name]).find(prefix => prefix !== undefined) ?? idPrefixes.payment;
}

/** The longest sample object of each schema. The ids and times are the same at each call. */
export function sampleObjects(
  events: Readonly<Record<string, EventDefinition>>,
  nameOf: (schema: TSchema) => string | undefined,
  publicUrl: string,
): Record<string, unknown> {
  const now = new Date('2026-11-23T12:00:00Z');
  const caller = {
    merchant: { settlementAsset: 'USDC', locale: 'en', quoteSeconds: 900, sessionSeconds: 86_400 },
    livemode: false,
    now,
  };
  const samples: Record<string, string> = {};
  for (const { data, sample } of Object.values(events)) {
    const name = nameOf(data);
    const text = JSON.stringify(sample({ caller, publicUrl }).object);
    if (name !== undefined && text.length > (samples[name] ?? '').length) samples[name] = text;
  }
  const isId = /\b([a-z]+)_[0-9A-Za-z]{22}\b/g;
  return Object.fromEntries(
    Object.entries(samples).map(([name, text]) => [
      name,
      JSON.parse(text.replace(isId, (_, prefix) => exampleId(prefix))),
    ]),
  );
}
