import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import { modules } from '../../../src/server/app.ts';
import { declarationsOf } from '../../../src/server/platform/module.ts';
import { startTestApp, type TestApp, type TestMerchant } from '../../support/app.ts';
import { createSink, type Sink, verified } from './webhook-lab.ts';

const eventTypes = Object.keys(declarationsOf(modules).events);
let app: TestApp;
let sink: Sink;
let shop: TestMerchant;

beforeAll(async () => {
  app = await startTestApp({ clock: systemClock });
  sink = await createSink();
});
afterAll(async () => {
  await sink.close();
  await app.close();
});

const as = (merchant: TestMerchant, body?: unknown, headers: Record<string, string> = {}) => ({
  key: merchant.secretKey,
  headers,
  ...(body === undefined ? {} : { body }),
});

async function addEndpoint(path: string, fields: object = {}) {
  const { status, body } = await app.request(
    'POST /v1/webhook-endpoints',
    as(shop, { url: `${sink.url}${path}`, events: ['*'], ...fields }),
  );
  expect(status).toBe(201);
  return body as { id: string; secret: string };
}

async function trigger(type: string): Promise<string> {
  const { body } = await app.request('POST /v1/test_helpers/events', as(shop, { type }));
  return body.id;
}

describe('webhook endpoints', () => {
  beforeAll(async () => {
    shop = await app.addMerchant();
  });

  it('are created with a secret that is shown only once', async () => {
    const answer = await app.request(
      'POST /v1/webhook-endpoints',
      as(shop, {
        url: `${sink.url}/made`,
        events: ['payment.*', 'refund.failed', 'payment.*'],
        metadata: { team: 'a' },
      }),
    );
    expect([answer.status, answer.headers['location']]).toEqual([201, `/v1/webhook-endpoints/${answer.body.id}`]);
    const { secret, ...shown } = answer.body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^we_[0-9A-Za-z]{22}$/),
      object: 'webhook_endpoint',
      url: `${sink.url}/made`,
      events: ['payment.*', 'refund.failed'],
      description: null,
      status: 'enabled',
      disabled_reason: null,
      metadata: { team: 'a' },
      livemode: false,
      created_at: expect.any(String),
    });
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect((await app.request(`GET /v1/webhook-endpoints/${shown.id}`, as(shop))).body).toEqual(shown);
    const stored = await app.database.db.selectFrom('webhook_endpoints').select('secret').executeTakeFirstOrThrow();
    expect(stored.secret.toString('latin1')).not.toContain(secret.slice(6, 20));
    expect(app.logs.join('\n')).not.toContain(secret);
  });

  it('are created once for an Idempotency-Key, and only the first response has the secret', async () => {
    const request = as(shop, { url: `${sink.url}/once`, events: ['*'] }, { 'idempotency-key': 'endpoint-1' });
    const [first, second] = [
      await app.request('POST /v1/webhook-endpoints', request),
      await app.request('POST /v1/webhook-endpoints', request),
    ];
    const { secret, ...shown } = first.body;
    expect(secret).toMatch(/^whsec_/);
    expect(second.body).toEqual(shown);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', 'pay-secret-omitted': 'secret' });
  });

  it.each([
    [{ url: 'http://10.0.0.1/', events: ['*'] }, 'forbidden_url', 'url'],
    [{ url: 'http://127.0.0.1:5432/', events: ['*'] }, 'forbidden_url', 'url'],
    [
      { url: 'https://shop.example.com/', events: ['payment.*', 'payment.exploded'] },
      'invalid_event_type',
      'events[1]',
    ],
    [{ url: 'https://shop.example.com/', events: ['pay.*'] }, 'invalid_event_type', 'events[0]'],
    [{ url: 'https://shop.example.com/', events: [] }, 'parameter_invalid', 'events'],
    [{ url: 'https://shop.example.com/' }, 'parameter_missing', 'events'],
    [{ url: 'https://shop.example.com/', events: ['*'], secret: 'mine' }, 'parameter_unknown', 'secret'],
  ])('%j is refused', async (body, code, param) => {
    const answer = await app.request('POST /v1/webhook-endpoints', as(shop, body));
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
  });

  it('accept only https in live mode, and never this machine', async () => {
    const key = await app.addKey(shop.id, 'secret', { livemode: true });
    for (const url of [`${sink.url}/live`, 'http://shop.example.com/', 'https://localhost:8443/']) {
      const { body } = await app.request('POST /v1/webhook-endpoints', { key, body: { url, events: ['*'] } });
      expect(body.error?.code).toBe('forbidden_url');
    }
  });

  it('are updated, and refuse the same values as at creation', async () => {
    const { id } = await addEndpoint('/changed');
    const change = (body: object) => app.request(`PATCH /v1/webhook-endpoints/${id}`, as(shop, body));
    expect((await change({ events: ['refund.*'], description: 'Refunds', metadata: {} })).body).toMatchObject({
      events: ['refund.*'],
      description: 'Refunds',
      url: `${sink.url}/changed`,
    });
    expect((await change({ url: 'http://192.168.0.1/' })).body.error.code).toBe('forbidden_url');
    expect((await change({ events: ['nothing'] })).body.error.code).toBe('invalid_event_type');
    expect((await change({ status: 'disabled' })).body).toMatchObject({ status: 'disabled', disabled_reason: null });
    expect((await change({})).body).toMatchObject({ status: 'disabled', description: 'Refunds' });
  });

  it('receive nothing while they are disabled or after they are deleted', async () => {
    const { id } = await addEndpoint('/off');
    await app.request(`PATCH /v1/webhook-endpoints/${id}`, as(shop, { status: 'disabled' }));
    await trigger('payment.created');
    await app.sweep();
    await app.request(`PATCH /v1/webhook-endpoints/${id}`, as(shop, { status: 'enabled' }));
    const wanted = await trigger('payment.created');
    await app.sweep();
    expect(sink.at('/off').map(request => request.headers['webhook-id'])).toEqual([wanted]);
    const gone = await app.request(`DELETE /v1/webhook-endpoints/${id}`, as(shop));
    expect([gone.status, gone.body]).toEqual([200, { id, object: 'webhook_endpoint', deleted: true }]);
    await trigger('payment.created');
    await app.sweep();
    expect(sink.at('/off')).toHaveLength(1);
    expect((await app.request(`DELETE /v1/webhook-endpoints/${id}`, as(shop))).status).toBe(404);
  });

  it('rotate their secret: the response contains the new one, and both sign', async () => {
    const endpoint = await addEndpoint('/rotating');
    const rotated = await app.request(`POST /v1/webhook-endpoints/${endpoint.id}/rotate-secret`, as(shop));
    expect([rotated.status, rotated.body.secret === endpoint.secret]).toEqual([200, false]);
    await trigger('payment.created');
    await app.sweep();
    const [request] = sink.at('/rotating');
    for (const secret of [endpoint.secret, rotated.body.secret])
      expect(verified(request!, secret).livemode).toBe(false);
  });

  it('list their deliveries, newest first and by status', async () => {
    const { id } = await addEndpoint('/logged', { events: ['payment.failed'] });
    sink.answer('/logged', (response, count) => response.writeHead(count === 2 ? 500 : 200).end());
    const events = [];
    for (let i = 0; i < 3; i++) {
      events.unshift(await trigger('payment.failed'));
      await app.sweep();
    }
    const list = (query = '') => app.request(`GET /v1/webhook-endpoints/${id}/deliveries${query}`, as(shop));
    const { body } = await list();
    expect(body).toMatchObject({ object: 'list', url: `/v1/webhook-endpoints/${id}/deliveries`, has_more: false });
    expect(body.data.map((delivery: { event: string }) => delivery.event)).toEqual(events);
    expect(body.data[1]).toMatchObject({
      object: 'webhook_delivery',
      event_type: 'payment.failed',
      endpoint: id,
      status: 'pending',
      attempts: 1,
      response_status: 500,
      last_error: 'http_error',
      delivered_at: null,
    });
    expect((await list('?status=delivered')).body.data).toHaveLength(2);
    const page = (await list(`?limit=1&starting_after=${body.data[0].id}`)).body;
    expect([page.data[0].id, page.has_more]).toEqual([body.data[1].id, true]);
    const ofEvent = await app.request(`GET /v1/events/${events[1]}/deliveries`, as(shop));
    expect(ofEvent.body.url).toBe(`/v1/events/${events[1]}/deliveries`);
    expect(ofEvent.body.data.filter((delivery: { endpoint: string }) => delivery.endpoint === id)).toEqual([
      body.data[1],
    ]);
  });

  it('tell of a delivery what each attempt sent and got, as text of at most 2 kB', async () => {
    const { id } = await addEndpoint('/detailed', { events: ['payment.failed'] });
    sink.answer('/detailed', (response, count) => {
      if (count === 1) response.writeHead(500, { 'content-type': 'text/html' }).end(`no\0pe ${'ü'.repeat(3_000)}`);
      else response.writeHead(200, { 'content-type': 'image/png' }).end('PNG');
    });
    const event = await trigger('payment.failed');
    await app.sweep();
    const [{ id: delivery }] = (await app.request(`GET /v1/webhook-endpoints/${id}/deliveries`, as(shop))).body.data;
    await app.request('POST /v1/test_helpers/clock', as(shop, { advance: 'PT10S' }));
    await app.sweep();
    const call = `GET /v1/webhook-endpoints/${id}/deliveries/${delivery}` as const;
    const { status, body } = await app.request(call, as(shop));
    expect([status, body.status, body.attempts]).toEqual([200, 'delivered', 2]);
    const attempt = { at: expect.stringMatching(/Z$/), duration_ms: expect.any(Number) };
    expect(body.attempt_log).toEqual([
      {
        ...attempt,
        number: 1,
        response_status: 500,
        error: 'http_error',
        response_body: expect.stringMatching(/^nope ü{1021}$/),
      },
      { ...attempt, number: 2, response_status: 200, error: null, response_body: null },
    ]);
    const [first, second] = sink.at('/detailed');
    expect([body.request.body, second?.body]).toEqual([first?.body, first?.body]);
    expect(body.request.headers).toMatchObject({ 'webhook-id': event, 'content-type': 'application/json' });
    expect(Object.keys(body.request.headers)).not.toContain('webhook-signature');
    const stranger = await app.addMerchant();
    expect((await app.request(call, { key: stranger.secretKey })).status).toBe(404);
  });

  it('are tested with a sample event that is sent to them only', async () => {
    const endpoint = await addEndpoint('/tried', { events: ['refund.*'] });
    await addEndpoint('/bystander');
    const before = sink.at('/bystander').length;
    const answer = await app.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`, as(shop, {}));
    expect([answer.status, answer.body.object, answer.body.status]).toEqual([200, 'webhook_delivery', 'pending']);
    await app.sweep();
    expect(verified(sink.at('/tried')[0]!, endpoint.secret)).toMatchObject({ type: 'refund.created', sample: true });
    expect(sink.at('/bystander')).toHaveLength(before);
    await app.request(`PATCH /v1/webhook-endpoints/${endpoint.id}`, as(shop, { status: 'disabled' }));
    const refused = await app.request(`POST /v1/webhook-endpoints/${endpoint.id}/test`, as(shop));
    expect([refused.status, refused.body.error.code]).toEqual([409, 'illegal_state']);
  });

  it('of one merchant and mode do not exist for another', async () => {
    const { id } = await addEndpoint('/private');
    const stranger = await app.addMerchant();
    const live = await app.addKey(shop.id, 'secret', { livemode: true });
    const calls = [
      [`GET /v1/webhook-endpoints/${id}`],
      [`PATCH /v1/webhook-endpoints/${id}`, {}],
      [`DELETE /v1/webhook-endpoints/${id}`],
      [`POST /v1/webhook-endpoints/${id}/rotate-secret`, {}],
      [`POST /v1/webhook-endpoints/${id}/test`, {}],
      [`GET /v1/webhook-endpoints/${id}/deliveries`],
    ] as const;
    for (const [call, body] of calls) {
      for (const key of [stranger.secretKey, live]) {
        const answer = await app.request(call, { key, ...(body ? { body } : {}) });
        const unknown = await app.request(call.replace(id, newId('webhookEndpoint')) as typeof call, {
          key,
          ...(body ? { body } : {}),
        });
        expect([call, answer.status, answer.body.error.code]).toEqual([call, 404, 'resource_missing']);
        expect(answer.body.error.message.replace(id, '')).toBe(unknown.body.error.message.replace(/we_\w+/, ''));
      }
      const publishable = await app.request(call, { key: shop.publishableKey, ...(body ? { body } : {}) });
      expect(publishable.body.error.code).toBe('secret_key_required');
    }
    expect((await app.request('GET /v1/webhook-endpoints', as(stranger))).body.data).toEqual([]);
  });
});

describe('events', () => {
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    shop = await app.addMerchant();
    for (const type of eventTypes) ids[type] = await trigger(type);
    await app.sweep();
  });

  it('are listed newest first, by type, family, object and time', async () => {
    const list = async (query: string) =>
      (await app.request(`GET /v1/events${query}`, as(shop))).body.data.map((event: { id: string }) => event.id);
    const newest = [...eventTypes].reverse().map(type => ids[type]);
    expect(await list('?limit=100')).toEqual(newest);
    expect(await list('?type=refund.failed')).toEqual([ids['refund.failed']]);
    expect(await list('?type=refund.*')).toEqual(
      newest.filter(id => eventTypes.some(t => t.startsWith('refund.') && ids[t] === id)),
    );
    const { body } = await app.request(`GET /v1/events/${ids['transfer.unmatched']}`, as(shop));
    expect(await list(`?resource=${body.data.object.id}`)).toEqual([body.id]);
    expect(await list(`?limit=100&created_at[lt]=${body.created_at}`)).not.toContain(body.id);
    expect(await list(`?limit=100&created_at[gte]=${body.created_at}`)).toContain(body.id);
  });

  it('have pages without gaps or repetitions, in both directions', async () => {
    const page = (query: string) => app.request(`GET /v1/events?limit=5&${query}`, as(shop));
    const seen: string[] = [];
    let query = '';
    for (;;) {
      const { body } = await page(query);
      seen.push(...body.data.map((event: { id: string }) => event.id));
      if (!body.has_more) break;
      query = `starting_after=${seen.at(-1)}`;
    }
    expect(seen).toEqual([...eventTypes].reverse().map(type => ids[type]));
    const back = await page(`ending_before=${seen[7]}`);
    expect(back.body.data.map((event: { id: string }) => event.id)).toEqual(seen.slice(2, 7));
    expect(back.body.has_more).toBe(true);
  });

  it.each([
    ['limit=0', 'invalid_limit', 'limit'],
    ['limit=101', 'invalid_limit', 'limit'],
    ['limit=100000', 'invalid_limit', 'limit'],
    ['limit=ten', 'invalid_limit', 'limit'],
    ['limit=1.5', 'invalid_limit', 'limit'],
    ['starting_after=evt_1', 'invalid_cursor', 'starting_after'],
    ["starting_after=evt_'; drop table events", 'invalid_cursor', 'starting_after'],
    ['ending_before=', 'invalid_cursor', 'ending_before'],
    ['created_at[gte]=yesterday', 'parameter_invalid', 'created_at[gte]'],
    ['created_at[lt]=1767225600', 'parameter_invalid', 'created_at[lt]'],
    ['type=payment.exploded', 'invalid_event_type', 'type'],
    ['page=2', 'parameter_unknown', 'page'],
  ])('?%s is refused', async (query, code, param) => {
    const { status, body } = await app.request(`GET /v1/events?${query}`, as(shop));
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param]);
  });

  it('of another merchant are not accepted as cursors, nor are two cursors at once', async () => {
    const stranger = await app.addMerchant();
    const foreign = await app.request(`GET /v1/events?starting_after=${ids['payment.created']}`, as(stranger));
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'invalid_cursor']);
    const both = `starting_after=${ids['payment.created']}&ending_before=${ids['payment.failed']}`;
    expect((await app.request(`GET /v1/events?${both}`, as(shop))).body.error.code).toBe('invalid_cursor');
  });

  it('are readable only by their merchant', async () => {
    const id = ids['payment.completed'];
    const { body } = await app.request(`GET /v1/events/${id}`, as(shop));
    expect(body).toEqual({
      id,
      object: 'event',
      type: 'payment.completed',
      timestamp: body.created_at,
      api_version: '2026-11-01',
      livemode: false,
      sequence: 1,
      data: {
        object: expect.objectContaining({ object: 'payment', status: 'completed', amount_received: 1290 }),
        previous: expect.objectContaining({ status: 'pending', amount_received: 0 }),
      },
      sample: true,
      created_at: expect.any(String),
    });
    const stranger = await app.addMerchant();
    expect((await app.request(`GET /v1/events/${id}`, as(stranger))).body.error.code).toBe('resource_missing');
  });

  it('are delivered again on request, with the same id', async () => {
    const id = ids['refund.completed']!;
    const redeliver = (body: object) => app.request(`POST /v1/events/${id}/redeliver`, as(shop, body));
    expect((await redeliver({})).body.error.code).toBe('illegal_state');
    const one = await addEndpoint('/again/one', { events: ['refund.*'] });
    const two = await addEndpoint('/again/two');
    const deaf = await addEndpoint('/again/deaf', { events: ['payment.*'] });
    const everywhere = await redeliver({});
    expect(everywhere.body.data.map((delivery: { endpoint: string }) => delivery.endpoint)).toEqual([one.id, two.id]);
    await redeliver({ endpoint: two.id });
    await app.sweep();
    expect(sink.at('/again/one').map(request => verified(request, one.secret).id)).toEqual([id]);
    expect(sink.at('/again/two').map(request => verified(request, two.secret).id)).toEqual([id, id]);
    expect(sink.at('/again/deaf')).toEqual([]);
    await app.request(`PATCH /v1/webhook-endpoints/${deaf.id}`, as(shop, { status: 'disabled' }));
    expect((await redeliver({ endpoint: deaf.id })).status).toBe(409);
    const unknown = await redeliver({ endpoint: newId('webhookEndpoint') });
    expect([unknown.status, unknown.body.error.param]).toEqual([404, 'endpoint']);
  });

  it('are triggered in test mode only, and of known types only', async () => {
    const live = await app.addKey(shop.id, 'secret', { livemode: true });
    const body = { type: 'payment.created' };
    expect((await app.request('POST /v1/test_helpers/events', { key: live, body })).body.error.code).toBe(
      'test_mode_only',
    );
    const wrong = await app.request('POST /v1/test_helpers/events', as(shop, { type: 'payment.*' }));
    expect([wrong.status, wrong.body.error.code, wrong.body.error.param]).toEqual([400, 'invalid_event_type', 'type']);
  });
});
