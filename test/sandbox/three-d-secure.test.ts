import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/core/id.ts';
import { createSandboxCardAcquirer, type SandboxCardAcquirer } from '../../src/sandbox/card-acquirer.ts';
import { registerSandboxPages } from '../../src/sandbox/sandbox-pages.routes.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
let database: TestDatabase;
let cards: SandboxCardAcquirer;
let app: FastifyInstance;
beforeAll(async () => {
  database = await createTestDatabase();
  cards = createSandboxCardAcquirer({ db: database.db, publicUrl: () => 'https://pay.example' });
  app = fastify();
  // The service's default headers, which the page must replace.
  app.addHook('onRequest', async (_, reply) => {
    reply.headers({ 'x-frame-options': 'DENY', 'cross-origin-resource-policy': 'same-origin' });
  });
  await registerSandboxPages(app, { cards, sendEvents: async () => {} });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

async function challenge(changes: { payee?: string; returnUrl?: string; amount?: bigint; currency?: string } = {}) {
  const attemptId = newId('attempt');
  const outcome = await cards.charge({
    attemptId,
    merchantId: newId('account'),
    paymentId: newId('payment'),
    payee: 'Nordlys Supply',
    token: 'tok_3ds',
    amount: 12_840n,
    currency: 'EUR',
    captureMethod: 'automatic',
    returnUrl: 'https://shop.example/back?a=1&b="2"',
    now,
    ...changes,
  });
  if (outcome.state !== 'requires_action') throw new Error(outcome.state);
  return { attemptId, path: new URL(outcome.url).pathname };
}

const open = (url: string) => app.inject({ method: 'GET', url });
const answer = (url: string, payload: string) =>
  app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

describe('the 3-D Secure page', () => {
  test('shows merchant, amount and card', async () => {
    const page = await open((await challenge()).path);
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const text of ['Nordlys Supply', '€128.40', 'Visa •••• 3155', 'Approve', 'Decline', 'Close']) {
      expect(page.body).toContain(text);
    }
  });

  test.each([
    [1n, 'JPY', '¥1'],
    [12_345n, 'KWD', '12.345'],
    [9_007_199_254_740_991n, 'USD', '$90,071,992,547,409.91'],
  ])('writes %i %s as %s', async (amount, currency, text) => {
    expect((await open((await challenge({ amount, currency })).path)).body).toContain(text);
  });

  test('loads only its style sheet, from its own origin, and may be framed', async () => {
    const page = await open((await challenge()).path);
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *",
    );
    expect(page.headers['x-frame-options']).toBeUndefined();
    expect(page.headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
    const styles = await open('/sandbox/3ds/style.css');
    expect(styles.headers['content-type']).toBe('text/css; charset=utf-8');
  });

  test('escapes markup in names and addresses', async () => {
    const payee = '<img src=x onerror=alert(1)>"\'&{{7*7}}';
    const returnUrl = 'https://shop.example/"><script>alert(1)</script>';
    const { path } = await challenge({ payee, returnUrl });
    await answer(path, 'choice=approve');
    const bodies = [(await open((await challenge({ payee })).path)).body, (await open(path)).body];
    for (const body of bodies) {
      expect(body).not.toMatch(/<img|<script/);
      expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;{{7*7}}');
    }
  });

  test.each([
    ['approve', 'captured', 'Approved'],
    ['decline', 'declined', 'Declined'],
    ['close', 'declined', 'Closed'],
  ])('accepts the choice to %s, shows it and redirects the payer', async (choice, state, title) => {
    const { attemptId, path } = await challenge();
    const posted = await answer(path, `choice=${choice}`);
    expect(posted.statusCode).toBe(303);
    expect(new URL(String(posted.headers.location), `https://pay.example${path}`).pathname).toBe(path);
    expect((await cards.chargeStatus(attemptId, now))?.state).toBe(state);
    const page = await open(path);
    expect(page.body).toContain(`<title>${title} `);
    expect(page.body).toContain('content="0;url=https://shop.example/back?a=1&amp;b=%222%22"');
    expect(page.body).not.toContain('<form');
  });

  test('accepts the first choice only', async () => {
    const { attemptId, path } = await challenge();
    await answer(path, 'choice=decline');
    await answer(path, 'choice=approve');
    expect((await cards.chargeStatus(attemptId, now))?.state).toBe('declined');
    expect((await open(path)).body).toContain('Declined');
  });

  test('of a canceled payment ignores answers, and says so instead of a redirect', async () => {
    const { attemptId, path } = await challenge();
    await cards.cancelCharge(attemptId);
    await answer(path, 'choice=approve');
    const page = await open(path);
    expect(page.body).toContain('Called off');
    expect(page.body).toContain('href="https://shop.example/back');
    expect(page.body).not.toContain('http-equiv');
    expect((await cards.chargeStatus(attemptId, now))?.state).toBe('declined');
  });

  test.each(['choice=steal', 'x=1', '', 'choice='])('shows the form again after "%s"', async body => {
    const { attemptId, path } = await challenge();
    expect((await answer(path, body)).statusCode).toBe(303);
    expect((await cards.chargeStatus(attemptId, now))?.state).toBe('requires_action');
    expect((await open(path)).body).toContain('Approve');
  });

  test.each(['0000000000000000000000', 'short', '%00', "';--", 'x'.repeat(90)])(
    'does not exist at the path %s',
    async token => {
      const page = await open(`/sandbox/3ds/${token}`);
      expect(page.statusCode).toBe(404);
      expect(page.body).toContain('Nothing to confirm');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );
});
