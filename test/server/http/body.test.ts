import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const payment = {
  amount: 1000,
  currency: 'USD',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'ada@shop.example' },
};
const create = (body: unknown) => shop.request('POST /v1/payments', { body });
/** The payment's JSON, with this text as the value of one field. */
const withText = (field: string, text: string) => JSON.stringify({ ...payment, [field]: '@' }).replace('"@"', text);

describe('a request body', () => {
  it.each<[string, string | Buffer]>([
    ['is not JSON', '{"amount":1000,'],
    ['is a list', '[]'],
    ['is null', 'null'],
    ['has the same key twice', '{"amount":1,"amount":1000}'],
    ['has the same key twice, once escaped', '{"metadata":{"a":1,"\\u0061":2}}'],
    ['has a key __proto__', '{"__proto__":{"admin":true}}'],
    ['has a key __proto__ deep inside', '{"metadata":{"__proto__":1}}'],
    [
      'is not valid UTF-8',
      Buffer.concat([Buffer.from('{"description":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['has a NUL in a text', withText('description', '"a\\u0000b"')],
    ['has half a surrogate pair', withText('description', '"\\ud83d!"')],
    ['nests 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['nests lists 100,000 deep', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('that %s is refused at once', async (_, body) => {
    const began = process.cpuUsage();
    const answer = await create(body);
    // CPU time, because other processes may delay this one.
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(100);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_json']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('may contain texts that only resemble those', async () => {
    const description = 'a "__proto__": \\u0000 {[{[ \\\\u0000 \u{1f600}';
    const { status, body } = await create({ ...payment, description, metadata: { constructor: 'x', toString: 'y' } });
    expect(status).toBe(201);
    expect(body.description).toBe(description);
    expect(body.metadata).toEqual({ constructor: 'x', toString: 'y' });
  });

  it('over 1 MiB is refused, and the service continues', async () => {
    const { status, body } = await create(`{"description":"${'x'.repeat(10 * 1024 * 1024 + 1)}"}`);
    expect([status, body.error.code]).toEqual([413, 'body_too_large']);
    expect((await create(payment)).status).toBe(201);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense'])(
    'with the content type %s is refused',
    async type => {
      const { status, body } = await shop.request('POST /v1/payments', {
        headers: { 'content-type': type },
        body: JSON.stringify(payment),
      });
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    },
  );
});

describe('an amount', () => {
  it.each([
    '-1',
    '0',
    '1e21',
    '"1e2"',
    '"1000"',
    'null',
    '10.5',
    '10.001',
    '9007199254740992',
    '9007199254740991.4',
    '1.00000000000000000001',
    '1.0000000000000000001e0',
    '10000000000000000000001e-20',
    '"１２"',
    '" 5"',
    'true',
    '[1000]',
  ])('of %s is refused, never rounded', async text => {
    const { status, body } = await create(withText('amount', text));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_amount', param: 'amount' });
  });

  it.each([
    [
      'line_items[1].amount',
      {
        line_items: [
          { name: 'a', quantity: 1, amount: 500 },
          { name: 'b', amount: '@' },
        ],
      },
    ],
    ['metadata.order', { metadata: { order: '@' } }],
    ['payment_methods[1]', { payment_methods: ['card', '@'] }],
  ])('with too many digits is named with its path: %s', async (param, changes) => {
    const { body } = await create(JSON.stringify({ ...payment, ...changes }).replace('"@"', '1.0000000000000000001e0'));
    expect([body.error.param, body.error.errors[0].param]).toEqual([param, param]);
  });

  it.each(['1e3', '1.5e3', '1000.0', '100000e-2'])('may be written as %s', async text => {
    const { status, body } = await create(withText('amount', text));
    expect([status, body.amount]).toEqual([201, Number(text)]);
  });

  it('of NaN is not valid JSON', async () => {
    expect((await create(withText('amount', 'NaN'))).body.error.code).toBe('invalid_json');
  });

  it('may be the largest integer that JSON represents exactly', async () => {
    const { status, body } = await create({ ...payment, amount: Number.MAX_SAFE_INTEGER, currency: 'VND' });
    expect([status, body.amount]).toEqual([201, Number.MAX_SAFE_INTEGER]);
  });
});

describe('an invalid field', () => {
  it('is named with its path, together with all others', async () => {
    const { status, body } = await create({
      ...payment,
      currency: undefined,
      payment_methods: ['card', 'cheque'],
      customer: { email: 'ada@shop.example', phone: '1' },
      line_items: [
        { name: 'a', quantity: 1, amount: 500 },
        { name: '', quantity: 0, amount: '500' },
      ],
      colour: 'red',
    });
    expect(status).toBe(400);
    const found = body.error.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`);
    expect(found).toEqual([
      'currency parameter_missing',
      'payment_methods[1] parameter_invalid',
      'customer.phone parameter_unknown',
      'line_items[1].name parameter_invalid',
      'line_items[1].quantity parameter_invalid',
      'line_items[1].amount invalid_amount',
      'colour parameter_unknown',
    ]);
    expect(body.error).toMatchObject({ param: 'currency', code: 'parameter_missing' });
  });

  it.each<[string, object, string, string]>([
    ['a missing body', {}, 'parameter_missing', 'amount'],
    ['an unknown method', { ...payment, payment_methods: [] }, 'parameter_invalid', 'payment_methods'],
    ['metadata that nests', { ...payment, metadata: { a: { b: 1 } } }, 'invalid_metadata', 'metadata.a'],
    ['a metadata number that JSON rounds', { ...payment, metadata: { a: 2 ** 53 } }, 'invalid_metadata', 'metadata.a'],
    [
      'a metadata key that is too long',
      { ...payment, metadata: { ['k'.repeat(41)]: 1 } },
      'invalid_metadata',
      'metadata',
    ],
    [
      'too much metadata',
      { ...payment, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
      'invalid_metadata',
      'metadata',
    ],
    ['a wrong e-mail', { ...payment, customer: { email: 'ada' } }, 'invalid_email', 'customer.email'],
    ['an unknown currency', { ...payment, currency: 'XQQ' }, 'invalid_currency', 'currency'],
  ])('%s is explained', async (_, body, code, param) => {
    const answer = await create(body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
  });

  it('of a union is explained for the intended variant', async () => {
    const { body: made } = await create(payment);
    const confirm = (body: object) => shop.request(`POST /v1/payments/${made.id}/confirm`, { body });
    expect((await confirm({ method: 'card' })).body.error).toMatchObject({ code: 'parameter_missing', param: 'token' });
    expect((await confirm({ method: 'cash' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: 'method',
    });
    expect((await confirm({})).body.error).toMatchObject({ code: 'parameter_missing', param: 'method' });
  });

  it.each([
    ['POST /v1/test_helpers/cards/disputes', 'payment'],
    ['POST /v1/transfers/tr_8GKYqrTwjUPD8ILPZIo2La/assign', 'payment_id'],
  ] as const)('with the id of no payment is named: %s', async (call, param) => {
    const { status, body } = await shop.request(call, { body: { [param]: 'pay_8GKYqrTwjUPD8ILPZIo2La' } });
    expect([status, body.error.code, body.error.param]).toEqual([404, 'resource_missing', param]);
  });

  it.each([
    ['limit=100000', 'invalid_limit'],
    ['limit=0', 'invalid_limit'],
    ['limit=ten', 'invalid_limit'],
    ['limit=1.5', 'invalid_limit'],
    ['starting_after=key_', 'invalid_cursor'],
    ['starting_after=key_0000000000000000000000', 'invalid_cursor'],
    ['starting_after=a&starting_after=b', 'invalid_cursor'],
    ['colour=red', 'parameter_unknown'],
  ])('in a list’s query is explained: %s', async (query, code) => {
    const { status, body } = await shop.request(`GET /v1/api-keys?${query}`);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  it('a cursor of another merchant is invalid', async () => {
    const other = await shop.addMerchant();
    const [theirs] = (await shop.request('GET /v1/api-keys', { key: other.secretKey })).body.data;
    const { status, body } = await shop.request(`GET /v1/api-keys?starting_after=${theirs.id}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
  });
});
