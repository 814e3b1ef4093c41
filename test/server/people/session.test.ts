import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules } from '../../../src/server/app.ts';
import { createPasswords } from '../../../src/server/people/password.ts';
import { hasScope } from '../../../src/server/platform/http/access/caller.ts';
import { createScopes, roles } from '../../../src/server/platform/http/access/roles.ts';
import { declarationsOf } from '../../../src/server/platform/module.ts';
import { listen, quickCost, startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { type Browser, browser, own, owner, password, personWith } from './visitor.ts';

const outcome = ({ status, body }: TestAnswer) => [status, body?.error?.code];

describe('a fresh sandbox', () => {
  let shop: TestApp;
  beforeAll(async () => {
    shop = await startTestApp({ passwords: createPasswords() });
  });
  afterAll(() => shop?.close());
  const start = () => ({ start_token: shop.app.secrets.startToken(shop.merchant.id) });

  it('lets the start address and the sandbox button sign in as the one owner', async () => {
    const entries = await Promise.all([{ sandbox: true }, start(), start()].map(body => browser(shop).signIn(body)));
    expect(entries.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(entries.map(({ body }) => body.person.id)).size).toBe(1);
    expect(entries[0]?.body).toMatchObject({
      object: 'session',
      role: 'owner',
      merchant: { id: shop.merchant.id, name: 'Test shop', is_operator: true },
      merchants: [{ id: shop.merchant.id, name: 'Test shop', role: 'owner' }],
      person: { object: 'person', email: null, has_password: false, two_factor: false, passkeys: 0 },
      livemode: false,
      modes: ['test', 'live'],
      sandbox: true,
      is_operator: true,
    });
    expect(entries[0]?.headers['set-cookie']).toEqual(
      ['session', 'device'].map(kind =>
        expect.stringMatching(`^pay_${kind}_4242=[0-9A-Za-z]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=[0-9]+$`),
      ),
    );
  });

  it.each([
    ['a forged start token', () => ({ start_token: 'x'.repeat(44) }), 401, 'invalid_start_token'],
    ['two ways at once', () => ({ ...start(), sandbox: true }), 400, 'parameter_missing'],
    ['no way', () => ({}), 400, 'parameter_missing'],
    ['an e-mail address alone', () => ({ email: 'a@shop.example' }), 400, 'parameter_missing'],
    ['an unknown person', () => ({ email: 'a@shop.example', password }), 401, 'invalid_credentials'],
  ])('refuses %s', async (_, body, status, code) => {
    expect(outcome(await browser(shop).signIn(body()))).toEqual([status, code]);
  });

  it('refuses a sign-in that a page of another site sends', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await browser(shop, headers).signIn({ sandbox: true });
      expect(outcome(answer)).toEqual([403, 'origin_not_allowed']);
    }
  });

  it('stops both ways when a person sets a password, which then signs in', async () => {
    const person = await owner(shop);
    expect(outcome(await person.send('PATCH /v1/person', { password }))).toEqual([400, 'parameter_missing']);
    const set = (changes: object) => person.send('PATCH /v1/person', changes);
    expect((await set({ email: 'Olga@Shop.example', name: ' Olga ', password })).body).toMatchObject({
      email: 'Olga@Shop.example',
      name: 'Olga',
      has_password: true,
    });
    for (const body of [{ sandbox: true }, start()]) {
      expect(outcome(await browser(shop).signIn(body))).toEqual([401, 'invalid_start_token']);
    }
    expect((await browser(shop).send('GET /v1/session/options')).body.sandbox).toBe(false);
    const signedIn = await browser(shop).signIn({ email: 'olga@shop.EXAMPLE', password });
    expect([signedIn.status, signedIn.body.person.name, signedIn.body.sandbox]).toEqual([201, 'Olga', false]);
    const { rows } = await shop.database.pool.query('select password_hash from people');
    expect(rows[0].password_hash).toMatch(/^scrypt\$16\$8\$2\$/);
    expect(outcome(await set({ password: 'another good one' }))).toEqual([400, 'invalid_password']);
    expect(outcome(await set({ password: 'short', current_password: password }))).toEqual([400, 'invalid_password']);
    expect((await set({ password: 'another good one', current_password: password })).status).toBe(200);
    expect(outcome(await browser(shop).signIn({ email: 'olga@shop.example', password }))).toEqual([
      401,
      'invalid_credentials',
    ]);
  });
});

describe('a session', () => {
  let shop: TestApp;
  let hash: string;
  let people: Record<string, Browser & { id: string; email: string }>;
  beforeAll(async () => {
    shop = await startTestApp();
    hash = await createPasswords(quickCost).hash(password);
    people = Object.fromEntries(
      await Promise.all(roles.map(async role => [role, await personWith(shop, role, hash)] as const)),
    );
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

  /** The roles that may make each call. A call that may be made can still fail for another reason. */
  it.each([
    ['GET /v1/payments', 'owner admin developer finance viewer'],
    ['GET /v1/events', 'owner admin developer finance viewer'],
    ['POST /v1/payments', 'owner admin finance'],
    ['POST /v1/payments/pay_x/refunds', 'owner admin finance'],
    ['POST /v1/payments/pay_x/capture', 'owner admin finance'],
    ['POST /v1/payments/pay_x/resolve', 'owner admin finance'],
    ['POST /v1/payouts/bulk', 'owner admin finance'],
    ['POST /v1/invoices', 'owner admin finance'],
    ['POST /v1/payment-links', 'owner admin finance'],
    ['GET /v1/api-keys', 'owner admin developer'],
    ['POST /v1/api-keys', 'owner admin developer'],
    ['GET /v1/webhook-endpoints', 'owner admin developer'],
    ['POST /v1/test_helpers/fund', 'owner admin developer'],
    ['PATCH /v1/account', 'owner admin'],
  ] as const)('%s: %s', async (call, allowed) => {
    const may: string[] = [];
    for (const role of roles) {
      const answer = await people[role]!.send(call, call.startsWith('GET') ? undefined : { unknown_field: 1 });
      if (answer.body.error?.code !== 'role_not_allowed') may.push(role);
      else expect([answer.status, answer.body.error.message]).toEqual([403, expect.stringContaining('owner')]);
    }
    expect(may.join(' ')).toBe(allowed);
  });

  it.each([
    ['owner', ['*'], 201],
    ['admin', ['*'], 201],
    ['developer', ['*'], 403],
    ['developer', undefined, 403],
    ['developer', ['payments:write', 'account:write'], 403],
    ['developer', ['payments:write', 'webhooks:write', 'account:read'], 201],
  ] as const)('%s makes a key with the scopes %o: %i', async (role, scopes, status) => {
    const body = { type: 'secret', ...(scopes && { scopes }) };
    const answer = await people[role]!.send('POST /v1/api-keys', body);
    expect([answer.status, answer.body.error?.param]).toEqual([status, status === 403 ? 'scopes' : undefined]);
  });

  const scopes = createScopes(declarationsOf(modules).scopes).all;
  /** The scopes of a developer's own role that change something. */
  const developed = ['events:write', 'webhooks:write', 'api_keys:write', 'test_helpers:write'];
  it.each(scopes)('a developer gives the scope %s to test keys, and to live keys within the role', async scope => {
    const make = async (mode: string) => {
      const headers = { 'pay-mode': mode };
      return (await people['developer']!.send('POST /v1/api-keys', { type: 'secret', scopes: [scope] }, headers))
        .status;
    };
    const isShared = scope === 'account:write';
    const isOwn = scope.endsWith(':read') || developed.includes(scope);
    expect([await make('test'), await make('live')]).toEqual([isShared ? 403 : 201, isOwn ? 201 : 403]);
  });

  it('a test key of a developer takes and refunds payments, and changes no settings', async () => {
    const session = (await people['developer']!.send('GET /v1/session')).body;
    const body = { type: 'secret', scopes: [...session.test_data_scopes, 'api_keys:write'] };
    expect(hasScope(session.test_data_scopes, 'api_keys:write')).toBe(false);
    expect(scopes.filter(scope => !hasScope(body.scopes, scope))).toEqual(['account:write']);
    const made = await people['developer']!.send('POST /v1/api-keys', body);
    const { key } = made.body;
    const { id } = (await shop.request('POST /v1/payments', { key, body: payment })).body;
    const confirmed = await shop.request(`POST /v1/payments/${id}/confirm`, {
      key,
      body: { method: 'card', token: 'tok_visa' },
    });
    expect(confirmed.body.status).toBe('completed');
    expect((await shop.request(`POST /v1/payments/${id}/refunds`, { key, body: {} })).status).toBe(201);
    expect((await shop.request('GET /v1/account', { key })).status).toBe(200);
    const refused = [
      await shop.request('PATCH /v1/account', { key, body: { name: 'Mine' } }),
      await shop.request('POST /v1/api-keys', { key, body: { type: 'secret', scopes: ['account:write'] } }),
      await shop.request('POST /v1/api-keys', { key, body: { type: 'secret', livemode: true } }),
    ];
    expect(refused.map(outcome)).toEqual(refused.map(() => [403, 'operation_not_allowed']));
  });

  it('writes within the role, as a secret key would', async () => {
    const made = await people['finance']!.send('POST /v1/payments', payment);
    expect(made.status).toBe(201);
    expect((await people['viewer']!.send(`GET /v1/payments/${made.body.id}`)).body.amount).toBe(1000);
    expect((await shop.request(`GET /v1/payments/${made.body.id}`)).status).toBe(200);
  });

  it.each([
    ['without a CSRF token', { 'x-csrf-token': '' }, 'csrf_token_invalid'],
    ['with a forged CSRF token', { 'x-csrf-token': 'x'.repeat(22) }, 'csrf_token_invalid'],
    ['from another origin', { origin: 'https://evil.example' }, 'origin_not_allowed'],
    ['from an opaque origin', { origin: 'null' }, 'origin_not_allowed'],
    ['from another port of the same host', { origin: 'http://localhost:3000' }, 'origin_not_allowed'],
    ['that a browser calls cross-site', { 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
    ['that a browser calls same-site', { 'sec-fetch-site': 'same-site' }, 'origin_not_allowed'],
  ])('refuses a write %s', async (_, headers, code) => {
    const before = (await shop.request('GET /v1/payments?limit=100')).body.data.length;
    expect(outcome(await people['owner']!.send('POST /v1/payments', payment, headers))).toEqual([403, code]);
    expect((await shop.request('GET /v1/payments?limit=100')).body.data.length).toBe(before);
  });

  it('refuses the CSRF token of another session, and reads for pages of other sites', async () => {
    const [first, second] = [people['owner']!, people['admin']!];
    const answer = await first.send('POST /v1/payments', payment, { 'x-csrf-token': second.csrf ?? '' });
    expect(outcome(answer)).toEqual([403, 'csrf_token_invalid']);
    const read = await first.send('GET /v1/payments', undefined, { 'sec-fetch-site': 'cross-site' });
    expect(outcome(read)).toEqual([403, 'origin_not_allowed']);
  });

  it('selects merchant and mode by headers, and hides merchants of others', async () => {
    const other = await shop.addMerchant({ name: 'Other shop' });
    const person = await personWith(shop, 'viewer', hash);
    const at = (headers: Record<string, string>) => person.send('GET /v1/session', undefined, headers);
    expect(outcome(await at({ 'pay-merchant': other.id }))).toEqual([404, 'resource_missing']);
    expect(outcome(await at({ 'pay-merchant': 'acct_unknown' }))).toEqual([404, 'resource_missing']);
    shop.clock.advance(1);
    await shop.database.db
      .insertInto('memberships')
      .values({ merchant_id: other.id, person_id: person.id, role: 'finance', created_at: shop.clock.now() })
      .execute();
    expect((await at({ 'pay-merchant': other.id, 'pay-mode': 'live' })).body).toMatchObject({
      merchant: { id: other.id, name: 'Other shop' },
      role: 'finance',
      livemode: true,
      merchants: [{ role: 'viewer' }, { id: other.id, role: 'finance' }],
    });
    await shop.request('POST /v1/test_helpers/clock', { key: other.secretKey, body: { advance: 'PT1H' } });
    const nowIn = async (mode: string) =>
      Date.parse((await at({ 'pay-merchant': other.id, 'pay-mode': mode })).body.now);
    expect((await nowIn('test')) - (await nowIn('live'))).toBe(3_600_000);
    const made = await person.send('POST /v1/payments', payment, { 'pay-merchant': other.id });
    expect((await shop.request(`GET /v1/payments/${made.body.id}`, { key: other.secretKey })).status).toBe(200);
    expect(outcome(await person.send('POST /v1/payments', payment))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await at({ 'pay-mode': 'demo' }))).toEqual([400, 'parameter_invalid']);
    const clock = await people['owner']!.send('GET /v1/test_helpers/clock', undefined, { 'pay-mode': 'live' });
    expect(outcome(clock)).toEqual([403, 'test_mode_only']);
  });

  it('ends for every tab at sign-out, and its cookie stays dead', async () => {
    const tab = await personWith(shop, 'owner', hash);
    const second = browser(shop);
    for (const [name, value] of tab.cookies) second.cookies.set(name, value);
    second.csrf = tab.csrf;
    expect((await second.send('GET /v1/session')).status).toBe(200);
    const left = await tab.send('DELETE /v1/session');
    expect([left.status, left.body.deleted, left.headers['set-cookie']]).toEqual([
      ...[200, true],
      expect.stringContaining('Max-Age=0'),
    ]);
    expect([...tab.cookies.keys()]).toEqual(['pay_device_4242']);
    for (const call of ['GET /v1/session', 'GET /v1/payments', 'GET /v1/events/stream', 'POST /v1/payments'] as const) {
      expect(outcome(await second.send(call, call.startsWith('GET') ? undefined : payment))).toEqual([
        ...[401, 'invalid_session'],
      ]);
    }
  });

  it('ends a week after its last use, and a month after sign-in', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const day = 86_400;
    for (const days of [6, 6, 6, 6]) {
      shop.clock.advance(days * day);
      expect((await person.send('GET /v1/session')).status).toBe(200);
    }
    shop.clock.advance(6 * day + 1);
    expect(outcome(await person.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    const idle = await personWith(shop, 'viewer', hash);
    shop.clock.advance(7 * day + 1);
    expect(outcome(await idle.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    expect(await shop.sweep('people.sessions')).toBeGreaterThan(0);
  });

  it('ends its open streams with itself', async () => {
    const port = await listen(shop);
    const person = await personWith(shop, 'viewer', hash);
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const stream = await fetch(`http://127.0.0.1:${port}/v1/events/stream`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    await person.send('DELETE /v1/session');
    expect(await stream.text()).toContain('retry:');
  }, 20_000);

  it('is stored as a hash only', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const rows = await shop.database.db.selectFrom('person_sessions').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain([...person.cookies.values()][0]);
  });

  it('leaves keys and links as they are: a cookie adds nothing to them', async () => {
    const { cookies } = people['owner'] as Browser;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const weak = await shop.addKey(shop.merchant.id, 'secret', { scopes: ['payments:read'] });
    const refused = await shop.request('GET /v1/account', { key: weak, headers: { cookie } });
    expect(outcome(refused)).toEqual([403, 'operation_not_allowed']);
    expect(outcome(await shop.request('GET /v1/session'))).toEqual([403, 'session_required']);
    const link = await shop.request('POST /v1/payment-links', { body: { amount: 500, currency: 'EUR' } });
    const paid = await shop.request(`POST /v1/payment-links/${link.body.id}/payments`, {
      key: null,
      headers: { cookie, origin: own },
      body: { customer: { email: 'p@shop.example' } },
    });
    expect(paid.status).toBe(201);
  });
});

describe('on https', () => {
  it('the cookie is bound to the host and sent over TLS only', async () => {
    const shop = await startTestApp({ settings: { PAY_PUBLIC_URL: 'https://pay.example' } });
    const { headers } = await browser(shop, { origin: 'https://pay.example' }).signIn({ sandbox: true });
    expect(headers['set-cookie']).toEqual(
      ['session', 'device'].map(kind =>
        expect.stringMatching(`^__Host-pay_${kind}=[0-9A-Za-z]+; Path=/; HttpOnly; SameSite=Lax; .*; Secure$`),
      ),
    );
    await shop.close();
  });
});
