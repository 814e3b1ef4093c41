import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Site, startSite } from '../pages/site.ts';
import { defectsOf } from '../support/axe.ts';
import { picture } from '../support/picture.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 90_000);
afterAll(() => site?.close());

/** Opens a page. Errors of its scripts and its policy fail the test. */
async function open(path: string, options: { width?: number; colorScheme?: 'light' | 'dark' } = {}): Promise<Page> {
  const { width = 1280, colorScheme = 'light' } = options;
  const page = await site.browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.on('pageerror', error => expect.unreachable(error.message));
  page.on('console', message => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`${site.url}${path}`);
  return page;
}

const faults: string[] = [];
const pages = [
  ...['/docs', '/docs/guides/shop-in-ten-minutes', '/docs/settings', '/docs/element'],
  ...['/docs/api/payments/create-a-payment', '/docs/api/objects/payment', '/docs/errors'],
];

/** Width in px, and colours. */
const looks = [
  [360, 'light'],
  [1280, 'dark'],
] as const;

it.each(pages)('%s is accessible and not wider than a phone or a desktop, light and dark', async path => {
  const page = await open(path);
  await page.getByRole('button', { name: 'Search' }).waitFor();
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await picture(page, `docs${path.replaceAll('/', '-')}-${width}-${colorScheme}`);
    expect(await defectsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
  expect(faults).toEqual([]);
  await page.close();
});

it('every text with too little contrast is found, also where others have its colours', async () => {
  const page = await site.browser.newPage();
  const text = (color: string, behind: string) => `<p style="color: ${color}; background: ${behind}">${color}</p>`;
  const [faint, clear] = [text('#999', '#fff'), text('#999', '#000') + text('#000', '#fff')];
  await page.setContent(`<html lang="en"><title>x</title><main><h1>x</h1>${clear + faint + clear + faint}</main>`);
  expect(await defectsOf(page)).toEqual([`color-contrast: ${faint} ${faint}`]);
  await page.close();
});

it('the search opens by a key, finds a page, and opens it by the keyboard', async () => {
  const page = await open('/docs/settings');
  await page.getByRole('button', { name: 'Search' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('mpesa');
  await page
    .getByRole('link', { name: /Mobile money/ })
    .first()
    .waitFor();
  await picture(page, 'docs-search');
  expect(await defectsOf(page)).toEqual([]);
  await page.getByRole('searchbox').fill('create a payment');
  await page.getByRole('link', { name: /^Create a payment API/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/api/payments/create-a-payment');
  await page.close();
});

it('the contents open on a phone, and the chosen colours stay', async () => {
  const page = await open('/docs', { width: 360 });
  await page.getByRole('button', { name: 'Contents' }).click();
  await picture(page, 'docs-contents-360');
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Settings', exact: true }).click();
  await page.waitForURL('**/docs/settings');
  await page.getByRole('button', { name: 'Dark' }).click();
  await page.reload();
  expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark');
  await page.close();
});

it('a sample is shown in the chosen language on every page, with the address of this server, and can be copied', async () => {
  const page = await open('/docs/api/payments/create-a-payment');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.goto(`${site.url}/docs/api/refunds/list-refunds`);
  const sample = page.getByRole('tabpanel', { name: 'Sample in Python' });
  await sample.getByRole('button', { name: 'Copy' }).click();
  await sample.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`"${site.url}/v1/refunds`);
  await page.getByRole('tab', { name: 'Python' }).press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'Sample in PHP' }).waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('PHP');
  await page.close();
});

it('a visitor runs a call with a test key, which stays in the tab; a live key is not sent', async () => {
  const page = await open('/docs/api/payments/create-a-payment');
  await page.getByRole('button', { name: 'Try it' }).click();
  const form = page.getByRole('form', { name: 'Try POST /v1/payments' });
  await form.getByLabel('Test key').fill('sk_live_1234567890');
  await form.getByRole('button', { name: 'Send POST' }).click();
  await form.getByText('Only test keys may be used here').waitFor();
  await form.getByLabel('Test key').fill(site.merchant.secretKey);
  await form.getByRole('button', { name: 'Send POST' }).click();
  await form.getByText(/^201 /).waitFor();
  await picture(page, 'docs-try');
  expect(await defectsOf(page)).toEqual([]);
  const kept = await page.evaluate(() => [Object.values(sessionStorage), JSON.stringify(localStorage)] as const);
  expect(kept[0]).toEqual([site.merchant.secretKey]);
  expect(kept[1]).not.toContain('sk_test');

  const { id } = JSON.parse((await form.locator('output code').textContent()) ?? '{}');
  await page.goto(`${site.url}/docs/api/payments/read-a-payment`);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByLabel('id', { exact: true }).fill(id);
  await page.getByRole('button', { name: 'Send GET' }).click();
  await page.getByText(/^200 /).waitFor();
  expect(await page.locator('output code').textContent()).toContain(id);
  await page.close();
});
