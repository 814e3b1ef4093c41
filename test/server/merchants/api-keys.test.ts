import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const make = (body: object, key = shop.merchant.secretKey) => shop.request('POST /v1/api-keys', { key, body });

describe('an API key', () => {
  it('is shown once, listed without its secret, and works', async () => {
    shop.clock.advance(1);
    const { status, body, headers } = await make({ type: 'secret', name: 'Backoffice' });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    expect(body.hint).toBe(`sk_test_…${body.key.slice(-4)}`);
    expect(headers['location']).toBe(`/v1/api-keys/${body.id}`);
    const { key, ...known } = body;
    expect((await shop.request(`GET /v1/api-keys/${body.id}`)).body).toEqual(known);
    expect((await shop.request('GET /v1/api-keys?limit=1')).body).toMatchObject({
      object: 'list',
      has_more: true,
      data: [known],
    });
    expect((await shop.request('GET /v1/account', { key })).status).toBe(200);
  });

  it('is invalid from the moment it is revoked', async () => {
    const { body } = await make({ type: 'secret' });
    expect((await shop.request('GET /v1/account', { key: body.key })).status).toBe(200);
    const gone = await shop.request(`DELETE /v1/api-keys/${body.id}`);
    expect([gone.status, gone.body]).toEqual([200, { id: body.id, object: 'api_key', deleted: true }]);
    expect((await shop.request('GET /v1/account', { key: body.key })).status).toBe(401);
    expect((await shop.request(`DELETE /v1/api-keys/${body.id}`)).body.error.code).toBe('resource_missing');
  });

  it('that was revoked is refused by other processes within moments', async () => {
    const { body } = await make({ type: 'secret' });
    expect((await shop.request('GET /v1/account', { key: body.key })).status).toBe(200);
    await shop.database.db.transaction().execute(async tx => {
      await tx.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', body.id).execute();
      const { announceMerchant } = await import('../../../src/server/merchants/merchant.store.ts');
      await announceMerchant(tx, shop.merchant.id);
    });
    await expect
      .poll(async () => (await shop.request('GET /v1/account', { key: body.key })).status, { timeout: 2_000 })
      .toBe(401);
  });

  it('cannot be revoked if it is the last secret key of its mode, also concurrently', async () => {
    const merchant = await shop.addMerchant();
    const second = await shop.addKey(merchant.id, 'secret');
    const { data } = (await shop.request('GET /v1/api-keys', { key: merchant.secretKey })).body;
    const ids = data.filter(({ type }: { type: string }) => type === 'secret').map(({ id }: { id: string }) => id);
    const answers = await Promise.all(
      ids.map((id: string) => shop.request(`DELETE /v1/api-keys/${id}`, { key: second })),
    );
    const outcomes = answers.map(({ status, body }) => body.error?.code ?? status).sort();
    // The second call's own key may already be revoked.
    expect(outcomes[0]).toBe(200);
    expect(['last_key', 'invalid_api_key']).toContain(outcomes[1]);
    const { rows } = await shop.database.pool.query(
      "select count(*)::int as n from api_keys where merchant_id = $1 and type = 'secret' and revoked_at is null",
      [merchant.id],
    );
    expect(rows[0].n).toBe(1);
  });

  it('belongs to its merchant and mode', async () => {
    const other = await shop.addMerchant();
    const { body } = await make({ type: 'secret' });
    for (const call of ['GET', 'DELETE'] as const) {
      const answer = await shop.request(`${call} /v1/api-keys/${body.id}`, { key: other.secretKey });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'resource_missing']);
    }
    const live = await make({ type: 'secret' }, await shop.addKey(shop.merchant.id, 'secret', { livemode: true }));
    expect(live.body.key).toMatch(/^sk_live_/);
    expect((await shop.request(`GET /v1/api-keys/${live.body.id}`)).status).toBe(404);
  });

  it('cannot create keys of the other mode', async () => {
    const live = await shop.addKey(shop.merchant.id, 'secret', { livemode: true });
    for (const type of ['secret', 'publishable']) {
      for (const answer of [await make({ type, livemode: true }), await make({ type, livemode: false }, live)]) {
        expect([answer.status, answer.body.error]).toMatchObject([
          403,
          { code: 'operation_not_allowed', param: 'livemode' },
        ]);
      }
    }
    expect((await make({ type: 'secret', livemode: true }, live)).body.livemode).toBe(true);
  });

  it('cannot create keys with more permissions', async () => {
    const weak = await shop.addKey(shop.merchant.id, 'secret', { scopes: ['api_keys:write', 'payments:read'] });
    expect((await make({ type: 'secret' }, weak)).body.error.code).toBe('operation_not_allowed');
    expect((await make({ type: 'secret', scopes: ['payments:write'] }, weak)).body.error.code).toBe(
      'operation_not_allowed',
    );
    expect((await make({ type: 'secret', scopes: ['payments:read'] }, weak)).status).toBe(201);
    const unknown = await make({ type: 'secret', scopes: ['payments:read', 'root'] });
    expect(unknown.body.error).toMatchObject({ code: 'parameter_invalid', param: 'scopes[1]' });
  });
});
