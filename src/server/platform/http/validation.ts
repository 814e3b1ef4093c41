import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import Format from 'typebox/format';
import { Compile } from 'typebox/schema';
import { parseTimestamp } from '../../../core/calendar.ts';
import { type FieldError, PayError } from '../../../core/error.ts';
import { explainViolations, type JsonSchema } from './violations.ts';

type Check = (value: unknown) => boolean;

// All date-time fields accept what `parseTimestamp` accepts.
Format.Set('date-time', text => parseTimestamp(text) !== null);

/**
 * Validates requests. Bodies are neither converted nor completed with defaults. Queries are converted to the types of
 * their schema and get its defaults; unknown query parameters are refused. Compiles a schema at its first use, because
 * a process uses few of its routes. The compiler of `@fastify/type-provider-typebox` compiles all schemas at startup
 * and converts more leniently. It reports neither our error codes nor all wrong fields.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const isQuery = httpPart === 'querystring';
  const target = (isQuery ? { ...schema, additionalProperties: false } : schema) as JsonSchema;
  let check: Check | undefined;
  return (given: unknown) => {
    check ??= compile(target);
    const value = isQuery ? readQuery(target, given) : (given ?? {});
    if (check(value)) return { value };
    return { error: httpPart === 'params' ? noSuchObject() : invalidRequest(explainViolations(target, value)) };
  };
};

/** Creates a check of values inside a request, such as rows. The check returns the errors of a value at its path. */
export function createCheck(schema: TSchema): (value: unknown, path: string) => readonly FieldError[] {
  const check = compile(schema as JsonSchema);
  return (value, path) => (check(value) ? [] : explainViolations(schema as JsonSchema, value, path));
}

/** The error for a text that cannot be an id. */
function noSuchObject(): PayError {
  return new PayError('resource_missing', 'There is no object with this id.', { param: 'id' });
}

function compile(schema: JsonSchema): Check {
  const validator = Compile(schema as TSchema);
  return value => validator.Check(value);
}

/** The error of a request with wrong fields: the message of the first error, and at most `most` entries in `errors`. */
export function invalidRequest(errors: readonly FieldError[], most = 100): PayError {
  const [first] = errors;
  if (first === undefined)
    return new PayError('parameter_invalid', 'The request does not have the form that this call needs.');
  const others = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  const options = { status: 400, type: 'invalid_request_error', param: first.param } as const;
  return new PayError(first.code, first.message + others, { ...options, errors: errors.slice(0, most) });
}

function readQuery(schema: JsonSchema, given: unknown): Record<string, unknown> {
  const query: Record<string, unknown> = { ...(given as Record<string, unknown>) };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (query[name] === undefined) {
      if (property.default !== undefined) query[name] = property.default;
    } else query[name] = readText(property, query[name]);
  }
  return query;
}

function readText(schema: JsonSchema, value: unknown): unknown {
  if (schema.type === 'array') {
    const items = Array.isArray(value) ? value : [value];
    return schema.items === undefined ? items : items.map(item => readText(schema.items ?? {}, item));
  }
  if (typeof value !== 'string') return value;
  if (schema.type === 'integer' || schema.type === 'number') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (schema.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}
