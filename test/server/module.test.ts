import { type Static, Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Closed } from '../../src/api/schema.ts';
import { idPrefixes } from '../../src/core/id.ts';
import { modules as areas } from '../../src/dashboard/modules.ts';
import { matchOperation, operations } from '../../src/proxy/operation.ts';
import { type AppModule, modules } from '../../src/server/app.ts';
import type { KeyDirectory } from '../../src/server/merchants/key-directory.ts';
import { createPasswords } from '../../src/server/people/password.ts';
import type { Db } from '../../src/server/platform/db/database.ts';
import { sampleEvents } from '../../src/server/platform/events/sample.ts';
import { callerOf } from '../../src/server/platform/http/access/caller.ts';
import { everybody } from '../../src/server/platform/http/access/roles.ts';
import { declarationsOf, defineModule } from '../../src/server/platform/module.ts';
import { provideServices } from '../../src/server/platform/services.ts';
import { quickCost, startTestApp, type TestApp } from '../support/app.ts';
import { own, password, personWith } from './people/visitor.ts';

const CreateGift = Closed({ note: Type.String({ minLength: 1, maxLength: 100 }) });
const Gift = Type.Object({
  id: Type.String(),
  object: Type.Literal('gift'),
  note: Type.String(),
  livemode: Type.Boolean(),
});

let wrapped = 0;

declare module '../../src/server/platform/http/access/guest.ts' {
  interface GuestKinds {
    /** Has the secret of the gift `:id`. */
    gift: true;
  }
}

/** Wraps gifts for other modules. */
type Wrap = (what: string) => string;

interface Deps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
}

/** A new module needs only its manifest and an entry in the list of modules. */
const gifts = defineModule<Deps, { services: { wrap: Wrap } }>({
  name: 'gifts',
  guests: {
    gift: {
      security: [{ giftSecret: [] }],
      create: ({ keys }) => ({
        object: 'gift',
        secret: {
          name: 'gift secret',
          prefix: 'gift_',
          header: 'Pay-Gift-Secret',
          open: text => {
            const [id, merchantId] = text.split(':');
            return id === undefined || merchantId === undefined ? null : { id, merchantId };
          },
        },
        find: async (_, merchantId) => {
          const merchant = await keys.findMerchant(merchantId ?? '');
          return merchant && { merchant, livemode: false };
        },
      }),
    },
  },
  securitySchemes: { giftSecret: { type: 'http', scheme: 'bearer', description: 'The secret of the gift.' } },
  provides: { wrap: () => what => `wrapped ${what}` },
  tables: ['gifts'],
  schemas: { Gift, CreateGift },
  events: sampleEvents(Gift, ({ caller }) => ({ ...gift('gift_1', 'Tea'), livemode: caller.livemode }), {
    'gift.given': () => ({}),
    'gift.changed': () => ({ note: 'Coffee' }),
  }),
  fieldNotes: { 'Gift.note': ['The card on the gift.', 'For you'] },
  requestExamples: { CreateGift: { note: 'A book' } },
  search: [{ type: 'gift', scope: 'gifts:read', find: async (_, { text }) => (text === 'gift_2' ? [found] : []) }],
  pageIds: { gift: token => `gift_${token}` },
  attention: { gifts_unwrapped: { url: '/v1/gifts?wrapped=false', count: async () => 3 } },
  scopes: { gifts: { read: everybody, write: ['owner', 'finance'] } },
  tags: { Gifts: 'Payments without a price.' },
  routes: app => {
    app.get<{ Params: { id: string } }>(
      '/v1/gifts/:id',
      {
        schema: { response: { 200: Gift }, tags: ['Gifts'], summary: 'Look' },
        config: { access: 'gift', scope: 'gifts:read' },
      },
      async request => gift(request.params.id, callerOf(request).kind),
    );
    app.post<{ Body: Static<typeof CreateGift> }>(
      '/v1/gifts',
      {
        schema: { body: CreateGift, response: { 201: Gift }, tags: ['Gifts'], summary: 'Give' },
        config: { access: 'secret', scope: 'gifts:write' },
      },
      async (request, reply) =>
        reply.code(201).send({ ...gift('gift_2', request.body.note), livemode: callerOf(request).livemode }),
    );
  },
  sweeps: () => [
    {
      name: 'gifts.wrap',
      everyMs: 60_000,
      run: async () => (wrapped++ === 0 ? 1 : 0),
    },
  ],
  gauges: () => [{ name: 'pay_gifts_wrapped', help: 'Gifts wrapped.', read: () => wrapped }],
  overdue: { gift: async (_, now) => [{ count: 2, since: new Date(now.getTime() - 1_000_000) }] },
  remarks: () => ['gifts: the paper runs out'],
});

/** A module that calls the first one by its service, and comes before it in the list. */
const shelves = defineModule<{ readonly wrap: Wrap }>({
  name: 'shelves',
  remarks: ({ wrap }) => [`shelves: ${wrap('tea')}`],
});

const found = { type: 'gift', id: 'gift_2', title: 'A book', subtitle: null, url: '/v1/gifts/gift_2', parent: null };

function gift(id: string, note: string): Static<typeof Gift> {
  return { id, object: 'gift', note, livemode: false };
}

let shop: TestApp;
beforeAll(async () => {
  // The types of the service's list do not know the service of this test's module.
  shop = await startTestApp({ modules: [shelves as unknown as AppModule, gifts] });
});
afterAll(() => shop.close());

it('its route is served, validated and guarded by its scope', async () => {
  const made = await shop.request('POST /v1/gifts', { body: { note: 'A book' } });
  expect([made.status, made.body]).toEqual([201, gift('gift_2', 'A book')]);
  expect((await shop.request('POST /v1/gifts', { body: { note: '' } })).body.error.param).toBe('note');
  const key = await shop.addKey(shop.merchant.id, 'secret', { scopes: ['events:read'] });
  expect((await shop.request('POST /v1/gifts', { key, body: { note: 'A book' } })).status).toBe(403);
  const restricted = await shop.request('POST /v1/api-keys', { body: { type: 'secret', scopes: ['gifts:write'] } });
  expect(restricted.status).toBe(201);
});

it('its route, objects and events are in the OpenAPI document', async () => {
  const { body: document } = await shop.request('GET /openapi.json', { key: null });
  const { post } = document.paths['/v1/gifts'];
  expect(post.requestBody.content['application/json'].schema.$ref).toBe('#/components/schemas/CreateGift');
  expect(post.responses['201'].content['application/json'].schema.$ref).toBe('#/components/schemas/Gift');
  expect(document.tags).toContainEqual({ name: 'Gifts', description: 'Payments without a price.' });
  expect(JSON.stringify(document.webhooks['gift.given'])).toContain('#/components/schemas/Gift');
});

describe('its guests', () => {
  const ask = (key: string | null, headers: Readonly<Record<string, string>> = {}, id = 'gift_2') =>
    shop.request(`GET /v1/gifts/${id}`, { key, headers });

  it('are admitted with their secret, alone or beside a publishable key', async () => {
    const secret = `gift_2:${shop.merchant.id}`;
    const answers = await Promise.all([
      ask(secret),
      ask(shop.merchant.publishableKey, { 'pay-gift-secret': secret }),
      ask(shop.merchant.secretKey),
    ]);
    expect(answers.map(({ body }) => body.note)).toEqual(['gift', 'gift', 'secret']);
  });

  it.each([
    [
      'with the secret of another object',
      403,
      'client_secret_mismatch',
      'The gift secret does not belong to this gift.',
    ],
    ['without a secret', 403, 'secret_key_required', 'or the gift secret of the gift in the header Pay-Gift-Secret.'],
  ])('are refused %s', async (kind, status, code, message) => {
    const secret = `gift_2:${shop.merchant.id}`;
    const answer = await (kind === 'without a secret' ? ask(shop.merchant.publishableKey) : ask(secret, {}, 'gift_3'));
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).toContain(message);
  });

  it('may call from pages, and stand in the OpenAPI document', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    const preflight = await shop.request('OPTIONS /v1/gifts/gift_2', { key: null, headers });
    expect(preflight.headers['access-control-allow-headers']).toContain('Pay-Gift-Secret');
    const { paths, components } = (await shop.request('GET /openapi.json', { key: null })).body;
    expect(paths['/v1/gifts/{id}'].get.security).toContainEqual({ giftSecret: [] });
    expect(components.securitySchemes.giftSecret.description).toBe('The secret of the gift.');
  });

  it('of a kind that no module brings stop the start', async () => {
    const { guests, ...others } = gifts;
    await expect(startTestApp({ database: shop.database, modules: [others] })).rejects.toThrow(
      'GET /v1/gifts/:id admits guests of the kind gift, which no module brings',
    );
  });
});

it('its notes and examples are in the OpenAPI document', async () => {
  const { schemas } = (await shop.request('GET /openapi.json', { key: null })).body.components;
  expect(schemas.Gift.properties.note).toMatchObject({ description: 'The card on the gift.', examples: ['For you'] });
  expect(schemas.CreateGift.examples).toEqual([{ note: 'A book' }]);
});

it('people of its roles may call it, and their search and overview show its objects', async () => {
  const [finance, viewer] = await Promise.all(
    (['finance', 'viewer'] as const).map(async role => {
      const hash = await createPasswords(quickCost).hash(password);
      return await personWith(shop, role, hash);
    }),
  );
  expect((await finance?.send('POST /v1/gifts', { note: 'Tea' }))?.status).toBe(201);
  expect((await viewer?.send('POST /v1/gifts', { note: 'Tea' }))?.body.error.code).toBe('role_not_allowed');
  for (const text of ['gift_2', `${own}/gift/2?from=mail`]) {
    const { body } = (await viewer?.send(`GET /v1/search?q=${encodeURIComponent(text)}`)) ?? {};
    expect(body.data).toEqual([{ object: 'search_result', ...found }]);
  }
  const { attention } = (await viewer?.send('GET /v1/reports/overview'))?.body ?? {};
  expect(attention).toEqual([{ kind: 'gifts_unwrapped', count: 3, has_more: false, url: '/v1/gifts?wrapped=false' }]);
});

it('each operation of the shop’s proxy has a route', async () => {
  const { body: document } = await shop.request('GET /openapi.json', { key: null });
  const routes = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => matchOperation(method.toUpperCase(), path.replace(/\{\w+\}/g, 'id_1'))),
  );
  const served = routes.flatMap(match => (match !== null && 'row' in match ? match.row.name : []));
  expect(operations.filter(name => !served.includes(name))).toEqual([]);
});

it('its events can be triggered and subscribed to', async () => {
  const hook = { url: 'https://shop.example/hook', events: ['gift.*'] };
  expect((await shop.request('POST /v1/webhook-endpoints', { body: hook })).body.events).toEqual(['gift.*']);
  const event = await shop.request('POST /v1/test_helpers/events', { body: { type: 'gift.changed' } });
  expect(event.body.data).toEqual({ object: gift('gift_1', 'Coffee'), previous: { note: 'Tea' } });
});

it('its sweep, gauge, overdue check and remark are active', async () => {
  expect(await shop.sweep('gifts.wrap')).toBe(1);
  const { text } = await shop.request('GET /metrics', { key: null });
  expect(text).toContain('pay_gifts_wrapped 2');
  expect(text).toContain('pay_waiting{kind="gift"} 2');
  const { body } = await shop.request('GET /readyz', { key: null });
  expect(body.remarks).toEqual([
    'shelves: wrapped tea',
    'gifts: the paper runs out',
    'gift: 2 wait, the oldest for 1000 s',
  ]);
});

it('a module whose service no other module provides does not compile in the list', () => {
  // @ts-expect-error No module of the service provides `wrap`.
  const lonely: AppModule = shelves;
  expect(lonely.name).toBe('shelves');
});

describe('services', () => {
  const providing = (name: string, needs: readonly string[]) => ({
    provides: { [name]: (all: Readonly<Record<string, unknown>>) => [name, ...needs.map(need => all[need])] },
  });

  it.each([
    ['in the order of the list', ['c', 'b', 'a']],
    ['in another order', ['a', 'b', 'c']],
  ])('are created when others need them, %s', (_, order) => {
    const needs: Readonly<Record<string, string[]>> = { a: ['b', 'c'], b: ['c'], c: ['base'] };
    const made = provideServices(
      { base: 1 },
      order.map(name => providing(name, needs[name] ?? [])),
    );
    expect(made).toEqual({ base: 1, a: ['a', ['b', ['c', 1]], ['c', 1]], b: ['b', ['c', 1]], c: ['c', 1] });
  });

  it('that need each other are refused by name', () => {
    const list = [providing('a', ['b']), providing('b', ['c']), providing('c', ['b'])];
    expect(() => provideServices({}, list)).toThrow('services need each other in a circle: b → c → b');
  });

  it('that the base has already are not created', () => {
    expect(provideServices({ a: 'own', b: undefined }, [providing('a', []), providing('b', [])])).toEqual({
      a: 'own',
      b: ['b'],
    });
  });
});

describe('the words of the dashboard', () => {
  const declared = declarationsOf(modules);
  const named = (kind: 'events' | 'objects' | 'attention') => areas.flatMap(area => Object.keys(area[kind] ?? {}));

  it('say for each kind of work what waits', () => {
    expect(named('attention').toSorted()).toEqual(Object.keys(declared.attention).toSorted());
  });

  it.each([
    ['events', Object.keys(declared.events)],
    ['objects', Object.values(idPrefixes)],
  ] as const)('are for %s that exist, once each', (kind, known: readonly string[]) => {
    const names = named(kind);
    expect(names.filter((name, index) => !known.includes(name) || names.indexOf(name) < index)).toEqual([]);
  });

  it('lead to pages that exist', () => {
    const paths = areas.flatMap(({ objects = {}, attention = {} }) => [
      ...Object.values(objects).map(path => (path.endsWith('/') ? `${path}x` : path)),
      ...Object.values(attention).map(([, , path]) => path.replace(/\?.*/, '')),
    ]);
    const pages = areas.flatMap(({ pages: list }) => list.map(({ path }) => new URLPattern({ pathname: path })));
    expect(paths.filter(pathname => !pages.some(page => page.test({ pathname })))).toEqual([]);
  });
});

it('two modules cannot declare the same table, schema, event or service', () => {
  expect(() => declarationsOf([gifts, { ...gifts, name: 'presents' }])).toThrow('two modules declare gifts');
  const twice = [gifts, { name: 'presents', provides: gifts.provides ?? {} }];
  expect(() => declarationsOf(twice)).toThrow('two modules declare wrap');
});
