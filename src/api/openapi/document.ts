import { slugOf } from './slug.ts';

/** A schema of the document. Contains the parts of JSON Schema that the service uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

/** An operation with its method in capitals and its path. */
export interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface ApiDocument {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** All operations, in the order of the document. */
export function callsOf({ paths }: ApiDocument): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

/** The name of a referenced schema, or null. */
export const nameOf = ({ $ref }: Pick<Schema, '$ref'>): string | null => $ref?.split('/').at(-1) ?? null;

/**
 * The schema that a reference names, without the null variant. Merges the schemas of `allOf`. A union of one schema
 * becomes that schema. Does not change the schemas of properties.
 */
export function plain(schema: Schema, { components }: Pick<ApiDocument, 'components'>): Schema {
  const name = nameOf(schema);
  if (name !== null) return plain({ ...components.schemas[name] }, { components });
  if (schema.allOf !== undefined) {
    const parts = schema.allOf.map(part => plain(part, { components }));
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
    };
  }
  if (schema.anyOf === undefined) return schema;
  const variants = schema.anyOf.filter(({ type }) => type !== 'null');
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? plain(only, { components }) : { ...schema, anyOf: variants };
}

/** Whether null is an allowed value. */
export const isNullable = ({ anyOf, type }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf?.some(variant => variant.type === 'null') === true;

/** Path of the documentation page about a call. */
export const callPath = ({ tags, summary }: Pick<Call, 'tags' | 'summary'>): string =>
  `/docs/api/${slugOf(tags[0])}/${slugOf(summary)}`;

/** The path with values for its parameters, and the query. Omits blank values of the query. */
export function addressOf(
  path: string,
  ids: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
) {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}
