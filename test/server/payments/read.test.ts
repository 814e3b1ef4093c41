import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestMerchant } from '../../support/app.ts';
import { order, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
let stranger: TestMerchant;
beforeAll(async () => {
  lab = await startPaymentLab({ merchant: { allowedOrigins: ['https://shop.example'] } });
  stranger = await lab.addMerchant();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const list = (query: string, key = lab.merchant.secretKey) => lab.request(`GET /v1/payments?${query}`, { key });
const unknownId = 'pay_0000000000000000000000';

describe('the list of payments', () => {
  const made: string[] = [];
  const ids = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id);
  beforeAll(async () => {
    for (let i = 0; i < 7; i++) {
      lab.clock.advance(60);
      const reference = i % 2 === 0 ? 'even' : 'odd';
      made.push((await lab.create({ reference, customer: { email: `${reference}@example.com` } })).id);
    }
    await lab.payByCard(made[3]!);
    await lab.act(made[4]!, 'cancel');
  });

  it('is newest first, without client secrets', async () => {
    const { body } = await list('limit=100');
    expect(body).toMatchObject({ object: 'list', url: '/v1/payments', has_more: false });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(made.toReversed());
    expect(JSON.stringify(body)).not.toContain('_secret_');
  });

  it('has pages in both directions without gaps or repetitions, while payments are created', async () => {
    const [first, , third] = made.toReversed();
    const page = await list(`limit=2&starting_after=${first}`);
    await lab.create();
    const next = await list(`limit=2&starting_after=${page.body.data[1].id}`);
    expect([...page.body.data, ...next.body.data].map(({ id }) => id)).toEqual(made.toReversed().slice(1, 5));
    expect([page.body.has_more, (await list('limit=8')).body.has_more]).toEqual([true, false]);
    expect(await ids(`limit=1&ending_before=${third}`)).toEqual([made.at(-2)]);
  });

  it('has ten elements by default, and can be filtered', async () => {
    const created = async (i: number) => (await lab.read(made[i]!)).created_at;
    const even = made.filter((_, i) => i % 2 === 0).toReversed();
    const customer = (await lab.read(made[1]!)).customer?.id;
    const between = `created_at[gte]=${await created(2)}&created_at[lt]=${await created(5)}`;
    expect(await ids('status=completed')).toEqual([made[3]]);
    expect(await ids('status=failed')).toEqual([made[4]]);
    expect(await ids('status=refunded')).toEqual([]);
    expect(await ids('reference=even')).toEqual(even);
    expect(await ids(`customer=${customer}`)).toEqual(made.filter((_, i) => i % 2 === 1).toReversed());
    expect(await ids('customer=EVEN@example.com')).toEqual(even);
    expect(await ids(between)).toEqual([made[4], made[3], made[2]]);
    const within = `created_at[gt]=${await created(2)}&created_at[lte]=${await created(5)}`;
    expect(await ids(within)).toEqual([made[5], made[4], made[3]]);
    expect(await ids(`${between}&status=failed&reference=even`)).toEqual([made[4]]);
    const eleven = await Promise.all(Array.from({ length: 3 }, () => lab.create()));
    expect(eleven).toHaveLength(3);
    expect(await ids('')).toHaveLength(10);
  });

  it.each([
    ['limit=0', 'invalid_limit', 'limit'],
    ['limit=101', 'invalid_limit', 'limit'],
    ['limit=100000', 'invalid_limit', 'limit'],
    ['limit=ten', 'invalid_limit', 'limit'],
    [`starting_after=${unknownId}`, 'invalid_cursor', 'starting_after'],
    ['starting_after=pay_x%27%3B--', 'invalid_cursor', 'starting_after'],
    ['ending_before=', 'invalid_cursor', 'ending_before'],
    [`starting_after=${unknownId}&ending_before=${unknownId}`, 'invalid_cursor', 'ending_before'],
    ['created_at[gte]=yesterday', 'parameter_invalid', 'created_at[gte]'],
    ['created_at[lt]=2026-13-01T00:00:00Z', 'parameter_invalid', 'created_at[lt]'],
    ['status=paid', 'parameter_invalid', 'status'],
    ['colour=blue', 'parameter_unknown', 'colour'],
  ])('refuses ?%s', async (query, code, param) => {
    expect(refusal(await list(query))).toEqual([400, code, param]);
  });

  it('refuses a cursor of another merchant, and excludes other merchants and modes', async () => {
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    expect(refusal(await list(`starting_after=${made[0]}`, stranger.secretKey))).toEqual([
      400,
      'invalid_cursor',
      'starting_after',
    ]);
    expect((await list('', stranger.secretKey)).body.data).toEqual([]);
    expect((await list('', live)).body.data).toEqual([]);
  });
});

const merchantCalls: readonly [string, string, object?][] = [
  ['GET', ''],
  ['PATCH', '', { description: 'x' }],
  ['GET', '/options'],
  ['GET', '/refunds'],
  ['GET', '/stream'],
  ['POST', '/quotes'],
  ['POST', '/confirm', { method: 'card', token: 'tok_visa' }],
  ['POST', '/cancel'],
  ['POST', '/refunds', {}],
  ['POST', '/resolve', { action: 'accept' }],
  ['POST', '/simulate_bank_transfer', {}],
];

describe.each(merchantCalls)('%s /v1/payments/:id%s', (method, path, body) => {
  const call = (id: string, key: string, headers: Record<string, string> = {}) =>
    lab.request(`${method} /v1/payments/${id}${path}` as 'GET /', { key, headers, ...(body && { body }) });

  it('gives the same error for another merchant’s key, another mode’s key and an unknown id', async () => {
    const paid = await lab.createPaid();
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    const known = [await call(paid.id, stranger.secretKey)];
    if (path !== '/simulate_bank_transfer') known.push(await call(paid.id, live));
    const unknown = await call(unknownId, lab.merchant.secretKey);
    expect(refusal(unknown)).toEqual([404, 'resource_missing', 'id']);
    for (const answer of known) {
      expect(refusal(answer)).toEqual(refusal(unknown));
      expect(answer.body.error.message.replace(paid.id, unknownId)).toBe(unknown.body.error.message);
    }
    expect(await lab.read(paid.id)).toEqual(paid);
  });

  it('refuses the client secret of another payment', async () => {
    const [mine, other] = [await lab.create(), await lab.create()];
    const headers = { 'pay-client-secret': mine.client_secret ?? '' };
    const code = isForPayers(path, method) ? 'client_secret_mismatch' : 'secret_key_required';
    expect(refusal(await call(other.id, lab.merchant.publishableKey, headers))).toEqual([403, code, null]);
    expect(refusal(await call(other.id, mine.client_secret ?? ''))).toEqual([403, code, null]);
    expect((await lab.read(other.id)).phase).toBe('awaiting_payer');
  });

  it('refuses a publishable key alone', async () => {
    const { id } = await lab.create();
    expect(refusal(await call(id, lab.merchant.publishableKey))).toEqual([403, 'secret_key_required', null]);
  });
});

function isForPayers(path: string, method: string): boolean {
  return method !== 'PATCH' && path !== '/cancel' && path !== '/refunds' && path !== '/resolve';
}

describe('a payer with a client secret', () => {
  it.each([true, false])(
    'reads options and quotes, pays, and sees no private fields of the merchant (key sent: %s)',
    async withKey => {
      const payment = await lab.create({
        metadata: { margin: '40 %' },
        customer: { email: 'a@b.example', name: 'Ada' },
      });
      const secret = payment.client_secret ?? '';
      const call = (route: string, body?: object) =>
        lab.request(route as 'GET /', {
          key: withKey ? lab.merchant.publishableKey : secret,
          headers: { origin: 'https://shop.example', ...(withKey && { 'pay-client-secret': secret }) },
          ...(body && { body }),
        });
      const { id } = payment;
      const answers = [
        await call(`GET /v1/payments/${id}`),
        await call(`POST /v1/payments/${id}/quotes`, {}),
        await call(`POST /v1/payments/${id}/confirm`, { method: 'bank_transfer', rail: 'sepa' }),
        await call(`POST /v1/payments/${id}/simulate_bank_transfer`, { amount: 100 }),
        await call(`POST /v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' }),
      ];
      for (const { status, body, text, headers } of answers) {
        expect([status, body.id]).toEqual([200, id]);
        expect(text).not.toMatch(
          /margin|Ada|a@b\.example|_secret_|"customer"|"metadata"|"can_cancel"|"amount_refundable"/,
        );
        expect(headers['access-control-allow-origin']).toBe('https://shop.example');
        expect(headers['pay-server-time']).toMatch(/^2026-11-02T/);
      }
      expect(answers.at(-1)?.body).toMatchObject({ status: 'completed', amount_received: 12_840 });
      expect((await call(`GET /v1/payments/${id}/options`)).status).toBe(200);
    },
  );

  it('cannot pay a completed payment', async () => {
    const { id, client_secret: key = '' } = await lab.create();
    await lab.payByCard(id);
    const body = { method: 'card', token: 'tok_visa' };
    expect(refusal(await lab.request(`POST /v1/payments/${id}/confirm`, { key, body }))).toEqual([
      409,
      'payment_already_settled',
      null,
    ]);
    expect((await lab.read(id)).amount_received).toBe(12_840);
  });
});

describe('the options of a payer', () => {
  it('are those of the payment, each with its price, the payment’s own currency first', async () => {
    const all = await lab.create({ payment_methods: ['card', 'bank_transfer', 'crypto'] });
    const { card, bank_transfer: bank, crypto } = await lab.options(all.id);
    expect(card).toEqual({
      brands: expect.arrayContaining(['visa', 'mastercard', 'amex']),
      frame_url: expect.stringMatching(/^http:\/\/localhost:4242\/card-frame\/\?ticket=[0-9A-Za-z]{66}/),
      amount: 12_840,
      currency: 'EUR',
    });
    expect(bank?.rails).toEqual([
      { rail: 'sepa', currency: 'EUR', amount: 12_840, settlement_days: 0 },
      { rail: 'ach', currency: 'USD', amount: 13_996, settlement_days: 2 },
    ]);
    expect(crypto).toEqual({ assets: [] });
    const dollars = await lab.options((await lab.create({ currency: 'USD', payment_methods: ['bank_transfer'] })).id);
    expect(Object.keys(dollars)).toEqual(['object', 'bank_transfer']);
    expect(dollars.bank_transfer?.rails.map(({ rail }) => rail)).toEqual(['ach', 'sepa']);
  });

  it('have the amount that is still due after a partial payment', async () => {
    const { id, next_action: action } = await lab.createForBank();
    await lab.credit({ reference: (action as { reference: string }).reference, amount: 12_000 });
    const { card, bank_transfer: bank } = await lab.options(id);
    expect([card?.amount, bank?.rails[0]?.amount]).toEqual([840, 840]);
  });

  it.each([
    [
      'a method that the payment does not accept',
      { method: 'bank_transfer', rail: 'sepa' },
      'payment_method_not_allowed',
      'method',
    ],
    [
      'a chain that this server does not accept',
      { method: 'crypto', chain: 'bitcoin', asset: 'BTC' },
      'parameter_invalid',
      'chain',
    ],
    ['an unknown method', { method: 'cash' }, 'parameter_invalid', 'method'],
    ['an unknown rail', { method: 'bank_transfer', rail: 'swift' }, 'parameter_invalid', 'rail'],
    ['a missing method', {}, 'parameter_missing', 'method'],
    ['a missing token', { method: 'card' }, 'parameter_missing', 'token'],
    ['a card number as token', { method: 'card', token: '4242424242424242' }, 'invalid_token', 'token'],
    ['an unknown token', { method: 'card', token: 'tok_nobody' }, 'invalid_token', 'token'],
    [
      'an unsafe return URL',
      { method: 'card', token: 'tok_3ds', return_url: 'javascript:alert(1)' },
      'invalid_redirect_url',
      'return_url',
    ],
    [
      'a card number in addition to the token',
      { method: 'card', token: 'tok_visa', number: '4242424242424242' },
      'parameter_unknown',
      'number',
    ],
  ])('exclude %s', async (_, body, code, param) => {
    const { id } = await lab.create({ payment_methods: param === 'rail' ? ['bank_transfer'] : ['card', 'crypto'] });
    expect(refusal(await lab.act(id, 'confirm', body))).toEqual([400, code, param]);
    expect((await lab.read(id)).phase).toBe('awaiting_payer');
  });
});

it('stores nothing for a request about another merchant’s payment', async () => {
  const { id } = await lab.create(order);
  const headers = { 'idempotency-key': 'stolen' };
  await lab.request(`POST /v1/payments/${id}/cancel`, { key: stranger.secretKey, headers });
  expect((await lab.request(`POST /v1/payments/${id}/cancel`, { headers })).body.phase).toBe('canceled');
});

describe('the history of a payment', () => {
  interface Entry {
    readonly type: string;
    readonly at: string;
    readonly actor: string | null;
    readonly data: { readonly id: string; readonly object: string; readonly type?: string };
    readonly endpoint_url?: string;
  }
  const historyOf = (of: string, key = lab.merchant.secretKey) =>
    lab.request(`GET /v1/payments/${of}/history`, { key });
  const hook = 'http://127.0.0.1:49151/history';
  let id: string;
  beforeAll(async () => {
    await lab.request('POST /v1/webhook-endpoints', { body: { url: hook, events: ['payment.completed'] } });
    id = (await lab.create()).id;
    await lab.payByCard(id, 'tok_declined');
    lab.clock.advance(60);
    await lab.payByCard(id);
    lab.clock.advance(60);
    await lab.act(id, 'refunds', { amount: 100 });
    await lab.sweep('events.dispatch');
  });

  it('has every record in the form of its own call, oldest first, in one answer', async () => {
    const { status, body } = await historyOf(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'payment_history', url: `/v1/payments/${id}/history`, has_more: false });
    expect(body.payment).toEqual(await lab.read(id));
    const entries: readonly Entry[] = body.data;
    const times = entries.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    const of = (type: string) => entries.filter(entry => entry.type === type).map(({ data }) => data);
    const newestFirst = async (path: string) =>
      (await lab.request(`GET ${path as `/${string}`}`)).body.data.toReversed();
    for (const [type, path] of [
      ['attempt', `/v1/payments/${id}/attempts?limit=100`],
      ['refund', `/v1/payments/${id}/refunds?limit=100`],
      ['transfer', `/v1/transfers?payment=${id}&limit=100`],
      ['balance_entry', `/v1/balance/entries?payment=${id}&limit=100`],
      ['event', `/v1/events?resource=${id}&limit=100`],
    ] as const) {
      expect(of(type), type).toEqual(await newestFirst(path));
      expect(of(type).length, type).toBeGreaterThan(0);
    }
    const [delivery, ...more] = entries.filter(({ type }) => type === 'delivery');
    expect(delivery).toMatchObject({ endpoint_url: hook, data: { event_type: 'payment.completed' } });
    expect(more).toEqual([]);
    const created = entries.find(({ data }) => data.type === 'payment.created');
    expect(created?.actor).toMatch(/^key_/);
  });

  it.each<[scopes: string[], types: string[]]>([
    [['payments:read'], ['attempt', 'refund', 'transfer']],
    [
      ['payments:read', 'balance:read'],
      ['attempt', 'balance_entry', 'refund', 'transfer'],
    ],
    [
      ['payments:read', 'events:read'],
      ['attempt', 'event', 'refund', 'transfer'],
    ],
    [
      ['payments:read', 'webhooks:write'],
      ['attempt', 'delivery', 'refund', 'transfer'],
    ],
  ])('shows a key with %j only %j', async (scopes, types) => {
    const { body } = await historyOf(id, await lab.addKey(lab.merchant.id, 'secret', { scopes }));
    const found: readonly Entry[] = body.data;
    expect([...new Set(found.map(({ type }) => type))].toSorted()).toEqual(types);
  });

  it('is not for other merchants, payers and keys without payments', async () => {
    const { client_secret: secret } = await lab.create();
    expect((await historyOf(id, stranger.secretKey)).status).toBe(404);
    expect((await historyOf(id, await lab.addKey(lab.merchant.id, 'secret', { scopes: ['events:read'] }))).status).toBe(
      403,
    );
    const payer = { key: lab.merchant.publishableKey, headers: { 'pay-client-secret': secret ?? '' } };
    expect((await lab.request(`GET /v1/payments/${id}/history`, payer)).status).toBe(403);
  });
});
