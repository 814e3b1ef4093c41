import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const refused = (param: string) => [400, 'parameter_invalid', param];
const problem = ({ status, body }: Awaited<ReturnType<TestApp['request']>>) => [
  status,
  body.error?.code,
  body.error?.param,
];

const notTimes = [
  '2027-01-01T23:59:60Z',
  '2027-02-29T00:00:00Z',
  '2027-01-01T24:00:00Z',
  '2027-01-01T00:00:00+24:00',
  '2027-01-01 00:00:00Z',
  '2027-01-01T00:00:00',
  '9999-12-31T23:59:59-12:00',
  '9999-01-01T00:00:00Z',
  '9998-12-31T23:59:59-01:00',
  '0000-12-31T00:00:00Z',
  '0001-01-01T00:00:00+10:00',
];

describe('a time', () => {
  const link = (fields: object) =>
    shop.request('POST /v1/payment-links', { body: { amount: 900, currency: 'EUR', ...fields } });

  it.each(notTimes)('is refused in every field: %s', async time => {
    for (const name of ['expires_at', 'starts_at']) {
      expect(problem(await link({ [name]: time })), name).toEqual(refused(name));
    }
    const { body: made } = await link({});
    const change = await shop.request(`PATCH /v1/payment-links/${made.id}`, { body: { expires_at: time } });
    expect(problem(change)).toEqual(refused('expires_at'));
    for (const name of ['created_at[gte]', 'created_at[lt]']) {
      const query = new URLSearchParams({ [name]: time });
      expect(problem(await shop.request(`GET /v1/payments?${query}`)), name).toEqual(refused(name));
    }
  });

  it.each([
    ['2027-01-01T23:59:59.5+02:00', '2027-01-01T21:59:59.500Z'],
    ['9998-12-31T23:59:59Z', '9998-12-31T23:59:59.000Z'],
    ['2028-02-29T00:00:00-12:00', '2028-02-29T12:00:00.000Z'],
  ])('is accepted: %s, and returned in UTC', async (time, utc) => {
    const { status, body } = await link({ expires_at: time });
    expect([status, body.expires_at]).toEqual([201, utc]);
  });

  it('that is valid is not reported with another invalid field', async () => {
    const { body } = await link({ amount: 'a lot', expires_at: '2027-01-01T00:00:00Z' });
    expect(body.error.errors.map(({ param }: { param: string }) => param)).toEqual(['amount']);
  });
});

describe('a date', () => {
  const invoice = {
    customer: { name: 'Ada', email: 'ada@example.com' },
    currency: 'EUR',
    lines: [{ description: 'Desk', unit_amount: 1_000 }],
  };
  const draft = (fields: object) => shop.request('POST /v1/invoices', { body: { ...invoice, ...fields } });

  it.each(['9999-12-31', '9999-12-30', '9999-01-01', '0000-01-01', '0001-01-01', '2027-02-29', '2027-13-01'])(
    'is refused: %s',
    async day => {
      expect(problem(await draft({ due_date: day }))).toEqual(refused('due_date'));
      const parts = await draft({ installments: [{ due_date: day, percent: '100' }] });
      expect(problem(parts)).toEqual(refused('installments[0].due_date'));
    },
  );

  it.each(['9998-12-31', '1900-01-01', '2028-02-29'])('is accepted: %s, also for sending an invoice', async day => {
    const { body } = await draft({ due_date: day, reminders: { offsets_days: [-365, 365] } });
    const sent = await shop.request(`POST /v1/invoices/${body.id}/send`, { body: {} });
    expect([sent.status, sent.body.due_date], sent.text).toEqual([200, day]);
    await shop.sweep();
  });
});
