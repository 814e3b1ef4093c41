import { type Browser, chromium, type Page } from 'playwright';
import { expect as expectPage } from 'playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/core/id.ts';
import { createSandboxCollecting } from '../../src/sandbox/phone/collecting.ts';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { defectsOf } from '../support/axe.ts';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { browserDir } from '../support/built.ts';

const executablePath = findBrowser();

describe.skipIf(executablePath === null)('the phone at /demo/phone', () => {
  let app: TestApp;
  let url = '';
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    app = await startTestApp({ browserDir, settings: {}, publicUrl: () => url });
    url = `http://localhost:${await listen(app)}`;
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserArgs });
    page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    page.on('pageerror', error => complaints.push(error.message));
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  /** An operator asks the phone for UGX 15,000. Returns what it learns. */
  async function promptOn(number: string) {
    const rail = createSandboxCollecting({ db: app.database.db, rail: 'mtn' });
    const [attemptId, merchantId] = [newId('attempt'), app.merchant.id];
    const payment = { paymentId: newId('payment'), payee: 'Nordlys Supply', amount: 15_000n, currency: 'UGX' };
    await rail.prompt({ attemptId, merchantId, ...payment, number, now: app.clock.now() });
    return async () => {
      const outcome = await rail.promptStatus({ merchantId, id: attemptId }, app.clock.now());
      return outcome?.state === 'refused' ? outcome.refusal.code : outcome?.state;
    };
  }

  const prompts = () => page.getByRole('article', { name: 'Nordlys Supply asks for UGX 15,000' });
  const answers = ['789', '039', '049', '059', '099', '109'];

  async function check(state: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await defectsOf(page, { targets: true }), `${state}, ${colorScheme}`).toEqual([]);
    }
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), state).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 360, height: 800 });
  }

  test('says what to do, and then finds a prompt of the shop without a number', async () => {
    await page.goto(`${url}/demo/phone`);
    await expectPage(page.getByRole('heading', { name: 'No payment waits' })).toBeVisible();
    await expectPage(page.getByRole('main').getByRole('link', { name: 'To the shop' })).toBeVisible();
    for (const digits of answers) await expectPage(page.getByText(`… ${digits}`)).toBeVisible();
    await check('no prompt');
    const outcome = await promptOn('+256772123456');
    await expectPage(prompts()).toContainText('MTN MoMo+256772123456');
    await expectPage(prompts()).toContainText(/[12]:\d\d left/);
    await expectPage(page.getByRole('heading', { name: 'No payment waits' })).toBeHidden();
    await check('a prompt');

    // By keyboard alone.
    await prompts().getByRole('button', { name: 'Approve' }).press('Enter');
    await expectPage(prompts().getByRole('alert')).toHaveText('Enter the PIN.');
    await expectPage(prompts().getByLabel('Mobile-money PIN')).toBeFocused();
    await page.keyboard.type('1234');
    await page.keyboard.press('Enter');
    await expectPage(page.getByText('UGX 15,000 paid to Nordlys Supply.')).toBeVisible();
    await expectPage(prompts()).toHaveCount(0);
    expect(await outcome()).toBe('collected');
    await check('an answer');
  });

  test('keeps its number, and refuses', async () => {
    const outcomes = [await promptOn('+256772123111'), await promptOn('+256772123222')];
    await expectPage(prompts()).toHaveCount(2);
    await page.getByLabel('Phone number').fill('0772 123 111');
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    await expectPage(page.getByText('Write the number with its country code: +256 772 123 456.')).toBeVisible();
    await page.getByLabel('Phone number').fill('00256 772 123-111');
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    await expectPage(prompts()).toHaveCount(1);
    expect(new URL(page.url()).hash).toBe('#+256772123111');
    await page.reload();
    await expectPage(page.getByLabel('Phone number')).toHaveValue('+256772123111');
    await prompts().getByRole('button', { name: 'Refuse' }).click();
    await expectPage(page.getByText('You refused.')).toBeVisible();
    await page.getByRole('button', { name: 'Show every phone of the shop' }).click();
    await prompts().getByLabel('Mobile-money PIN').fill('9999');
    await prompts().getByRole('button', { name: 'Approve' }).click();
    await expectPage(page.getByText('The PIN is wrong.')).toBeVisible();
    expect(await Promise.all(outcomes.map(outcome => outcome()))).toEqual(['prompt_refused', 'wrong_pin']);
  });

  test('says when a prompt has ended, or the operator does not answer', async () => {
    await page.goto(`${url}/demo/phone#+256772123333`);
    const outcome = await promptOn('+256772123333');
    await expectPage(prompts()).toHaveCount(1);
    app.clock.advance(120);
    await expectPage(page.getByText('Nordlys Supply no longer asks for UGX 15,000.')).toBeVisible();
    expect(await outcome()).toBe('prompt_expired');
    expect(complaints).toEqual([]);
    await page.route('**/sandbox/phone/**', route => route.abort());
    await expectPage(page.getByText('There is no connection to the operator.')).toBeVisible();
    await page.unroute('**/sandbox/phone/**');
    await expectPage(page.getByText('There is no connection to the operator.')).toBeHidden();
  });
});
