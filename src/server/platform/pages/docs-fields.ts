import type { JsonSchema } from '../http/violations.ts';
import { markdown } from './markdown.ts';
import { html, type Markup } from './page-html.ts';

type Described = JsonSchema & { readonly description?: string };

/** The fields of an object schema as a nested list: name, type, whether it must be there, what it means. */
export function fieldList(schema: JsonSchema): Markup {
  if (schema.anyOf !== undefined && !isNullable(schema)) {
    return html`${schema.anyOf.map((variant, index) => html`${index > 0 && html`<p class="label">or</p>`}${fieldList(variant)}`)}`;
  }
  const entries = Object.entries(objectOf(schema)?.properties ?? {});
  return html`<ul class="fields">${entries.map(([name, property]) => field(name, property, isRequired(schema, name)))}</ul>`;
}

function isRequired(schema: JsonSchema, name: string): boolean {
  return objectOf(schema)?.required?.includes(name) ?? false;
}

function field(name: string, schema: Described, required: boolean): Markup {
  const inner = objectOf(schema.items ?? schema);
  const hasFields = inner?.properties !== undefined || isChoiceOfObjects(schema);
  return html`<li>
    <b>${name}</b><span class="type">${typeName(schema)}</span>${required && html`<span class="must">required</span>`}
    ${schema.description !== undefined && markdown(schema.description)}
    ${hasFields && fieldList(isChoiceOfObjects(schema) ? withoutNull(schema) : (inner ?? {}))}
  </li>`;
}

function isNullable(schema: JsonSchema): boolean {
  return schema.anyOf?.length === 2 && schema.anyOf.some(({ type }) => type === 'null');
}

function isChoiceOfObjects(schema: JsonSchema): boolean {
  return (withoutNull(schema).anyOf ?? []).some(variant => variant.type === 'object');
}

/** The schema without the variant null; a choice of one is that one. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const variants = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (schema.anyOf === undefined) return schema;
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? withoutNull(only) : { anyOf: variants };
}

/** The object a schema describes, looking through null and lists of lists. */
function objectOf(schema: JsonSchema): JsonSchema | null {
  const plain = withoutNull(schema);
  if (plain.type === 'object') return plain;
  return plain.type === 'array' && plain.items !== undefined ? objectOf(plain.items) : null;
}

function typeName(schema: JsonSchema): string {
  const orNull = schema.anyOf?.some(({ type }) => type === 'null') ? ' or null' : '';
  const plain = withoutNull(schema);
  if (plain.anyOf !== undefined) return plain.anyOf.map(typeName).filter(unique).join(' or ') + orNull;
  if (plain.type === 'array') return `list of ${typeName(plain.items ?? {})}${orNull}`;
  const choices = plain.const === undefined ? plain.enum : [plain.const];
  if (choices !== undefined) return choices.map(choice => JSON.stringify(choice)).join(' · ') + orNull;
  return `${plain.type ?? 'anything'}${bounds(plain)}${orNull}`;
}

function unique(name: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(name) === index;
}

function bounds({ type, format, minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (format === 'date-time') return ', RFC 3339';
  if (maxLength !== undefined && minLength === maxLength) return `, ${maxLength} characters`;
  if (type === 'string') return maxLength === undefined ? '' : `, up to ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? `, from ${minimum}`
    : `, ${minimum} to ${maximum}`;
}
