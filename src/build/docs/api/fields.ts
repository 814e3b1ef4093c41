import { type ApiDocument, isNullable, nameOf, plain, type Schema } from '../../../api/openapi/document.ts';
import { slugOf } from '../../../api/openapi/slug.ts';
import { pathOf } from '../page.ts';

/** The data for lists of fields: the document, and the schemas that have a page of their own. */
export interface FieldContext {
  readonly document: ApiDocument;
  readonly hasPage: (name: string) => boolean;
}

/** The path of an object's page. */
export const objectPath = (name: string): string =>
  pathOf(`api/objects/${slugOf(name.replace(/(?<=[a-z])(?=[A-Z])/g, '-'))}`);

/** The fields of a schema as nested Markdown lists: name, type, whether required, and meaning. */
export function fieldList(schema: Schema, context: FieldContext, depth = 0): string {
  const whole = plain(schema, context.document);
  if (whole.anyOf !== undefined) {
    const lists = whole.anyOf.map(variant => fieldList(variant, context, depth)).filter(list => list !== '');
    return lists.join(`\n${'  '.repeat(depth)}- *or*\n`);
  }
  if (whole.type === 'array' && whole.items !== undefined) return fieldList(whole.items, context, depth);
  const { properties = {}, patternProperties = {}, required = [] } = whole;
  const named = Object.entries(properties).map(([name, property]) =>
    field(name, property, required.includes(name), context, depth),
  );
  const free = Object.entries(patternProperties)
    .filter(([, property]) => property.type === 'object')
    .map(([, property]) => field('*key*', property, false, context, depth));
  return [...named, ...free].join('\n');
}

function field(name: string, schema: Schema, isRequired: boolean, context: FieldContext, depth: number): string {
  const indent = '  '.repeat(depth);
  const facts = `${typeName(schema, context)}${isRequired ? ', required' : ''}`;
  const text = describe(schema, context).replace(/\s*\n\s*/g, ' ');
  const line = `${indent}- **\`${name}\`** *${facts}*${text === '' ? '' : `  \n${indent}  ${text}`}`;
  const page = linkedName(schema, context);
  const below = page === null && depth < 6 && hasFields(schema, context) ? fieldList(schema, context, depth + 1) : '';
  return below === '' ? line : `${line}\n${below}`;
}

/** The description of a field, or of the schema that it refers to. */
export function describe(schema: Schema, { document }: Pick<FieldContext, 'document'>): string {
  if (schema.description !== undefined) return schema.description;
  const name = nameOf(schema);
  const referred = name === null ? undefined : document.components.schemas[name]?.description;
  return referred ?? schema.anyOf?.map(variant => describe(variant, { document })).find(text => text !== '') ?? '';
}

/** The name of the schema if it has a page. For a list, the name of the schema of its items. */
function linkedName(schema: Schema, context: FieldContext): string | null {
  const [only, ...others] = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  if (only === undefined || others.length > 0) return null;
  if (only.type === 'array' && only.items !== undefined) return linkedName(only.items, context);
  const name = nameOf(only);
  return name !== null && context.hasPage(name) ? name : null;
}

function hasFields(schema: Schema, { document }: FieldContext): boolean {
  const whole = plain(schema, document);
  if (whole.anyOf !== undefined)
    return whole.anyOf.some(variant => hasFields(variant, { document, hasPage: () => false }));
  if (whole.type === 'array')
    return whole.items !== undefined && hasFields(whole.items, { document, hasPage: () => false });
  return whole.type === 'object' && whole.properties !== undefined;
}

/** The type in words: `integer, from 1`, `list of Refund or null`. */
export function typeName(schema: Schema, context: FieldContext): string {
  const orNull = isNullable(schema) ? ' or null' : '';
  const page = schema.type === 'array' ? null : linkedName(schema, context);
  if (page !== null) return `[${page}](${objectPath(page)})${orNull}`;
  const whole = plain(schema, context.document);
  if (whole.anyOf !== undefined)
    return [...new Set(whole.anyOf.map(one => typeName(one, context)))].join(' or ') + orNull;
  if (whole.type === 'array') return `list of ${typeName(whole.items ?? {}, context)}${orNull}`;
  const choices = whole.const === undefined ? whole.enum : [whole.const];
  if (choices !== undefined) return choices.map(choice => `\`${String(choice)}\``).join(' · ') + orNull;
  return `${Array.isArray(whole.type) ? whole.type[0] : (whole.type ?? 'anything')}${bounds(whole)}${orNull}`;
}

function bounds({ type, format, minimum, maximum, minLength, maxLength }: Schema): string {
  if (format === 'date-time') return ', RFC 3339';
  if (maxLength !== undefined && minLength === maxLength) return `, ${maxLength} characters`;
  if (type === 'string') return maxLength === undefined ? '' : `, up to ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? `, from ${minimum}`
    : `, ${minimum} to ${maximum}`;
}
