import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { createPayment, frameUrl, startPages } from './site.ts';
import { placesThatHold } from './traces.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({ allowedOrigins: ['https://shop.example'] });
});
afterAll(() => app?.close());

const number = '4111111111111111';
const card = { number, exp_month: 12, exp_year: 2029, cvc: '987', name: 'Jo Long' };
const ownPage = { 'sec-fetch-site': 'same-origin' };

async function ticketOf(payment: { id: string }): Promise<string> {
  return new URL(await frameUrl(app, payment)).searchParams.get('ticket') ?? '';
}

function tokenize(body: object, headers: Record<string, string> = ownPage) {
  return app.request('POST /card-frame/tokens', { key: null, headers, body });
}

describe('the document of the card frame', () => {
  it('may load its own two files, call its own service, and be framed by the merchant’s pages', async () => {
    const { pathname, search } = new URL(await frameUrl(app, await createPayment(app)));
    const page = await app.request(`GET /${pathname.slice(1)}${search}`, { key: null });
    expect(page.status).toBe(200);
    const policy = String(page.headers['content-security-policy']);
    const own = 'http://localhost:4242/card-frame/';
    for (const directive of [
      "default-src 'none'",
      `script-src ${own}`,
      `style-src ${own}`,
      `connect-src ${own}`,
      "form-action 'none'",
      "trusted-types 'none'",
      "frame-ancestors 'self' https://shop.example",
    ]) {
      expect(policy).toContain(directive);
    }
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<style|\sstyle=|<script(?![^>]* src=)/);
    expect(page.headers['cache-control']).toBe('no-store');
    for (const purpose of ['cc-number', 'cc-exp', 'cc-csc', 'cc-name']) {
      expect(page.text).toContain(`autocomplete="${purpose}"`);
    }
  });

  it.each(['', 'nonsense', `${'0'.repeat(66)}zzzzzz`])('is refused for the ticket "%s"', async ticket => {
    const page = await app.request(`GET /card-frame/?ticket=${ticket}`, { key: null });
    expect([page.status, page.body.error.code]).toEqual([404, 'resource_missing']);
  });
});

describe('a card sent by the frame', () => {
  it('becomes a token for the payment of the frame only', async () => {
    const [mine, other] = [await createPayment(app), await createPayment(app)];
    const { token } = (await tokenize({ ...card, ticket: await ticketOf(mine) })).body;
    const pay = ({ id }: { id: string }) =>
      app.request(`POST /v1/payments/${id}/confirm`, { body: { method: 'card', token } });
    const refused = await pay(other);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_token']);
    expect((await pay(mine)).body.status).toBe('completed');
    expect((await pay(mine)).status).toBe(409);
  });

  it('becomes a token, and its number and code are not stored', async () => {
    const payment = await createPayment(app);
    const answer = await tokenize({ ...card, ticket: await ticketOf(payment) });
    expect(answer.body).toEqual({ token: expect.stringMatching(/^tok_/), brand: 'visa', last4: '1111' });
    const paid = await app.request(`POST /v1/payments/${payment.id}/confirm`, {
      body: { method: 'card', token: answer.body.token },
    });
    expect(paid.body.status).toBe('completed');
    expect(await placesThatHold(app, [number, '4111 1111 1111 1111', '11111111', '"987"'])).toEqual([]);
    expect(paid.text).not.toContain('11111111');
    // Control: the search finds an existing value.
    expect(await placesThatHold(app, [payment.id])).not.toEqual([]);
  });

  it('is refused from any origin but the frame’s own', async () => {
    const ticket = await ticketOf(await createPayment(app));
    const foreign = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:4242' },
      { origin: 'https://shop.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const answer = await tokenize({ ...card, ticket }, headers as Record<string, string>);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'origin_not_allowed']);
    }
    expect((await tokenize({ ...card, ticket }, { origin: 'http://localhost:4242' })).status).toBe(200);
  });

  it.each([
    ['a number with a wrong check digit', { number: '4111111111111112' }, 402, 'incorrect_number'],
    ['an expired month', { exp_year: 2025 }, 402, 'expired_card'],
    ['a code that is too short', { cvc: '9' }, 402, 'incorrect_cvc'],
    ['a number with letters', { number: '4111111111x' }, 400, 'parameter_invalid'],
    ['a field it does not know', { pin: '1234' }, 400, 'parameter_unknown'],
    ['a forged ticket', { ticket: 'x' }, 404, 'resource_missing'],
  ])('with %s is refused without repeating it', async (_, fields, status, code) => {
    const ticket = await ticketOf(await createPayment(app));
    const answer = await tokenize({ ...card, ticket, ...fields });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.text).not.toMatch(/11111111/);
  });

  it('is refused when the body is too large', async () => {
    const answer = await tokenize({ ...card, ticket: 'x'.repeat(5000) });
    expect(answer.body.error.code).toBe('body_too_large');
  });

  it('is refused when the payment has ended', async () => {
    const payment = await createPayment(app);
    const ticket = await ticketOf(payment);
    await app.request(`POST /v1/payments/${payment.id}/cancel`, { body: {} });
    expect((await tokenize({ ...card, ticket })).body.error.code).toBe('payment_already_settled');
  });

  it('is not sent to the acquirer after too many attempts, with any ticket', async () => {
    const payment = await createPayment(app);
    const codes: string[] = [];
    for (let i = 0; i < 25; i++) {
      const answer = await tokenize({ ...card, ticket: await ticketOf(payment), number: '4111111111111112' });
      codes.push(answer.body.error.code);
      if (i === 24) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(codes).toEqual([...Array(20).fill('incorrect_number'), ...Array(5).fill('too_many_attempts')]);
  });

  it('is refused a day after the frame’s ticket was issued', async () => {
    const ticket = await ticketOf(await createPayment(app));
    app.clock.advance(24 * 60 * 60);
    expect((await tokenize({ ...card, ticket })).body.error.code).toBe('resource_missing');
  });
});

describe('the wallets of the frame', () => {
  let wallets: TestApp;
  beforeAll(async () => {
    wallets = await startPages({}, { PAY_SANDBOX_ACQUIRERS: 'sandbox_wallets' });
  });
  afterAll(() => wallets?.close());

  const payload = { paymentMethodData: { info: { cardNetwork: 'VISA', cardDetails: '1111' } } };

  it.each([
    ['wallet-tokens', { scheme: 'google_pay', payload }],
    ['wallet-sessions', { url: 'https://apple-pay-gateway.apple.com/paymentservices/startSession' }],
  ])('are offered by an acquirer that takes them only, and to its own page only (%s)', async (path, body) => {
    const send = async (server: TestApp, headers: Record<string, string>) => {
      const ticket = new URL(await frameUrl(server, await createPayment(server))).searchParams.get('ticket');
      const answer = await server.request(`POST /card-frame/${path}`, {
        key: null,
        headers,
        body: { ticket, ...body },
      });
      return [answer.status, answer.body.error?.code];
    };
    expect(await send(wallets, ownPage)).toEqual([200, undefined]);
    expect(await send(wallets, { 'sec-fetch-site': 'cross-site' })).toEqual([403, 'origin_not_allowed']);
    expect(await send(app, ownPage)).toEqual([503, 'unavailable']);
  });

  it('open no session at an address that is not the wallet’s', async () => {
    const ticket = new URL(await frameUrl(wallets, await createPayment(wallets))).searchParams.get('ticket');
    for (const url of [
      'http://localhost/',
      'https://apple-pay-gateway.apple.com.example.com/',
      'https://evil.example/',
    ]) {
      const body = { ticket, url };
      const answer = await wallets.request('POST /card-frame/wallet-sessions', { key: null, headers: ownPage, body });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_token']);
    }
  });

  it('widen the policy by the addresses of the wallets only', async () => {
    const policyOf = async (server: TestApp) => {
      const { pathname, search } = new URL(await frameUrl(server, await createPayment(server)));
      const { headers } = await server.request(`GET /${pathname.slice(1)}${search}`, { key: null });
      return /connect-src ([^;]+)/.exec(String(headers['content-security-policy']))?.[1];
    };
    const own = 'http://localhost:4242/card-frame/';
    expect(await policyOf(app)).toBe(own);
    const added = 'https://apple.com/apple-pay https://google.com/pay https://pay.google.com/gp/p/';
    expect(await policyOf(wallets)).toBe(`${own} ${added}`);
  });
});
