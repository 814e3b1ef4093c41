import * as eventSchemas from '../../../../api/event.ts';
import * as linkSchemas from '../../../../api/link.ts';
import * as merchantSchemas from '../../../../api/merchant.ts';
import * as paymentSchemas from '../../../../api/payment.ts';
import { Deleted, ErrorBody, Metadata } from '../../../../api/schema.ts';
import type { Access } from '../access/caller.ts';
import type { JsonSchema } from '../violations.ts';
import { apiDescription, tagDescriptions } from './openapi-text.ts';
import type { RouteDescription } from './route-description.ts';

/** A JSON object of the document. */
type Node = Readonly<Record<string, unknown>>;

/** What the document is made of. `publicUrl` has no slash at the end. */
export interface OpenApiSource {
  readonly routes: readonly RouteDescription[];
  readonly publicUrl: string;
}

/** The OpenAPI 3.1 document of the API: paths from the routes, components from the schemas they share. */
export function openApiDocument({ routes, publicUrl }: OpenApiSource): Node {
  const paths: Record<string, Record<string, Node>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))].map(name => ({
    name,
    ...(tagDescriptions[name] !== undefined && { description: tagDescriptions[name] }),
  }));
  return {
    openapi: '3.1.0',
    info: { title: 'pay-checkout', version: eventSchemas.apiVersion, description: apiDescription },
    servers: [{ url: publicUrl }],
    tags,
    paths,
    webhooks: { event: webhook() },
    components: {
      schemas: componentSchemas(),
      responses: { Error: errorAnswer },
      headers,
      parameters,
      securitySchemes,
    },
  };
}

const namedSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries({
    ...paymentSchemas,
    ...linkSchemas,
    ...merchantSchemas,
    ...eventSchemas,
    Deleted,
    ErrorBody,
    Metadata,
  }).filter(([name, value]) => /^[A-Z]/.test(name) && typeof value === 'object' && !Array.isArray(value)) as [
    string,
    JsonSchema,
  ][],
);

/** Schemas are compared by their text, since the library copies those it marks as optional. */
const nameOfText = new Map(Object.entries(namedSchemas).map(([name, schema]) => [JSON.stringify(schema), name]));

/** The schema with every part that has a name replaced by a reference to it. */
function withReferences(schema: unknown, own?: string): unknown {
  if (Array.isArray(schema)) return schema.map(item => withReferences(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = nameOfText.get(JSON.stringify(schema));
  if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]));
}

function componentSchemas(): Node {
  return Object.fromEntries(Object.entries(namedSchemas).map(([name, schema]) => [name, withReferences(schema, name)]));
}

function operation(route: RouteDescription): Node {
  const security = securityOf[route.access];
  const notes = [route.description, route.scope && `Restricted keys need the scope \`${route.scope}\`.`];
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: notes.filter(Boolean).join('\n\n'),
    ...(security !== null && { security }),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(route.body !== null && {
      requestBody: {
        required: (route.body.required ?? []).length > 0 || route.body.anyOf !== undefined,
        content: { 'application/json': { schema: withReferences(route.body) } },
      },
    }),
    responses: { ...answersOf(route), '4XX': errorReference, '5XX': errorReference },
  };
}

/** `POST /v1/payments/:id/confirm` is `postPaymentsByIdConfirm`. */
function operationId({ method, url }: RouteDescription): string {
  const words = url.slice('/v1/'.length).split(/[/_-]/);
  const camel = words.map(word => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word)));
  return method.toLowerCase() + camel.join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function parametersOf(schema: JsonSchema | null, place: 'path' | 'query'): Node[] {
  return Object.entries(schema?.properties ?? {}).map(
    ([name, { description, ...property }]: [string, JsonSchema & { description?: string }]) => ({
      name,
      in: place,
      required: place === 'path' || (schema?.required?.includes(name) ?? false),
      ...(description !== undefined && { description }),
      schema: property,
    }),
  );
}

const errorReference = { $ref: '#/components/responses/Error' };

/** Answers that are no JSON, by what their paths end in. */
const otherAnswers = [
  { end: '/stream', type: 'text/event-stream', description: 'Server-Sent Events' },
  { end: '/pdf', type: 'application/pdf', description: 'The document' },
] as const;

function answersOf({ answers, url }: RouteDescription): Node {
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
        content: { 'application/json': { schema: withReferences(schema) } },
      },
    ]),
  );
}

function webhook(): Node {
  return {
    post: {
      summary: 'An event, delivered to a webhook endpoint',
      description: `Signed as Standard Webhooks describe. Types: ${eventSchemas.eventTypes.map(type => `\`${type}\``).join(', ')}.`,
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } } },
      responses: { '2XX': { description: 'Received' } },
    },
  };
}

const headers = {
  RequestId: { description: 'Names this request; quote it when you ask about it.', schema: { type: 'string' } },
  ServerTime: {
    description: 'The present moment on your clock: the test clock in test mode.',
    schema: { type: 'string', format: 'date-time' },
  },
};

const answerHeaders = {
  'Request-Id': { $ref: '#/components/headers/RequestId' },
  'Pay-Server-Time': { $ref: '#/components/headers/ServerTime' },
};

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Makes a repeat of this very request safe for 24 hours: it is answered again, not done again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

const errorAnswer = {
  description: 'What is wrong, in words and as a code',
  headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
};

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key: `sk_test_…` or `sk_live_…`. For servers only.',
  },
  publishableKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A publishable key: `pk_test_…` or `pk_live_…`. Safe in web pages of allowed origins.',
  },
  clientSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'Pay-Client-Secret',
    description: 'The client secret of the payment, beside a publishable key.',
  },
  clientSecretAlone: {
    type: 'http',
    scheme: 'bearer',
    description: 'The client secret of the payment, without a key.',
  },
};

const securityOf: Readonly<Record<Access, readonly Node[] | null>> = {
  secret: [{ secretKey: [] }],
  test: [{ secretKey: [] }],
  create: [{ secretKey: [] }, { publishableKey: [] }],
  payer: [{ secretKey: [] }, { publishableKey: [], clientSecret: [] }, { clientSecretAlone: [] }],
  link: [{ secretKey: [] }, {}],
  public: null,
};
