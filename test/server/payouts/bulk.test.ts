import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../support/app.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type BulkLab, phone, phones, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
let count = 0;
beforeAll(async () => {
  lab = await startBulkLab();
  await lab.fund(100_000_00);
});
afterAll(async () => {
  await lab.arrive();
  await lab.expectSoundBooks();
  await lab.close();
});

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const freshKey = () => `bulk-${++count}`;
const send = (body: unknown, headers: Record<string, string> = {}) =>
  lab.request('POST /v1/payouts/bulk', { body, headers });

describe('POST /v1/payouts/bulk', () => {
  it('accepts rows, reserves their money, and returns the URL of the batch', async () => {
    const before = await lab.balance();
    const answer = await lab.bulk(phones(3), { description: 'November', metadata: { run: 11 } });
    expect(answer.status).toBe(202);
    const { id } = answer.body;
    expect(answer.headers['location']).toBe(`/v1/payout-batches/${id}`);
    expect(answer.body).toMatchObject({
      object: 'payout_batch',
      status: 'processing',
      description: 'November',
      metadata: { run: 11 },
      counts: { total: 3, accepted: 3, rejected: 0, pending: 3, completed: 0, failed: 0 },
      totals: [{ currency: 'EUR', amount: 300, fee: 0, count: 3 }],
      errors: [],
      dry_run: false,
      livemode: false,
      payouts_url: expect.stringMatching(new RegExp(`/v1/payout-batches/${id}/payouts$`)),
    });
    const counted = { ...answer.body, statuses: { queued: 3 } };
    expect((await lab.request(`GET /v1/payout-batches/${id}`)).body).toEqual(counted);
    const after = await lab.balance();
    expect((before['available EUR'] ?? 0) - (after['available EUR'] ?? 0)).toBe(300);
    expect((after['reserved EUR'] ?? 0) - (before['reserved EUR'] ?? 0)).toBe(300);
  });

  it.each([0, 10_001])('refuses %i rows with batch_size', async rows => {
    const before = await lab.written();
    expect(refusal(await lab.bulk(phones(rows)))).toEqual([400, 'batch_size', 'payouts']);
    expect(await lab.written()).toEqual(before);
  });

  it.each([
    ['no payouts', {}, 'parameter_missing', 'payouts'],
    ['payouts that are null', { payouts: null }, 'parameter_invalid', 'payouts'],
    ['payouts that are an object', { payouts: { 0: phone } }, 'parameter_invalid', 'payouts'],
    ['payouts that are a text', { payouts: '[]' }, 'parameter_invalid', 'payouts'],
    ['an unknown option', { payouts: [phone], when: 'now' }, 'parameter_unknown', 'when'],
    ['a wrong option', { payouts: [phone], on_error: 'ignore' }, 'parameter_invalid', 'on_error'],
    ['a schedule in the past', scheduled('2020-01-01T00:00:00Z'), 'invalid_schedule', 'schedule.at'],
    ['a schedule that is no time', scheduled('tomorrow'), 'parameter_invalid', 'schedule.at'],
    ['a text with NUL', '{"payouts":[],"description":"\\u0000"}', 'invalid_json', null],
    ['a row with NUL', `{"payouts":[${JSON.stringify({ ...phone, description: '\0' })}]}`, 'invalid_json', null],
    ['the rows twice', `{"payouts":[],"payouts":[]}`, 'invalid_json', null],
    ['a key of a row twice', '{"payouts":[{"amount":1,"amount":100}]}', 'invalid_json', null],
    ['an option twice', '{"payouts":[],"dry_run":true,"dry_run":false}', 'invalid_json', null],
    ['an array', '[{"payouts":[]}]', 'invalid_json', null],
    ['no body', undefined, 'invalid_json', null],
    ['a body that breaks off', '{"payouts":[{"amount":1', 'invalid_json', null],
    ['no JSON between rows', '{"payouts":[{"amount":1} {"amount":1}]}', 'invalid_json', null],
    ['a comma too many', '{"payouts":[{"amount":1},]}', 'invalid_json', null],
    ['a row of 70 kB', { payouts: [{ ...phone, description: 'x'.repeat(70_000) }] }, 'invalid_json', null],
    ['a row of 40 levels', `{"payouts":[{"metadata":${'['.repeat(40)}${']'.repeat(40)}}]}`, 'invalid_json', null],
  ])('refuses %s', async (_, body, code, param) => {
    expect(refusal(await send(body))).toEqual([400, code, param]);
  });

  it('names the row that is no valid JSON', async () => {
    const { body } = await send('{"payouts":[{"amount":1},{"amount":1,"amount":2}]}');
    expect(body.error.message).toContain('payouts[1]');
  });

  it('names the row and the field of a number that would be rounded', async () => {
    const rows = `{"payouts":[${JSON.stringify(phone)},{"amount":1.00000000000000001,"currency":"EUR"}]}`;
    expect(refusal(await send(rows))).toEqual([400, 'invalid_amount', 'payouts[1].amount']);
  });

  it('refuses another content type', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const type of types) {
      expect((await send(JSON.stringify({ payouts: [phone] }), { 'content-type': type })).status, type).toBe(415);
    }
  });

  it('refuses a total that cannot be written as an integer', async () => {
    const rows = [phone, phone].map(row => ({ ...row, amount: Number.MAX_SAFE_INTEGER }));
    expect(refusal(await lab.bulk(rows))).toEqual([400, 'amount_out_of_range', 'payouts']);
  });

  it('refuses publishable keys, keys without the scope, and calls without a key', async () => {
    const reader = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['payouts:read'] });
    const by = async (key: string | null) => refusal(await lab.bulk([phone], {}, { key })).slice(0, 2);
    expect(await by(lab.merchant.publishableKey)).toEqual([403, 'secret_key_required']);
    expect(await by(reader)).toEqual([403, 'operation_not_allowed']);
    expect((await by(null))[0]).toBe(401);
  });

  it('keeps batches and payouts from other merchants', async () => {
    const { id } = await lab.accept([phone]);
    const { data } = (await lab.request(`GET /v1/payout-batches/${id}/payouts`)).body;
    const other = await lab.addMerchant();
    const calls = [
      ...[`GET /v1/payout-batches/${id}`, `GET /v1/payout-batches/${id}/payouts`, `GET /v1/payouts/${data[0].id}`],
      ...[`POST /v1/payout-batches/${id}/cancel`, `POST /v1/payouts/${data[0].id}/cancel`],
    ] as const;
    for (const call of calls) {
      const answer = await lab.request(call as `${string} /${string}`, { key: other.secretKey });
      expect(refusal(answer), call).toEqual([404, 'resource_missing', 'id']);
    }
  });
});

function scheduled(at: string) {
  return { payouts: [phone], schedule: { type: 'scheduled', at } };
}

describe('a body that is refused before it has arrived', () => {
  let port = 0;
  beforeAll(async () => {
    port = await listen(lab);
  });

  /** Sends the parts one by one, like a slow client, and reads the answer. */
  function upload(parts: Iterable<string>): Promise<{ status: number; code: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${lab.merchant.secretKey}` };
      const sent = httpRequest({ port, method: 'POST', path: '/v1/payouts/bulk', headers }, answer => {
        let text = '';
        answer.on('data', chunk => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, code: JSON.parse(text).error.code }));
      });
      sent.on('error', reject);
      for (const part of parts) sent.write(part);
      sent.end();
    });
  }

  function* repeated(part: string, times: number) {
    yield '{"payouts":[';
    for (let i = 0; i < times; i++) yield part;
    yield `${JSON.stringify(phone)}]}`;
  }

  it('still gets its answer: 17 MB', async () => {
    const row = `${JSON.stringify({ ...phone, description: 'x'.repeat(100) })},`;
    const part = row.repeat(Math.ceil(1_048_576 / row.length));
    expect(await upload(repeated(part, 17))).toEqual({ status: 413, code: 'body_too_large' });
  });

  it('still gets its answer: a wrong row at the beginning', async () => {
    const rows = `${JSON.stringify(phone)},`.repeat(1_000);
    expect(await upload(repeated(`{"a":1,"a":2},${rows}`, 20))).toEqual({ status: 400, code: 'invalid_json' });
  });
});

describe('the balance', () => {
  it('covers one of two batches that together are more than it', async () => {
    const { secretKey: key } = await lab.addMerchant();
    await lab.fund(100, 'EUR', key);
    const rows = [{ ...phone, amount: 80 }];
    const answers = await Promise.all([lab.bulk(rows, {}, { key }), lab.bulk(rows, {}, { key })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 402]);
    const short = answers.find(({ status }) => status === 402);
    expect(short?.body.error).toMatchObject({
      type: 'payment_error',
      code: 'insufficient_funds',
      message: 'The balance has 0.20 EUR available, but 0.80 EUR is needed. Add money with a top-up.',
    });
    const { available, reserved } = (await lab.request('GET /v1/balance', { key })).body;
    expect(available).toEqual([{ currency: 'EUR', amount: 20 }]);
    expect(reserved).toEqual([{ currency: 'EUR', amount: 80 }]);
  });

  it('that is short refuses all rows, in each currency', async () => {
    const { secretKey: key } = await lab.addMerchant();
    await lab.fund(1_000, 'EUR', key);
    const rows = [phone, { ...phone, currency: 'USD' }];
    expect(refusal(await lab.bulk(rows, {}, { key })).slice(0, 2)).toEqual([402, 'insufficient_funds']);
    expect((await lab.request('GET /v1/payouts', { key })).body.data).toEqual([]);
    expect((await lab.request('GET /v1/payout-batches', { key })).body.data).toEqual([]);
    expect((await lab.request('GET /v1/balance', { key })).body.reserved).toEqual([]);
  });
});

describe('a bulk call with an Idempotency-Key', () => {
  it('is answered again byte for byte, and pays once', async () => {
    const key = freshKey();
    const first = await lab.bulk(phones(2), {}, keyed(key));
    const before = await lab.written();
    const second = await send({ payouts: phones(2) }, keyed(key).headers);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['location']).toBe(first.headers['location']);
    expect(await lab.written()).toEqual(before);
  });

  it('is refused with other rows or options', async () => {
    const key = freshKey();
    await send({ payouts: phones(2) }, keyed(key).headers);
    const others = [{ payouts: phones(3) }, { payouts: phones(2), dry_run: true }];
    for (const body of others) {
      expect(refusal(await send(body, keyed(key).headers)).slice(0, 2)).toEqual([422, 'idempotency_key_reused']);
    }
  });

  it('makes one batch when it is sent 50 times at once', async () => {
    const before = await lab.written();
    const key = freshKey();
    const body = { payouts: phones(5) };
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(body, keyed(key).headers)));
    const made = answers.filter(({ status }) => status === 202);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 202).map(answer => refusal(answer).slice(0, 2));
    expect(others).toEqual(others.map(() => [409, 'idempotency_in_progress']));
    const after = await lab.written();
    expect([after.batches - before.batches, after.payouts - before.payouts]).toEqual([1, 5]);
  });

  it('has its answer stored for 30 days, other calls for one day', async () => {
    const key = freshKey();
    await send({ payouts: [phone] }, keyed(key).headers);
    await lab.request('POST /v1/api-keys', { body: { type: 'secret' }, ...keyed(key) });
    const { rows } = await lab.database.pool.query(
      'select (extract(epoch from expires_at - created_at) / 86400)::int as days from idempotency_keys where key = $1',
      [key],
    );
    expect(rows.map(({ days }) => Number(days)).sort()).toEqual([1, 30]);
  });

  it('runs again after its rows were refused', async () => {
    const key = freshKey();
    const wrong = await send({ payouts: [{ ...phone, amount: 0 }] }, keyed(key).headers);
    const right = await send({ payouts: [phone] }, keyed(key).headers);
    expect([wrong.status, right.status]).toEqual([400, 202]);
  });
});

describe('a dry run', () => {
  it('returns totals, counts and errors, and writes nothing', async () => {
    const before = [await lab.written(), await lab.balance()];
    const rows = [phone, { ...phone, currency: 'USD', source_currency: 'EUR' }, { ...phone, amount: 0 }];
    const { status, body } = await lab.bulk(rows, { dry_run: true, on_error: 'skip_invalid' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: null,
      dry_run: true,
      payouts_url: null,
      results_url: null,
      counts: { total: 3, accepted: 2, rejected: 1 },
      // 1.00 USD is 0.92 EUR at the sandbox's rate, and 2 % more are reserved, rounded up.
      totals: [{ currency: 'EUR', amount: 194, count: 2 }],
      errors: [{ index: 2, param: 'payouts[2].amount', code: 'invalid_amount' }],
    });
    expect([await lab.written(), await lab.balance()]).toEqual(before);
  });

  it('says when the last payout arrives, unless an approval decides that', async () => {
    const at = '2030-03-05T09:00:00.000Z';
    const etaOf = async (options: object) => (await lab.bulk([phone], { dry_run: true, ...options })).body.eta_at;
    expect(Date.parse(await etaOf({ schedule: { type: 'scheduled', at } }))).toBeGreaterThan(Date.parse(at));
    expect(Date.parse(await etaOf({}))).toBeLessThan(Date.parse(at));
    expect(await etaOf({ approval: { required: true } })).toBeNull();
  });

  it('refuses wrong rows as the call itself would', async () => {
    expect(refusal(await lab.bulk([{ ...phone, amount: 0 }], { dry_run: true }))).toEqual([
      ...[400, 'invalid_amount', 'payouts[0].amount'],
    ]);
  });
});
