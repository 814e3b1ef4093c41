import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/server/platform/http/access/caller.ts';
import { createOnce } from '../../../src/server/platform/http/idempotency/idempotency.ts';
import { claimSeconds } from '../../../src/server/platform/http/idempotency/idempotent-execution.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { owner } from '../people/visitor.ts';

let shop: TestApp;
let count = 0;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const cardPayment = {
  amount: 1000,
  currency: 'USD',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'ada@shop.example' },
};
const addKey = async (scopes: readonly string[]) =>
  (await shop.request('POST /v1/api-keys', { body: { type: 'secret', scopes } })).body;
const freshKey = () => `key-${++count}`;
const make = (key: string, body: unknown = { type: 'secret', name: 'a' }, as = shop.merchant.secretKey) =>
  shop.request('POST /v1/api-keys', { key: as, headers: { 'idempotency-key': key }, body });
const keysNamed = async (name: string) =>
  (await shop.database.db.selectFrom('api_keys').select('id').where('name', '=', name).execute()).length;

describe('a POST with an Idempotency-Key', () => {
  it('is executed once when it is sent fifty times concurrently', async () => {
    const key = freshKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => make(key, { type: 'secret', name: 'fifty' })));
    const made = answers.filter(({ status }) => status === 201);
    const others = answers.filter(({ status }) => status !== 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(others.every(({ status, body }) => status === 409 && body.error.code === 'idempotency_in_progress')).toBe(
      true,
    );
    expect(await keysNamed('fifty')).toBe(1);
  });

  it('gets the same response when it is repeated, byte for byte, headers included', async () => {
    const key = freshKey();
    const call = () =>
      shop.request('POST /v1/customers', { headers: { 'idempotency-key': key }, body: { email: 'ada@shop.example' } });
    const [first, second] = [await call(), await call()];
    expect(first.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['location']).toBe(`/v1/customers/${first.body.id}`);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['request-id']).not.toBe(first.headers['request-id']);
  });

  it('is refused with another body, and nothing is written', async () => {
    const key = freshKey();
    await make(key);
    const { status, body } = await make(key, { type: 'secret', name: 'other body' });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ type: 'idempotency_error', code: 'idempotency_key_reused' });
    expect(await keysNamed('other body')).toBe(0);
  });

  it('compares bodies as JSON values, and paths as decoded routes', async () => {
    const headers = { 'idempotency-key': freshKey() };
    const calls = [
      ['/v1/api-keys', '{"type":"secret","name":"order","scopes":["*"]}'],
      ['/v1/api-keys', '{ "scopes": ["*"], "name": "\\u006frder",\n"type": "secret" }'],
      ['/v1/%61pi-keys', '{"name":"order","type":"secret","scopes":["*"]}'],
    ] as const;
    const answers = [];
    for (const [path, body] of calls) answers.push(await shop.request(`POST ${path}`, { headers, body }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const other = '{"type":"secret","name":"order","scopes":["*","*"]}';
    expect((await shop.request('POST /v1/api-keys', { headers, body: other })).status).toBe(422);
    expect(await keysNamed('order')).toBe(1);
  });

  it('is separate for each merchant, mode and path', async () => {
    const key = freshKey();
    const other = await shop.addMerchant();
    const live = await shop.addKey(shop.merchant.id, 'secret', { livemode: true });
    const answers = [await make(key), await make(key, undefined, other.secretKey), await make(key, undefined, live)];
    const clock = await shop.request('POST /v1/test_helpers/clock', {
      headers: { 'idempotency-key': key },
      body: { advance: 'PT1S' },
    });
    expect([...answers, clock].map(({ status }) => status)).toEqual([201, 201, 201, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
  });

  it.each([
    ['a key', '/v1/api-keys', { type: 'secret', name: 'owner' }, ['api_keys:write'], 422],
    ['a customer', '/v1/customers', { email: 'bob@shop.example' }, ['customers:write'], 422],
    ['a key', '/v1/api-keys', { type: 'secret', name: 'owner' }, ['payments:read'], 403],
    ['a webhook endpoint', '/v1/webhook-endpoints', { url: 'https://93.184.216.34/hooks', events: ['*'] }, ['*'], 422],
    ['a payment', '/v1/payments', cardPayment, ['payments:write'], 422],
  ] as const)('answers only its first caller again: %s, %s', async (_, path, body, scopes, status) => {
    const headers = { 'idempotency-key': freshKey() };
    const call = (key: string) => shop.request(`POST ${path}`, { key, headers, body });
    const first = await call(shop.merchant.secretKey);
    const other = await call((await addKey([...scopes])).key);
    const again = await call(shop.merchant.secretKey);
    expect([first.status, other.status, other.text.includes(first.body.id)]).toEqual([201, status, false]);
    if (status === 422) expect(other.body.error).toMatchObject({ code: 'idempotency_key_reused' });
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([first.body.id, 'true']);
  });

  it('leaves secrets that are shown once out of the stored answer', async () => {
    const endpoint = { url: 'https://93.184.216.34/hooks', events: ['*'] };
    const { body: made } = await shop.request('POST /v1/webhook-endpoints', { body: endpoint });
    for (const [path, body, field] of [
      ['/v1/api-keys', { type: 'secret' }, 'key'],
      ['/v1/webhook-endpoints', endpoint, 'secret'],
      [`/v1/webhook-endpoints/${made.id}/rotate-secret`, undefined, 'secret'],
    ] as const) {
      const headers = { 'idempotency-key': freshKey() };
      const call = () => shop.request(`POST ${path}`, { headers, body });
      const [first, again] = [await call(), await call()];
      const { [field]: secret, ...shown } = first.body;
      expect([path, typeof secret, first.headers['pay-secret-omitted']]).toEqual([path, 'string', undefined]);
      expect(again.body).toEqual(shown);
      expect([again.status, again.headers['pay-secret-omitted']]).toEqual([first.status, field]);
    }
  });

  it('renews its claim while it runs, so that only a crash frees the key', async () => {
    const key = freshKey();
    const rows = () => shop.database.db.selectFrom('idempotency_keys').select('running_until').where('key', '=', key);
    const end = async () => (await rows().executeTakeFirst())?.running_until?.getTime() ?? 0;
    const once = createOnce({
      db: shop.database.db,
      publicUrl: () => 'http://pay.example',
      renewMs: 5,
      secrets: { seal: text => Buffer.from(text), open: bytes => bytes.toString() },
    });
    const http = fastify();
    http.decorateRequest('rawBody', null);
    http.decorateRequest('caller', null);
    http.post('/slow', async (request, reply) => {
      request.caller = {
        kind: 'secret',
        keyId: 'key_1',
        livemode: false,
        merchant: { id: shop.merchant.id },
      } as Caller;
      return await once(request, reply, async () => {
        const before = await end();
        while ((await end()) <= before) await sleep(1);
        return { status: 200, body: {} };
      });
    });
    const answer = await http.inject({ method: 'POST', url: '/slow', headers: { 'idempotency-key': key } });
    expect([answer.statusCode, await end()]).toEqual([200, 0]);
    expect(claimSeconds).toBeLessThan(10);
    await http.close();
  });

  it('is separate for browsers, which neither read nor use the keys of the server', async () => {
    const payment = {
      amount: 1000,
      currency: 'USD',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'ada@shop.example' },
      metadata: { margin: 'secret' },
    };
    const merchant = await shop.addMerchant({ clientAmounts: true });
    const send = (path: `/${string}`, key: string, body: unknown, idempotencyKey: string) => {
      const headers = { 'idempotency-key': idempotencyKey, origin: 'http://localhost:5173' };
      return shop.request(`POST ${path}`, { key, headers, body });
    };
    const [serverFirst, browserFirst] = [freshKey(), freshKey()];
    const made = await send('/v1/payments', merchant.secretKey, payment, serverFirst);
    const browser = await send('/v1/payments', merchant.publishableKey, payment, serverFirst);
    await send('/v1/payments', merchant.publishableKey, payment, browserFirst);
    const server = await send('/v1/payments', merchant.secretKey, payment, browserFirst);
    expect([browser.status, browser.body.id === made.body.id, browser.body.metadata]).toEqual([201, false, undefined]);
    expect([server.status, server.headers['idempotent-replayed'], server.body.created_via]).toEqual([
      ...[201, undefined, 'server'],
    ]);
    const quotes = `/v1/payments/${made.body.id}/quotes` as const;
    const whole = await send(quotes, merchant.secretKey, {}, serverFirst);
    const part = await send(quotes, made.body.client_secret, {}, serverFirst);
    expect([whole.body.metadata, part.status, part.body.metadata]).toEqual([{ margin: 'secret' }, 200, undefined]);
    const again = await send(quotes, made.body.client_secret, {}, serverFirst);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([part.text, 'true']);
  });

  it.each([
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
    ['blanks', '   '],
    ['a line break', 'a\r\nb'],
    ['letters beyond ASCII', 'schlüssel'],
  ])('is refused with a key of %s', async (_, key) => {
    const { status, body } = await make(key);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_idempotency_key', param: 'Idempotency-Key' });
  });

  it('is executed again after an internal error, and after its body was refused', async () => {
    const key = freshKey();
    await sql`alter table api_keys add constraint no_doomed check (name <> 'doomed')`.execute(shop.database.db);
    const failed = await make(key, { type: 'secret', name: 'doomed' });
    await sql`alter table api_keys drop constraint no_doomed`.execute(shop.database.db);
    const again = await make(key, { type: 'secret', name: 'doomed' });
    expect(failed.status).toBe(500);
    expect(failed.body.error.code).toBe('internal_error');
    expect(again.status).toBe(201);
    expect(await keysNamed('doomed')).toBe(1);
  });

  it('repeats an error of the operation', async () => {
    const key = freshKey();
    const call = () =>
      shop.request('POST /v1/payments/pay_0000000000000000000000/cancel', { headers: { 'idempotency-key': key } });
    const [first, second] = [await call(), await call()];
    expect(first.status).toBe(404);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('is executed by a retry when the first call crashed, and still refuses another body', async () => {
    const key = freshKey();
    const crashed = make(key, { type: 'secret', name: 'first' });
    await crashed;
    await shop.database.db
      .updateTable('idempotency_keys')
      .set({ answer_status: null, answer_body: null, running_until: sql`now() - interval '1 second'` })
      .where('key', '=', key)
      .execute();
    const other = await make(key, { type: 'secret', name: 'second' });
    const retry = await make(key, { type: 'secret', name: 'first' });
    expect([other.status, retry.status]).toEqual([422, 201]);
    expect(retry.headers['idempotent-replayed']).toBeUndefined();
  });

  it('is forgotten after 24 hours', async () => {
    const key = freshKey();
    const first = await make(key);
    await shop.database.db
      .updateTable('idempotency_keys')
      .set({ expires_at: sql`expires_at - interval '24 hours'` })
      .where('key', '=', key)
      .execute();
    expect(await shop.sweep('idempotency.expire')).toBeGreaterThan(0);
    const later = await make(key, { type: 'secret', name: 'a later one' });
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
  });

  it('is forgotten after 24 hours also for creating a payment, before any clean-up', async () => {
    const key = freshKey();
    const pay = (amount: number) =>
      shop.request('POST /v1/payments', {
        headers: { 'idempotency-key': key },
        body: {
          amount,
          currency: 'USD',
          settlement_asset: 'USDC',
          settlement_network: 'stellar',
          payment_methods: ['card'],
          customer: { email: 'ada@shop.example' },
        },
      });
    const expire = () =>
      shop.database.db.updateTable('idempotency_keys').set({ expires_at: sql`now()` }).where('key', '=', key).execute();
    const first = await pay(1000);
    await expire();
    const same = await pay(1000);
    await expire();
    const other = await pay(2000);
    expect([first, same, other].map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set([first, same, other].map(({ body }) => body.id)).size).toBe(3);
  });

  it('encrypts the stored response in the database', async () => {
    const key = freshKey();
    const { body } = await make(key);
    const row = await shop.database.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    expect(row.answer_body?.includes(body.key)).toBe(false);
    expect(row.resource_id).toBe(body.id);
  });
});

describe('every POST of the OpenAPI document', () => {
  interface Schema {
    readonly $ref?: string;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly examples?: readonly unknown[];
  }
  interface Post {
    readonly path: string;
    readonly description: string;
    readonly security: readonly Readonly<Record<string, unknown>>[];
    readonly parameters: readonly { readonly $ref?: string }[];
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { readonly schema: Schema; example?: unknown }>>;
    };
    readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
  }
  /** Bodies of calls whose documentation has no example. */
  const bodies: Readonly<Record<string, object>> = {
    '/v1/customers': { email: 'ada@shop.example' },
    '/v1/customers/{id}/kyc/reject': { reasons: ['The photo is blurred.'] },
    '/v1/customers/{id}/kyc/request_more': { reasons: ['The address is missing.'] },
    '/v1/domains': { name: 'pay.shop.example' },
    '/v1/invitations': { email: 'ada@shop.example', role: 'developer' },
    '/v1/merchants': { name: 'Branch' },
    '/v1/payments/{id}/wallet_transactions/{wtx}/submit': { signed_envelope_xdr: 'AAAA' },
    '/v1/recurring-invoices': {
      invoice: { currency: 'EUR', customer: { name: 'Ada' }, lines: [{ description: 'Work', unit_amount: 5000 }] },
      rrule: 'FREQ=MONTHLY',
      starts_on: '2026-12-01',
    },
    '/v1/test_helpers/clock': { advance: 'PT1M' },
    '/v1/test_helpers/customers/{id}/kyc': { status: 'approved' },
    '/v1/test_helpers/ramps/{id}': { status: 'expired' },
    '/v1/test_helpers/events': { type: 'payment.created' },
    '/v1/transfers/{id}/assign': { payment_id: 'pay_1' },
  };
  let posts: readonly Post[];
  let resolve: (schema: Schema | undefined) => Schema;
  const takesKey = ({ parameters }: Post) =>
    parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey');
  beforeAll(async () => {
    const { body: document } = await shop.request('GET /openapi.json', { key: null });
    const paths = Object.entries<{ readonly post?: Omit<Post, 'path'> }>(document.paths);
    posts = paths.flatMap(([path, { post }]) => (post === undefined ? [] : [{ ...post, path }]));
    resolve = schema => {
      if (schema?.$ref === undefined) return schema ?? {};
      return document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    };
  });

  it('takes an Idempotency-Key, unless it writes nothing or proves who a person is', () => {
    const others = posts.filter(post => !takesKey(post)).map(({ path }) => path.slice('/v1/'.length));
    expect(others.toSorted()).toEqual([
      ...['checkout/open', 'checkout/stream', 'customers/{id}/kyc/reveal', 'invitations/accept', 'invitations/open'],
      'invoices/preview',
      ...['invoices/preview/pdf', 'invoices/{id}/credit-notes/preview', 'invoices/{id}/preview'],
      ...['invoices/{id}/preview/pdf', 'password-resets', 'password-resets/confirm', 'person/passkeys'],
      ...['person/passkeys/options', 'person/recovery-codes', 'person/totp', 'person/totp/confirm'],
      ...['ramps/{id}/resume', 'session', 'session/confirm', 'session/passkey', 'session/passkey-options'],
    ]);
  });

  it('reads the key before it does anything else', async () => {
    const person = await owner(shop);
    const answers = await Promise.all(
      posts.filter(takesKey).map(async ({ path, security, requestBody }) => {
        const call = `POST /${path.slice(1).replace(/\{\w+\}/g, 'x_1')}` as const;
        const json = requestBody?.content['application/json'];
        const body = bodies[path] ?? json?.example ?? resolve(json?.schema).examples?.[0];
        const headers = { 'idempotency-key': 'k'.repeat(256) };
        const isForKeys = security.some(way => 'secretKey' in way);
        const answer = isForKeys
          ? await shop.request(call, { headers, ...(body !== undefined && { body }) })
          : await person.send(call, body, headers);
        return [path, answer.body.error?.code];
      }),
    );
    expect(answers.filter(([, code]) => code !== 'invalid_idempotency_key')).toEqual([]);
  });

  it('stores no secret that is shown once', () => {
    const secret = /^(key|secret|token|password|recovery_codes|\w+_(secret|token|password|codes))$/;
    const shown = posts.filter(takesKey).flatMap(({ path, description, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const { properties = {} } = status < '3' ? resolve(content?.['application/json']?.schema) : {};
        // A client secret belongs to its payment or ramp: the service derives it again for a replay.
        const fields = Object.keys(properties).filter(name => secret.test(name) && !name.endsWith('client_secret'));
        return fields.map(name => [path, name, description.includes(`The repeat lacks \`${name}\``)]);
      }),
    );
    expect(shown).toEqual([
      ['/v1/webhook-endpoints', 'secret', true],
      ['/v1/webhook-endpoints/{id}/rotate-secret', 'secret', true],
      ['/v1/api-keys', 'key', true],
    ]);
  });
});
