import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../src/api/dashboard/request.ts';
import { logStatements, type StatementLog } from '../../support/statements.ts';
import { touchedRows } from '../../support/touched-rows.ts';
import { type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';
import { owner } from '../people/visitor.ts';

let log: StatementLog;
let lab: PaymentLab;
beforeAll(async () => {
  log = logStatements();
  lab = await startPaymentLab();
});
afterAll(async () => {
  log.stop();
  await lab.close();
});

const list = async (query = ''): Promise<ApiRequest[]> => {
  const { status, body, text } = await lab.request(`GET /v1/requests?limit=100${query}`);
  expect(status, text).toBe(200);
  return body.data;
};
const read = async (id: unknown) => (await lab.request(`GET /v1/requests/${id}`)).body;

describe('/v1/requests', () => {
  it('has a call with its key, status and time, by its Request-Id', async () => {
    const { headers, body } = await lab.request('POST /v1/payments/pay_0000000000000000000000/cancel');
    const call = await read(headers['request-id']);
    expect(call).toMatchObject({
      id: headers['request-id'],
      object: 'request',
      method: 'POST',
      status: 404,
      path: '/v1/payments/pay_0000000000000000000000/cancel',
      livemode: false,
      person: null,
      error: { code: body.error.code, param: 'id' },
      created_at: lab.clock.now().toISOString(),
    });
    expect(call.key).toMatch(/^key_/);
    expect(call.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['a wrong field', 'POST /v1/payments', { amount: 'ten' }, 400, 'amount'],
    ['an unknown field', 'POST /v1/customers', { email: 'a@example.com', shoe_size: 4 }, 400, 'shoe_size'],
    ['a wrong query', 'GET /v1/payments?status=lost', undefined, 400, 'status'],
  ] as const)('has the reason of a refusal: %s', async (_name, call, body, status, param) => {
    const answer = await lab.request(call, body === undefined ? {} : { body });
    const logged = await read(answer.headers['request-id']);
    expect([logged.status, logged.error]).toEqual([status, { code: answer.body.error.code, param }]);
  });

  it('has the reason of an executed refusal, also when its key is repeated', async () => {
    const { id } = await lab.create();
    const decline = () =>
      lab.request(`POST /v1/payments/${id}/confirm`, {
        body: { method: 'card', token: 'tok_declined' },
        headers: { 'idempotency-key': 'declined-card' },
      });
    const answers = [await decline(), await decline()];
    expect(answers.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      [402, undefined],
      [402, 'true'],
    ]);
    const calls = await Promise.all(answers.map(({ headers }) => read(headers['request-id'])));
    const error = { code: answers[0]?.body.error.code, param: answers[0]?.body.error.param };
    expect(calls.map(call => call.error)).toEqual([error, error]);
    expect(new Set((await list(`&code=${error.code}`)).map(call => call.id))).toEqual(
      new Set(calls.map(call => call.id)),
    );
  });

  it('has the calls that a known key may not make', async () => {
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['invoices:read'] });
    const refused = await lab.request('GET /v1/payments', { key });
    expect(await read(refused.headers['request-id'])).toMatchObject({
      status: 403,
      error: { code: 'operation_not_allowed' },
    });
    const publishable = await lab.request('GET /v1/payments', { key: lab.merchant.publishableKey });
    expect(await read(publishable.headers['request-id'])).toMatchObject({ error: { code: 'secret_key_required' } });
  });

  it('has refused calls of payers, without their secrets, and not those that succeed', async () => {
    const { id, client_secret: secret = '' } = await lab.create();
    const payer = { key: secret, headers: { origin: 'http://localhost:4242' } };
    const fine = await lab.request(`GET /v1/payments/${id}`, payer);
    expect([fine.status, (await read(fine.headers['request-id'])).error?.code]).toEqual([200, 'resource_missing']);
    const byKey = await lab.request(`GET /v1/payments/${id}`, {
      key: lab.merchant.publishableKey,
      headers: { ...payer.headers, 'pay-client-secret': secret },
    });
    expect([byKey.status, (await read(byKey.headers['request-id'])).error?.code]).toEqual([200, 'resource_missing']);
    const refused = await lab.request(`POST /v1/payments/${id}/confirm`, {
      ...payer,
      body: { method: 'card', token: 'tok_none' },
    });
    expect(await read(refused.headers['request-id'])).toMatchObject({ status: refused.status, key: null });
  });

  it('keeps no body, query, header value, secret or card number', async () => {
    const secrets = ['4242424242424242', 'sk_test_abcdefghijklmnop', 'whsec_abc', 'hush@example.com', 'pay_1_secret_2'];
    for (const text of secrets) {
      await lab.request('POST /v1/customers', { body: { email: text, [text]: text, metadata: { [text]: text } } });
      await lab.request(`GET /v1/payments/${text}?customer=${text}&${text}=1`);
      await lab.request('POST /v1/payments', { headers: { 'idempotency-key': text, 'user-agent': text }, body: {} });
    }
    const all = JSON.stringify(await list());
    expect(secrets.filter(text => all.includes(text))).toEqual([]);
    const { rows } = await lab.database.pool.query('select row_to_json(r)::text as row from api_requests r');
    expect(secrets.filter(text => rows.some(({ row }) => row.includes(text)))).toEqual([]);
  });

  it.each([
    ['&status=404', 404, 404],
    ['&status[gte]=400', 400, 599],
    ['&status[lt]=300', 200, 299],
  ])('filters by %s', async (query, from, to) => {
    const calls = await list(query);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter(({ status }) => status < from || status > to)).toEqual([]);
  });

  it('filters by method, path, code and key', async () => {
    const [first] = await list('&code=operation_not_allowed');
    expect(first?.path).toBe('/v1/payments');
    expect((await list(`&key=${first?.key}`)).map(({ id }) => id)).toEqual([first?.id]);
    expect(new Set((await list('&method=post&path=/v1/customers')).map(call => `${call.method} ${call.path}`))).toEqual(
      new Set(['POST /v1/customers']),
    );
  });

  it('keeps calls of the dashboard apart from those of keys and payers', async () => {
    const person = await owner(lab);
    const seen = await person.send('GET /v1/customers');
    const byKey = await lab.request('GET /v1/customers');
    const refused = await lab.request('GET /v1/payments', { key: lab.merchant.publishableKey });
    const ids = [seen, byKey, refused].map(({ headers }) => headers['request-id']);
    const known = async (query: string) => {
      const listed = new Set((await list(query)).map(({ id }) => id));
      return ids.map(id => listed.has(String(id)));
    };
    expect(await known('')).toEqual([true, true, true]);
    expect(await known('&via=api')).toEqual([false, true, true]);
    expect(await known('&via=dashboard')).toEqual([true, false, false]);
    expect(refusal(await lab.request('GET /v1/requests?via=phone'))).toEqual([400, 'parameter_invalid', 'via']);
  });

  describe('among many calls', () => {
    const many = 4_000;
    const copies = async (what: string, from: string) => {
      const { rowCount } = await lab.database.pool.query(
        `insert into api_requests select copy.*
         from api_requests r, generate_series(1, ${many}) n, jsonb_populate_record(r, jsonb_build_object(
           'id', $1 || n, 'created_at', r.created_at + n * interval '1 millisecond')) copy
         where r.id = (select id from api_requests where ${from} limit 1)`,
        [what],
      );
      expect(rowCount).toBe(many);
      await lab.database.pool.query('analyze api_requests');
    };

    it.each([
      ['the dashboard', 'api', 'person_id is not null'],
      ['keys', 'dashboard', 'person_id is null'],
    ])('reads few rows behind %s', async (_others, via, from) => {
      await copies(`req_${via}`, from);
      const query = `GET /v1/requests?via=${via}&limit=5` as const;
      const rows = await touchedRows(lab.database, log, async () => {
        const { body } = await lab.request(query);
        expect(body.data.length).toBeGreaterThan(0);
        expect(body.data.filter(({ person }: ApiRequest) => (person === null) !== (via === 'api'))).toEqual([]);
      });
      expect(rows).toBeLessThanOrEqual(30);
      await lab.database.pool.query('delete from api_requests where id like $1', [`req_${via}%`]);
    });
  });

  it('is found by search, and not by another merchant', async () => {
    const [call] = await list('&status=404');
    const { body } = await lab.request(`GET /v1/search?q=${call?.id}`);
    expect(body.data).toMatchObject([{ type: 'request', id: call?.id }]);
    const other = await lab.addMerchant();
    expect((await lab.request(`GET /v1/requests/${call?.id}`, { key: other.secretKey })).status).toBe(404);
  });

  it('forgets calls after 30 days', async () => {
    lab.clock.advance(31 * 86_400);
    await lab.sweep('requests.expire');
    expect(await list()).toEqual([]);
  });
});
