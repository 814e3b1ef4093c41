import { parseTimestamp } from '../../../core/calendar.ts';
import type { ErrorCode, FieldError } from '../../../core/error.ts';

/** The part of JSON Schema that the API's schemas use. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** Error codes of certain fields, by the field's name at any depth. */
const codeByField: Readonly<Record<string, ErrorCode>> = {
  amount: 'invalid_amount',
  currency: 'invalid_currency',
  email: 'invalid_email',
  support_email: 'invalid_email',
  settlement_asset: 'invalid_asset',
  settlement_address: 'invalid_address',
  stellar_address: 'invalid_address',
  redirect_url: 'invalid_redirect_url',
  cancel_url: 'invalid_redirect_url',
  metadata: 'invalid_metadata',
  limit: 'invalid_limit',
  starting_after: 'invalid_cursor',
  ending_before: 'invalid_cursor',
  primary_color: 'invalid_color',
  background_color: 'invalid_color',
  logo: 'invalid_logo',
  icon: 'invalid_logo',
  allowed_origins: 'invalid_origin',
  redirect_origins: 'invalid_origin',
  advance: 'invalid_duration',
};

/** The code of a wrong field. The innermost name in the path that has a code decides. */
export function codeOfField(path: string): ErrorCode {
  const names = path.replace(/\[\d+\]/g, '').split('.');
  const known = names.findLast(name => Object.hasOwn(codeByField, name)) ?? '';
  return codeByField[known] ?? 'parameter_invalid';
}

function refusal(path: string, message: string): FieldError[] {
  return [{ param: path, code: codeOfField(path), message: `${path === '' ? 'The body' : path} ${message}` }];
}

/** The errors of a value that its schema refuses: one for each field, in the order of the schema. */
export function explainViolations(schema: JsonSchema, value: unknown, path = ''): FieldError[] {
  if (schema.anyOf !== undefined) return explainUnion(schema.anyOf, value, path);
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined) return choices.includes(value) ? [] : refusal(path, `must be ${listed(choices)}.`);
  if (schema.type === 'object') return explainObject(schema, value, path);
  if (schema.type === 'array') return explainArray(schema, value, path);
  const message = scalarProblem(schema, value);
  return message === null ? [] : refusal(path, message);
}

function listed(choices: readonly unknown[]): string {
  const texts = choices.map(choice => (typeof choice === 'string' ? `"${choice}"` : String(choice)));
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(', ')}`;
}

/** The variants of a union. A union inside it, such as one that may be null, gives its own variants. */
function variantsIn(union: readonly JsonSchema[]): JsonSchema[] {
  return union.flatMap(variant => (variant.anyOf === undefined ? [variant] : variantsIn(variant.anyOf)));
}

/** Explains the errors of the variant with matching constants, or of the only variant with the value's JSON type. */
function explainUnion(union: readonly JsonSchema[], value: unknown, path: string): FieldError[] {
  const variants = variantsIn(union);
  if (variants.some(variant => explainViolations(variant, value, path).length === 0)) return [];
  const alike = variants.filter(variant => variant.type === jsonType(value));
  const meant = variants.find(variant => constantsMatch(variant, value)) ?? (alike.length === 1 ? alike[0] : undefined);
  if (meant !== undefined) return explainViolations(meant, value, path);
  const discriminator = constantsOf(alike[0] ?? {})[0]?.[0];
  if (discriminator !== undefined) return explainDiscriminator(alike, discriminator, value, path);
  return refusal(path, `must be ${variants.map(describe).join(' or ')}.`);
}

function constantsOf(variant: JsonSchema): [string, unknown][] {
  return Object.entries(variant.properties ?? {}).flatMap(([name, schema]) =>
    schema.const === undefined ? [] : [[name, schema.const] as [string, unknown]],
  );
}

function constantsMatch(variant: JsonSchema, value: unknown): boolean {
  const constants = constantsOf(variant);
  if (constants.length === 0 || typeof value !== 'object' || value === null) return false;
  return constants.every(([name, constant]) => (value as Record<string, unknown>)[name] === constant);
}

function explainDiscriminator(
  variants: readonly JsonSchema[],
  name: string,
  value: unknown,
  path: string,
): FieldError[] {
  const choices = variants.flatMap(variant => constantsOf(variant).filter(([key]) => key === name)).map(([, c]) => c);
  const param = joinPath(path, name);
  const missing = (value as Record<string, unknown>)[name] === undefined;
  const message = `${param} ${missing ? 'is missing. It must' : 'must'} be ${listed(choices)}.`;
  return [{ param, code: missing ? 'parameter_missing' : 'parameter_invalid', message }];
}

function explainObject(schema: JsonSchema, value: unknown, path: string): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refusal(path, 'must be an object.');
  const given = value as Record<string, unknown>;
  const known = Object.entries(schema.properties ?? {}).flatMap(([name, property]): FieldError[] => {
    const param = joinPath(path, name);
    if (given[name] !== undefined) return explainViolations(property, given[name], param);
    if (!schema.required?.includes(name)) return [];
    return [{ param, code: 'parameter_missing', message: `${param} is missing.` }];
  });
  return [...known, ...explainOtherKeys(schema, given, path)];
}

function explainOtherKeys(schema: JsonSchema, given: Record<string, unknown>, path: string): FieldError[] {
  const keys = Object.keys(given);
  if (keys.length > (schema.maxProperties ?? Infinity)) {
    return refusal(path, `takes at most ${schema.maxProperties} keys.`);
  }
  const free = Object.entries(schema.patternProperties ?? {});
  const longestKey = schema.propertyNames?.maxLength ?? Infinity;
  return keys
    .filter(key => schema.properties === undefined || !Object.hasOwn(schema.properties, key))
    .flatMap((key): FieldError[] => {
      const param = joinPath(path, key.slice(0, 60));
      if (key.length > longestKey) return refusal(path, `takes keys of at most ${longestKey} characters.`);
      const [, property] = free.find(([pattern]) => new RegExp(pattern).test(key)) ?? [];
      if (property !== undefined) return explainViolations(property, given[key], param);
      if (schema.additionalProperties !== false) return [];
      return [{ param, code: 'parameter_unknown', message: `${param} is not a parameter of this call.` }];
    });
}

function explainArray(schema: JsonSchema, value: unknown, path: string): FieldError[] {
  if (!Array.isArray(value)) return refusal(path, 'must be an array.');
  if (value.length < (schema.minItems ?? 0)) return refusal(path, `needs at least ${schema.minItems} element.`);
  if (value.length > (schema.maxItems ?? Infinity)) {
    return refusal(path, `takes at most ${schema.maxItems} elements.`);
  }
  const isRepeating =
    schema.uniqueItems === true && new Set(value.map(item => JSON.stringify(item))).size < value.length;
  const { items } = schema;
  return [
    ...(isRepeating ? refusal(path, 'has the same element twice.') : []),
    ...(items === undefined ? [] : value.flatMap((item, index) => explainViolations(items, item, `${path}[${index}]`))),
  ];
}

function scalarProblem(schema: JsonSchema, value: unknown): string | null {
  if (schema.type === undefined) return null;
  const isOfType = schema.type === 'integer' ? Number.isInteger(value) : jsonType(value) === schema.type;
  if (!isOfType) return `must be ${describe(schema)}.`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'must be a finite number.';
    if (value < (schema.minimum ?? -Infinity)) return `must be at least ${schema.minimum}.`;
    if (value > (schema.maximum ?? Infinity)) return `must be at most ${schema.maximum}.`;
  }
  return typeof value === 'string' ? textProblem(schema, value) : null;
}

function textProblem(schema: JsonSchema, value: string): string | null {
  const length = [...value].length;
  if (length < (schema.minLength ?? 0)) return length === 0 ? 'must not be empty.' : `must be ${describe(schema)}.`;
  if (length > (schema.maxLength ?? Infinity)) {
    return schema.minLength === schema.maxLength
      ? `must have ${schema.maxLength} characters.`
      : `must have at most ${schema.maxLength} characters.`;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) return 'has a wrong form.';
  const isNoTime = schema.format === 'date-time' && parseTimestamp(value) === null;
  return isNoTime ? 'must be an RFC 3339 time before the year 9999, for example 2026-11-01T12:00:00Z.' : null;
}

function describe(schema: JsonSchema): string {
  if (schema.const !== undefined || schema.enum !== undefined) return listed(schema.enum ?? [schema.const]);
  if (schema.type === 'integer') {
    return `an integer${schema.minimum === undefined ? '' : ` from ${schema.minimum}`}${schema.maximum === undefined ? '' : ` to ${schema.maximum}`}`;
  }
  if (schema.type === 'string' && schema.minLength !== undefined && schema.minLength > 1) {
    return `a string of at least ${schema.minLength} characters`;
  }
  const article = /^[aeiou]/.test(schema.type ?? '') ? 'an' : 'a';
  return schema.type === 'null' ? 'null' : `${article} ${schema.type ?? 'value'}`;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
