import fastify, { type FastifyInstance } from 'fastify';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/core/id.ts';
import { createSandboxCardAcquirer, type SandboxCardAcquirer } from '../../src/sandbox/card-acquirer.ts';
import { registerSandboxPages } from '../../src/sandbox/sandbox-pages.routes.ts';
import { defectsOf } from '../support/axe.ts';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
const executablePath = findBrowser();

/** A cross-origin isolated shop on another origin, whose return URL redirects to a third origin. */
async function openShop(): Promise<{ app: FastifyInstance; origin: string }> {
  const app = fastify();
  app.addHook('onRequest', async (_, reply) => {
    reply.headers({
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'text/html',
    });
  });
  app.get('/', async () => '<title>Shop</title><h1>Shop</h1>');
  app.get('/back', async (request, reply) =>
    reply.redirect(`${origin.replace('127.0.0.1', 'localhost')}/thanks${new URL(request.url, origin).search}`),
  );
  app.get('/thanks', async () => '<title>Thanks</title><h1>Thank you</h1>');
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, origin };
}

describe.skipIf(executablePath === null)('the 3-D Secure page in a browser', () => {
  let database: TestDatabase;
  let cards: SandboxCardAcquirer;
  let bank: FastifyInstance;
  let bankUrl = '';
  let shop: Awaited<ReturnType<typeof openShop>>;
  let browser: Browser;
  let context: BrowserContext;
  const complaints: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    bank = fastify();
    cards = createSandboxCardAcquirer({ db: database.db, publicUrl: () => bankUrl });
    await registerSandboxPages(bank, { cards, sendEvents: async () => {} });
    bankUrl = await bank.listen({ port: 0, host: '127.0.0.1' });
    shop = await openShop();
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserArgs });
    context = await browser.newContext();
    context.on('console', message => {
      const isIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isIcon) complaints.push(message.text());
    });
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([bank.close(), shop.app.close()]);
    await database.drop();
  });

  async function challenge() {
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
      returnUrl: `${shop.origin}/back?order=7`,
      now,
    });
    if (outcome.state !== 'requires_action') throw new Error(outcome.state);
    const status = async () => (await cards.chargeStatus(attemptId, now))?.state;
    return { url: outcome.url, status };
  }

  async function thanksIn(frame: { waitForURL: Page['waitForURL'] }): Promise<void> {
    await frame.waitForURL(url => url.hostname === 'localhost' && url.pathname === '/thanks');
  }

  test('redirects the payer across origins after the choice', async () => {
    const { url, status } = await challenge();
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Approve' }).click();
    await thanksIn(page);
    expect(new URL(page.url()).search).toBe('?order=7');
    expect(await status()).toBe('captured');
    await page.close();
  });

  test('works in a frame of a cross-origin isolated shop', async () => {
    const { url, status } = await challenge();
    const page = await context.newPage();
    await page.goto(shop.origin);
    await page.evaluate(src => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.append(frame);
    }, url);
    await page.frameLocator('iframe').getByRole('button', { name: 'Decline' }).click();
    await page.frameLocator('iframe').getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${shop.origin}/`);
    expect(await status()).toBe('declined');
    await page.close();
  });

  test('works in a popup and keeps its opener', async () => {
    const { url, status } = await challenge();
    const page = await context.newPage();
    await page.goto(shop.origin);
    const opened = page.waitForEvent('popup');
    await page.evaluate(address => void window.open(address, 'pay', 'width=420,height=640'), url);
    const popup = await opened;
    await popup.getByRole('button', { name: 'Close' }).click();
    await thanksIn(popup);
    expect(await popup.evaluate(() => window.opener !== null)).toBe(true);
    expect(await status()).toBe('declined');
    await page.close();
  });

  test.each(['light', 'dark'] as const)('is accessible (%s)', async colorScheme => {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto((await challenge()).url);
    expect(await defectsOf(page, { criteriaOnly: true })).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.close();
  });

  test('violates none of its own policies', () => {
    expect(complaints).toEqual([]);
  });
});
