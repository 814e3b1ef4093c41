/** The operations of an OpenAPI document, with a valid body of each and the places in it. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
}

interface DocumentOperation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export type Body = Readonly<Record<string, unknown>>;

/** A place in a body. `put` gives the body with another value there. */
export interface Field {
  /** In wire notation: `lines[0].tax.percent`. */
  readonly param: string;
  readonly put: (value: unknown) => Body;
}

/** A call that writes. */
export interface Operation {
  readonly method: string;
  /** With its parameters: `/v1/payments/{id}/refunds`. */
  readonly path: string;
  /** Who may make the call: with a secret key, in a session only, or without either. */
  readonly access: 'key' | 'session' | 'nobody';
  /** Whether the call needs no key, or finds the payer's secret in its body. */
  readonly isOpen: boolean;
  readonly isForPublishableKeys: boolean;
  /** Whether its object belongs to the account, in both modes. */
  readonly isOfAccount: boolean;
  /** A body that the call accepts. Null: the call has no JSON body. */
  readonly example: Body | null;
  /** The places in a body. Optional fields that the body lacks are included. */
  readonly fieldsOf: (body: Body) => readonly Field[];
}

/** Objects without a mode. */
const ofAccount = /^\/v1\/domains\//;

/** The POST and PATCH operations of the document. */
export function writingOperations(document: OpenApiDocument): Operation[] {
  return operationsOf(document, ['post', 'patch']).map(({ method, path, operation }): Operation => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const example = schema === undefined ? null : (sampleOf(document, schema) as Operation['example']);
    const may = (scheme: string) => operation.security.some(way => scheme in way);
    return {
      method,
      path,
      example,
      access: may('secretKey') ? 'key' : may('session') ? 'session' : 'nobody',
      isOpen:
        operation.security.some(way => Object.keys(way).length === 0) ||
        (may('clientSecretAlone') && !path.includes('{')),
      isOfAccount: ofAccount.test(path),
      isForPublishableKeys: may('publishableKey'),
      fieldsOf: body =>
        schema === undefined ? [] : [...fieldsOf(document, schema, body, '', value => value as Body)].slice(1),
    };
  });
}

/** Paths of GET operations without parameters, by the media type of their answer. */
export function readablePaths(document: OpenApiDocument, type: string): string[] {
  return operationsOf(document, ['get']).flatMap(({ path, operation }) =>
    !path.includes('{') && operation.responses['200']?.content?.[type] !== undefined ? [path] : [],
  );
}

/** What a GET of the path answers: a list, one object, or nothing in JSON. */
export function readableAs({ paths }: OpenApiDocument, path: string): 'list' | 'object' | null {
  const schema = paths[path]?.['get']?.responses['200']?.content?.['application/json']?.schema;
  if (schema === undefined) return null;
  return schema.properties?.['object']?.const === 'list' ? 'list' : 'object';
}

function operationsOf({ paths }: OpenApiDocument, methods: readonly string[]) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function resolve({ components }: OpenApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined
    ? schema
    : { ...components.schemas[name], ...(schema.examples && { examples: schema.examples }) };
}

/** The smallest valid value: the schema's example, or one of its required parts. */
function sampleOf(document: OpenApiDocument, given: Schema): unknown {
  const schema = resolve(document, given);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(document, schema.anyOf[0] ?? {});
  if (schema.type === 'array') return [sampleOf(document, schema.items ?? {})];
  if (schema.type === 'object') {
    const parts = (schema.required ?? []).map(name => [name, sampleOf(document, schema.properties?.[name] ?? {})]);
    return Object.fromEntries(parts);
  }
  if (schema.format === 'date-time') return '2026-12-01T12:00:00Z';
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return schema.type === 'boolean' ? true : 'x'.repeat(schema.minLength ?? 1);
}

/** The place itself, and every place below it. Optional parts that the sample lacks are added for their places. */
function* fieldsOf(
  document: OpenApiDocument,
  given: Schema,
  sample: unknown,
  param: string,
  put: Field['put'],
): Generator<Field> {
  yield { param, put };
  const schema = resolve(document, given);
  for (const variant of schema.anyOf ?? []) {
    const { type } = resolve(document, variant);
    if (type !== 'object' && type !== 'array' && resolve(document, variant).anyOf === undefined) continue;
    yield* [...fieldsOf(document, variant, fitting(document, variant, sample), param, put)].slice(1);
  }
  const value = sample as Record<string, unknown> | null;
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const inner = value?.[name] ?? sampleOf(document, part);
    const place = param === '' ? name : `${param}.${name}`;
    yield* fieldsOf(document, part, inner, place, item => put({ ...value, [name]: item }));
  }
  for (const name of freeKeysOf(schema, value)) {
    yield* fieldsOf(document, {}, value?.[name], `${param}.${name}`, item => put({ ...value, [name]: item }));
  }
  if (schema.items !== undefined) {
    const list = Array.isArray(sample) && sample.length > 0 ? sample : [sampleOf(document, schema.items)];
    yield* fieldsOf(document, schema.items, list[0], `${param}[0]`, item => put([item, ...list.slice(1)]));
  }
}

/** Keys of the sample that the caller may choose, as in `metadata`. */
function freeKeysOf({ type, properties }: Schema, sample: unknown): string[] {
  return type === 'object' && properties === undefined ? Object.keys(sample ?? {}) : [];
}

/** The sample if it is a value of this variant, otherwise a sample of the variant. */
function fitting(document: OpenApiDocument, variant: Schema, sample: unknown): unknown {
  const { type, properties = {} } = resolve(document, variant);
  const isOfType = type === 'array' ? Array.isArray(sample) : typeof sample === 'object' && sample !== null;
  const keys = isOfType ? Object.entries(sample as object) : [];
  const isKnown = ([key, value]: [string, unknown]) =>
    properties[key] !== undefined && (properties[key].const === undefined || properties[key].const === value);
  return isOfType && (type === 'array' || keys.every(isKnown)) ? sample : sampleOf(document, variant);
}
