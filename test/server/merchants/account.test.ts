import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

describe('the account', () => {
  it('is read by its secret key', async () => {
    const { status, body, headers } = await shop.request('GET /v1/account');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: shop.merchant.id, object: 'account', name: 'Test shop', livemode: false });
    expect(headers['request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
  });
});
