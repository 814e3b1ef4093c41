import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules } from '../../../src/server/app.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { browserDir } from '../../support/built.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp({ browserDir });
});
afterAll(() => shop?.close());

const visit = (path: string) => shop.request(`GET ${path}` as 'GET /', { key: null });

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: object[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema & { const?: string }>;
}

/** The schema of a list's items; any other schema unchanged. */
const itemOf = (schema: Schema | undefined) =>
  schema?.properties?.['object']?.const === 'list' ? schema.properties['data']?.items : schema;
const isNamed = ({ $ref, anyOf }: Schema): boolean => $ref !== undefined || anyOf?.every(isNamed) === true;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1: all references resolve and all schemas are valid', async () => {
    const { body: document, headers } = await visit('/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    expect(headers['access-control-allow-origin']).toBe('*');
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(match => match[1] ?? '');
    const target = (path: string) => path.split('/').reduce((node, key) => node?.[key], document);
    expect(references.filter(path => target(path) === undefined)).toEqual([]);
    expect(references.length).toBeGreaterThan(50);
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema(document, 'api');
    for (const name of Object.keys(document.components.schemas)) {
      expect(ajv.getSchema(`api#/components/schemas/${name}`), name).toBeTypeOf('function');
    }
  });

  it('describes every operation with name, authentication and errors', async () => {
    const { body: document } = await visit('/openapi.json');
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap(path => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      expect(operation.tags, operation.operationId).not.toEqual(['Other']);
      expect(operation.security.length, operation.operationId).toBeGreaterThan(0);
      expect(operation.responses, operation.operationId).toHaveProperty('4XX');
    }
    expect(document.paths['/v1/payments/{id}/confirm'].post.security).toHaveLength(4);
  });

  it('names every object that the API accepts, returns and delivers', async () => {
    const { body: document } = await visit('/openapi.json');
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap(path => Object.values(path));
    const nameless = operations.flatMap(({ operationId, requestBody, responses }) => {
      const answers = Object.values(responses).map(answer => answer.content?.['application/json']?.schema);
      const objects = [requestBody?.content['application/json']?.schema, ...answers.map(itemOf)];
      return objects.some(schema => schema !== undefined && !isNamed(schema)) ? [operationId] : [];
    });
    expect(nameless).toEqual([]);
    const declared = modules.flatMap(({ events }) => Object.keys(events ?? {}));
    expect(Object.keys(document.webhooks).toSorted()).toEqual(declared.toSorted());
    for (const [type, { post }] of Object.entries<Operation & { post: Operation }>(document.webhooks)) {
      const [envelope, own] = post.requestBody?.content['application/json'].schema.allOf ?? [];
      expect([type, envelope?.$ref]).toEqual([type, '#/components/schemas/WebhookEvent']);
      expect(own?.properties?.['data']?.properties?.['object']?.$ref).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/);
    }
  });

  it('matches the service: a real response fits its schema', async () => {
    const { body: document } = await visit('/openapi.json');
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema(document, 'api');
    const answers: [string, unknown][] = [
      ['Account', (await shop.request('GET /v1/account')).body],
      ['ApiKey', (await shop.request('POST /v1/api-keys', { body: { type: 'secret' } })).body],
      ['ErrorBody', (await shop.request('POST /v1/api-keys', { body: {} })).body],
      ['TestClock', (await shop.request('GET /v1/test_helpers/clock')).body],
    ];
    for (const [name, answer] of answers) {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`);
      expect(validate?.(answer), `${name}: ${JSON.stringify(validate?.errors)}`).toBe(true);
    }
  });
});

describe('the site', () => {
  it('shows its start page under a policy that allows no scripts', async () => {
    const { status, headers, text } = await visit('/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i);
  });

  it('shows the test keys and a command to try them', async () => {
    const { text, headers } = await visit('/');
    expect(text).toContain(shop.merchant.secretKey);
    expect(text).toContain(shop.merchant.publishableKey);
    expect(text).toContain('/v1/payments');
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each<[string, object]>([
    ['for another name', { headers: { host: 'pay.example' } }],
    ['for a name that begins alike', { headers: { host: 'localhost.evil.example' } }],
    ['from another machine', { remoteAddress: '203.0.113.7' }],
    ['through a proxy on this machine', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
  ])('shows no key to a request %s', async (_, request) => {
    const { statusCode, body } = await shop.app.http.inject({ url: '/', ...request });
    expect([statusCode, /[sp]k_test_[0-9A-Za-z]{16}/.test(body)]).toEqual([200, false]);
    expect(body).toContain('sk_test_YOUR_SECRET_KEY');
  });

  it('never shows keys from the operator’s settings', async () => {
    const given = await startTestApp({ givenKeys: ['secret', 'publishable'] });
    const { text } = await given.request('GET /', { key: null }).finally(() => given.close());
    expect(text).not.toMatch(/[sp]k_test_[0-9A-Za-z]{16}/);
  });
});

describe('a request', () => {
  it.each<[string, number, string]>([
    ['GET /nowhere', 404, 'route_not_found'],
    ['GET /v1/payment', 404, 'route_not_found'],
    ['GET /%zz', 400, 'malformed_request'],
    ['DELETE /v1/payments', 405, 'method_not_allowed'],
    ['PUT /v1/account', 405, 'method_not_allowed'],
    [`GET /v1/payments/${'x'.repeat(300)}`, 404, 'resource_missing'],
    ['GET /v1/payments/a%00b', 404, 'resource_missing'],
    ['POST /v1/payments/a%00b/cancel', 404, 'resource_missing'],
    ['GET /v1/payments?starting_after=%00', 400, 'parameter_invalid'],
    ['GET /v1/payments?%00=1', 400, 'parameter_invalid'],
    ['GET /v1/events?type=%2500', 400, 'invalid_event_type'],
    ['GET /nowhere%00', 404, 'route_not_found'],
  ])('to an invalid path or method gets an error: %s', async (call, status, code) => {
    const answer = await shop.request(call as 'GET /');
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.request_id).toBe(answer.headers['request-id']);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    if (status === 405) expect(answer.headers['allow']).toMatch(/GET/);
  });

  it('to an unknown path gets a page for a browser and JSON for a program', async () => {
    const person = await shop.request('GET /nowhere', { key: null, headers: { accept: 'text/html,*/*' } });
    expect([person.status, person.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const program = await shop.request('GET /v1/nowhere', { headers: { accept: 'text/html' } });
    expect([program.status, program.body.error.code]).toEqual([404, 'route_not_found']);
  });

  it('with HEAD gets the response of GET without a body', async () => {
    const { status, text } = await shop.request('HEAD /v1/account');
    expect([status, text]).toEqual([200, '']);
  });

  it('to a system route gets health, readiness or metrics', async () => {
    expect((await visit('/healthz')).body).toEqual({ status: 'ok' });
    // A server that has received no request through a proxy.
    const other = await startTestApp();
    const { body } = await other.request('GET /readyz', { key: null }).finally(() => other.close());
    expect(body).toEqual({ status: 'ready' });
    await shop.request('GET /v1/account');
    const { text, headers } = await visit('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toContain('pay_http_request_seconds_count{method="GET",route="/v1/account",status="200"}');
    expect(text).not.toContain(shop.merchant.id);
  });
});
