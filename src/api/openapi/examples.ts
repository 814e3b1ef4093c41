import type { ApiDocument, Call, Parameter, Schema } from './document.ts';
import { isNullable, nameOf, plain } from './document.ts';

/** Creates example values from the document's examples. `gaps` collects the fields without an example value. */
export type Examples = ReturnType<typeof createExamples>;

/** An example value for a schema without examples. Undefined if the schema does not suggest a value. */
function fallback({
  type,
  format,
  pattern,
  minimum,
  const: constant,
  enum: choices,
  default: standard,
}: Schema): unknown {
  if (constant !== undefined) return constant;
  if (standard !== undefined) return standard;
  if (choices !== undefined) return choices[0];
  if (format === 'date-time') return '2026-11-23T12:00:00.000Z';
  if (pattern?.startsWith('^\\d{4}-\\d{2}-\\d{2}$')) return '2026-12-01';
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return minimum ?? 0;
  return undefined;
}

export function createExamples(document: ApiDocument) {
  const gaps = new Set<string>();

  /** `isWhole`: with all fields, as in answers. Otherwise with the required fields only. */
  const exampleOf = (schema: Schema, name: string, isWhole: boolean, depth = 0): unknown => {
    const [given] = schema.examples ?? [];
    if (given !== undefined) return given;
    if (depth > 8) return {};
    const own = nameOf(schema);
    if (own !== null) return exampleOf(document.components.schemas[own] ?? {}, own, isWhole, depth + 1);
    if (schema.anyOf !== undefined || schema.allOf !== undefined) {
      const whole = plain(schema, document);
      return exampleOf(whole.anyOf?.[0] ?? whole, name, isWhole, depth + 1);
    }
    if (schema.type === 'array')
      return schema.items === undefined ? [] : [exampleOf(schema.items, name, isWhole, depth + 1)];
    if (schema.type === 'object') return objectOf(schema, name, isWhole, depth);
    const value = fallback(schema);
    if (value === undefined) gaps.add(name);
    return value;
  };

  const objectOf = ({ properties = {}, required = [] }: Schema, name: string, isWhole: boolean, depth: number) => {
    const shown = Object.entries(properties).filter(([key]) => isWhole || required.includes(key));
    const fieldOf = (key: string, property: Schema) =>
      isNullable(property) && property.examples === undefined
        ? null
        : exampleOf(property, `${name}.${key}`, isWhole, depth + 1);
    return Object.fromEntries(shown.map(([key, property]) => [key, fieldOf(key, property)]));
  };

  return {
    gaps,
    /** The body of a request. Null if the call accepts no JSON. */
    bodyOf: ({ requestBody, operationId }: Call): unknown => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema === undefined ? null : exampleOf(schema, operationId, false);
    },
    /** The body of a successful answer. Null if the answer is not JSON. */
    answerOf: ({ responses, operationId }: Call): unknown => {
      const [answer] = Object.entries(responses).filter(([status]) => /^2\d\d$/.test(status));
      const schema = answer?.[1].content?.['application/json']?.schema;
      return schema === undefined ? null : exampleOf(schema, operationId, true);
    },
    objectOf: (name: string): unknown => exampleOf(document.components.schemas[name] ?? {}, name, true),
    parameterOf: ({ name, schema, example }: Parameter, { operationId }: Call): unknown =>
      example ?? exampleOf(schema, `${operationId}.${name}`, false),
  };
}
