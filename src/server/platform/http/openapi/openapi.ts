import { apiVersion, apiVersions } from '../../../../api/event.ts';
import type { Declarations } from '../../module.ts';
import { type Access, isForGuests } from '../access/caller.ts';
import type { RouteDescription } from '../access/route-description.ts';
import type { JsonSchema } from '../violations.ts';
import { createFill, type Fill, sampleObjects } from './fill-document.ts';
import { apiDescription } from './openapi-text.ts';

/** A JSON object of the document. */
type Node = Readonly<Record<string, unknown>>;

/** The sources of the document: the routes of the server, and the declarations of its modules. */
export interface OpenApiSource
  extends Pick<
    Declarations,
    'schemas' | 'events' | 'tags' | 'fieldNotes' | 'requestExamples' | 'guests' | 'securitySchemes'
  > {
  readonly routes: readonly RouteDescription[];
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: () => string;
}

/**
 * The OpenAPI 3.1 document of the API. `@fastify/swagger` would build only the paths. Its components contain only
 * schemas used by `$ref`, and TypeBox's static types do not follow a `$ref`.
 */
export function openApiDocument(source: OpenApiSource): Node {
  const { routes, schemas, events, tags, publicUrl, guests, securitySchemes, ...notes } = source;
  const { refer, nameOf } = createReferences(schemas);
  const named = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, refer(schema, name)]));
  const samples = sampleObjects(events, nameOf, publicUrl());
  const fill = createFill({ ...notes, samples, schemas: named as Parameters<typeof createFill>[0]['schemas'] });
  const paths: Record<string, Record<string, Node>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, refer, fill, guests) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'pay-checkout', version: apiVersion, description: apiDescription },
    servers: [{ url: publicUrl() }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map(name => ({
      name,
      ...(tags[name] !== undefined && { description: tags[name] }),
    })),
    paths,
    webhooks: Object.fromEntries(Object.entries(events).map(([type, { data }]) => [type, webhook(type, refer(data))])),
    components: {
      schemas: Object.fromEntries(Object.keys(named).map(name => [name, fill.named(name)])),
      responses: { Error: errorAnswer },
      headers,
      parameters,
      securitySchemes,
    },
  };
}

/** Replaces each named part of a schema by a reference. `own`: the name of the schema itself, which is kept. */
type Refer = (schema: unknown, own?: string) => unknown;

/** Compares schemas by their text, because TypeBox copies a schema that it marks as optional. */
function createReferences(schemas: Declarations['schemas']) {
  const nameOfText = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  const refer: Refer = (schema, own) => {
    if (Array.isArray(schema)) return schema.map(item => refer(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = nameOfText.get(JSON.stringify(schema));
    if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
  };
  return { refer, nameOf: (schema: unknown) => nameOfText.get(JSON.stringify(schema)) };
}

function operation(route: RouteDescription, refer: Refer, fill: Fill, guests: OpenApiSource['guests']): Node {
  const context = `${route.method.toLowerCase()} ${route.url.replace(/:([A-Za-z_]+)/g, '{$1}')}`;
  const filled: Refer = schema => fill.inside(refer(schema) as object, context);
  const notes = [
    route.description,
    route.shownOnce && `\`${route.shownOnce}\` is shown once. The repeat lacks \`${route.shownOnce}\`.`,
    route.scope && `Restricted keys need the scope \`${route.scope}\`.`,
  ];
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: notes.filter(Boolean).join('\n\n'),
    security: securityFor(route.access, guests),
    parameters: [
      ...parametersOf(route.params, 'path', context, fill),
      ...parametersOf(route.query, 'query', context, fill),
      ...keyedParametersOf(route.query),
      ...(route.takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      { $ref: '#/components/parameters/Version' },
    ],
    ...((route.body !== null || route.consumes !== null) && { requestBody: requestBody(route, filled) }),
    responses: { ...answersOf(route, filled), '4XX': errorReference, '5XX': errorReference },
  };
}

/** A form with texts and files by the names of their fields. */
const form = { type: 'object', additionalProperties: { type: 'string', format: 'binary' } } as const;

function requestBody({ body, consumes }: RouteDescription, refer: Refer): Node {
  return {
    required: consumes !== null || (body?.required ?? []).length > 0 || body?.anyOf !== undefined,
    content: {
      ...(body !== null && { 'application/json': { schema: refer(body) } }),
      ...(consumes !== null && {
        [consumes]: { schema: consumes === 'multipart/form-data' ? form : { type: 'string' } },
      }),
    },
  };
}

/** `POST /v1/payments/:id/confirm` is `postPaymentsByIdConfirm`. */
function operationId({ method, url }: RouteDescription): string {
  const words = url.slice('/v1/'.length).replace(/:/g, 'by-').split(/[/_-]/);
  return method.toLowerCase() + words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(schema: JsonSchema | null, place: 'path' | 'query', context: string, fill: Fill): Node[] {
  return Object.entries(schema?.properties ?? {}).map(([name, given]) => {
    const { description, ...property } = fill.field(name, given, context);
    const required = place === 'path' || (schema?.required?.includes(name) ?? false);
    return { name, in: place, required, ...(description !== undefined && { description }), schema: property };
  });
}

/**
 * Query parameters with a key in brackets, such as `metadata[order]`. The schema lists them in `patternProperties`, by
 * a pattern that contains the name: `^metadata\[`.
 */
function keyedParametersOf(schema: JsonSchema | null): Node[] {
  return Object.entries(schema?.patternProperties ?? {}).map(
    ([pattern, { description, ...property }]: [string, JsonSchema & { description?: string }]) => ({
      name: /[a-z_]+/.exec(pattern)?.[0],
      in: 'query',
      required: false,
      style: 'deepObject',
      explode: true,
      ...(description !== undefined && { description }),
      schema: { type: 'object', additionalProperties: property },
    }),
  );
}

const errorReference = { $ref: '#/components/responses/Error' };

/** Answers that are not JSON. The key is the end of the path. */
const otherAnswers = [
  { end: '/stream', type: 'text/event-stream', description: 'Server-Sent Events' },
  { end: '/pdf', type: 'application/pdf', description: 'The document' },
  { end: '/xml', type: 'application/xml', description: 'The XML' },
  { end: '.csv', type: 'text/csv', description: 'The file, in UTF-8 after a byte order mark' },
  { end: '.xml', type: 'application/xml', description: 'The file' },
] as const;

function answersOf({ answers, url }: RouteDescription, refer: Refer): Node {
  const other = otherAnswers.find(({ end }) => url.endsWith(end));
  if (other !== undefined) {
    return { '200': { description: other.description, content: { [other.type]: { schema: { type: 'string' } } } } };
  }
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      {
        description: status === '201' ? 'Made' : 'Done',
        headers: answerHeaders,
        content: { 'application/json': { schema: refer(schema) } },
      },
    ]),
  );
}

/** Describes the delivery of an event type. `object` is the schema of the event's object. */
function webhook(type: string, object: unknown): Node {
  const data = { type: 'object', properties: { object, previous: { type: ['object', 'null'] } } };
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/WebhookEvent' },
      { type: 'object', properties: { type: { const: type }, data } },
    ],
  };
  return {
    post: {
      summary: `The event ${type}`,
      description:
        'The service sends it to webhook endpoints that subscribe to it, signed according to Standard Webhooks.',
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received' } },
    },
  };
}

const headers = {
  Version: { description: 'The version of the API that answered.', schema: { type: 'string', examples: [apiVersion] } },
  RequestId: {
    description: 'The id of this request. Quote it when you ask about the request.',
    schema: { type: 'string' },
  },
  ServerTime: {
    description: 'The current time of your clock; in test mode, of the test clock.',
    schema: { type: 'string', format: 'date-time' },
  },
};

const answerHeaders = {
  'Pay-Version': { $ref: '#/components/headers/Version' },
  'Request-Id': { $ref: '#/components/headers/RequestId' },
  'Pay-Server-Time': { $ref: '#/components/headers/ServerTime' },
};

const parameters = {
  Version: {
    name: 'Pay-Version',
    in: 'header',
    required: false,
    description: 'The version of the API for this request. Default: that of the key.',
    schema: { type: 'string', enum: apiVersions },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes repeats of this request safe for 24 hours: a repeat gets the first response and executes nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

const errorAnswer = {
  description: 'The error, as a message and as a code',
  headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
};

/** A dashboard session counts as a secret key with the rights of its person's role. */
const secret = [{ secretKey: [] }, { session: [] }];

const securityOf = {
  secret,
  test: secret,
  create: [...secret, { publishableKey: [] }],
  person: [{ session: [] }],
  public: [{}],
};

/** What a call needs. Guests have alternatives to a secret key. */
function securityFor(access: Access, guests: OpenApiSource['guests']): readonly object[] {
  return isForGuests(access) ? [...secret, ...(guests[access]?.security ?? [])] : securityOf[access];
}
