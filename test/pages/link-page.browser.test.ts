import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PaymentLink } from '../../src/api/link.ts';
import { defectsOf } from '../support/axe.ts';
import { picture } from '../support/picture.ts';
import { type Site, startSite } from './site.ts';
import { createVisits, passTime, payByCard } from './visits.ts';

vi.setConfig({ testTimeout: 60_000 });
let site: Site;
beforeAll(async () => {
  site = await startSite({
    name: 'Nordlys Supply',
    supportEmail: 'help@nordlys.example',
    timezone: 'Europe/Berlin',
  });
}, 60_000);
afterAll(() => site?.close());
const open = createVisits(() => site.browser);

const items = [
  { name: 'Merino base layer', quantity: 1, amount: 8_900 },
  { name: 'Enamel mug', quantity: 2, amount: 3_940 },
];

async function makeLink(fields: object = {}): Promise<PaymentLink> {
  const body = { currency: 'EUR', payment_methods: ['card', 'bank_transfer'], ...fields };
  const answer = await site.request('POST /v1/payment-links', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Distance between the payee's name and the logo, in px. */
async function gapBesideLogo(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const letters = document.createRange();
    letters.selectNodeContents(document.querySelector('.name') as Element);
    const [name, logo] = [
      letters.getBoundingClientRect(),
      (document.querySelector('.logo') as Element).getBoundingClientRect(),
    ];
    return Math.max(name.left - logo.right, logo.left - name.right);
  });
}

async function sayWho(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByRole('button', { name: 'Continue' }).click();
}

const readLink = async ({ id }: PaymentLink): Promise<PaymentLink> =>
  (await site.request(`GET /v1/payment-links/${id}`)).body;

describe('the page of a link', () => {
  it('accepts one payment at the fixed price; the next payer reads that it is used', async () => {
    const link = await makeLink({
      amount: 12_840,
      line_items: items,
      single_use: true,
      description: 'Two of everything',
      success_message: 'Thank you.\nIt ships tomorrow.',
    });
    const [page, other] = [await open(link.url), await open(link.url, { asStranger: true })];
    expect(await page.locator('.payee .amount').innerText()).toBe('€128.40 EUR');
    await sayWho(other);
    await other.getByRole('tab', { name: 'Card' }).waitFor();
    await sayWho(page);
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    await page.getByText('It ships tomorrow.').waitFor();
    expect(page.complaints).toEqual([]);
    await other.getByRole('heading', { name: 'Someone else has already paid this' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await page.getByText('This link has been used').count()).toBe(0);
    const late = await open(link.url, { asStranger: true });
    await late.getByRole('heading', { name: 'This link has been used' }).waitFor();
    expect(await late.locator('pay-checkout').isVisible()).toBe(false);
    expect(await readLink(link)).toMatchObject({ uses: 1, status: 'completed', total_received: 12_840 });
  });

  it('accepts an amount and a currency of the payer’s choice, and shows the error of an amount', async () => {
    const custom = { min: 500, max: 50_000, preset: 2_000, presets: [1_000, 2_000, 5_000], currencies: ['USD', 'JPY'] };
    const link = await makeLink({ description: 'Keep the lighthouse lit', custom_amount: custom });
    const page = await open(link.url);
    const sum = page.getByLabel('Amount');
    await sum.waitFor();
    expect(await sum.inputValue()).toBe('20.00');
    await page.getByRole('button', { name: '€50.00' }).click();
    expect(await sum.inputValue()).toBe('50.00');
    await sum.fill('4.99');
    await sayWho(page);
    expect(await page.getByText('Between €5.00 and €500.00').isVisible()).toBe(true);
    expect(await sum.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Currency').selectOption('USD');
    await sum.fill('31,50');
    await page.getByRole('button', { name: 'Continue' }).click();
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await page.locator('.payee .amount').innerText()).toBe('$31.50 USD');
    expect((await readLink(link)).received).toEqual([{ currency: 'USD', amount: 3_150 }]);
    expect(page.complaints).toEqual([]);
  });

  it('keeps what the payer has typed while the language changes', async () => {
    const link = await makeLink({ custom_amount: { min: 500, max: 50_000, currencies: ['USD'] } });
    const page = await open(link.url, { asStranger: true });
    await page.getByLabel('Currency').selectOption('USD');
    await page.getByLabel('Amount').fill('31.50');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('navigation').getByRole('link', { name: '日本語' }).click();
    await expect.poll(() => page.locator('#pay-amount').inputValue(), { timeout: 15_000 }).toBe('31.50');
    expect(await page.locator('pay-checkout select').inputValue()).toBe('USD');
    await expect.poll(() => page.locator('#pay-email').inputValue(), { timeout: 15_000 }).toBe('ada@example.com');
    await expect.poll(() => page.locator('#pay-name').inputValue(), { timeout: 15_000 }).toBe('Ada');
    await page.locator('pay-checkout form button.main').click();
    await page.getByRole('tab', { name: 'カード' }).waitFor();
    await page.locator('.payee .amount:visible').getByText('31.50').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('pay-typed');
    expect(page.complaints).toEqual([]);
  });

  it('redirects to the shop, with the payment', async () => {
    const thanks = site.shop('<title>Thanks</title><h1>Thanks</h1>');
    const page = await open((await makeLink({ amount: 900, redirect_url: thanks })).url, { hasTestTime: true });
    await sayWho(page);
    await payByCard(page);
    await page.getByText('Taking you back to Nordlys Supply').waitFor();
    await page.clock.runFor(6_000);
    await page.waitForURL(url => url.searchParams.get('status') === 'completed');
  });
});

describe('a shop’s page with only the link’s id', () => {
  it('takes a payment without a key or a server', async () => {
    const link = await makeLink({ amount: 4_200, description: 'A poster' });
    const markup = `<!doctype html><script src="${site.url}/pay-checkout.js"></script><pay-checkout link="${link.id}"></pay-checkout>`;
    const page = await open(site.shop(markup));
    await page.getByText('€42.00').first().waitFor();
    await page.getByText('A poster').waitFor();
    await sayWho(page);
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await readLink(link)).toMatchObject({ uses: 1, total_received: 4_200 });
    expect(page.complaints).toEqual([]);
  });

  it('shows an error for an unknown link', async () => {
    const markup = `<script src="${site.url}/pay-checkout.js"></script><pay-checkout link="plink_0000000000000000000000"></pay-checkout>`;
    const page = await open(site.shop(markup));
    await page.getByText('This link does not exist.').waitFor();
  });
});

const states = [
  ['open', { amount: 12_840, line_items: items, description: 'Two of everything', reference: 'N-204' }],
  [
    'choice',
    {
      description: 'Keep the lighthouse lit',
      custom_amount: { min: 500, preset: 2_000, presets: [1_000, 2_000, 5_000, 10_000], currencies: ['USD', 'JPY'] },
    },
  ],
  ['used', { amount: 900, single_use: true }],
  ['expired', { amount: 900 }],
  ['disabled', { amount: 900 }],
  ['not_started', { amount: 900, starts_at: '2099-01-01T09:00:00Z' }],
  ['arabic', { amount: 900, locale: 'ar', description: 'فانوس المنارة' }],
] as const;

describe('each state of a link’s page', () => {
  it.each(states)('%s: has no layout or accessibility defect on small and wide screens', async (state, fields) => {
    const link = await makeLink(fields);
    await bringInto(link, state);
    const page = await open(link.url);
    const isPayable = state === 'open' || state === 'choice' || state === 'arabic';
    await page
      .locator(isPayable ? 'pay-checkout input' : '.closed')
      .first()
      .waitFor();
    for (const [width, colorScheme] of [
      [360, 'light'],
      [1280, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await picture(page, `link-${state}-${width}-${colorScheme}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
      expect(await gapBesideLogo(page)).toBeLessThanOrEqual(16);
      expect(await defectsOf(page)).toEqual([]);
    }
  });

  async function bringInto({ id }: PaymentLink, state: string): Promise<void> {
    if (state === 'disabled') await site.request(`PATCH /v1/payment-links/${id}`, { body: { status: 'disabled' } });
    if (state === 'expired') {
      const soon = new Date(Date.now() + 300).toISOString();
      await site.request(`PATCH /v1/payment-links/${id}`, { body: { expires_at: soon } });
      await new Promise(done => setTimeout(done, 400));
    }
    if (state !== 'used') return;
    const customer = { email: 'grace@example.com' };
    const { body } = await site.request(`POST /v1/payment-links/${id}/payments`, { key: null, body: { customer } });
    await site.request(`POST /v1/payments/${body.id}/confirm`, { body: { method: 'card', token: 'tok_visa' } });
  }
});

const openInTokyo: typeof open = (url, look) => open(url, { timezoneId: 'Asia/Tokyo', ...look });

/** Pays, and waits for the success message. */
async function pay(page: Page): Promise<void> {
  await sayWho(page);
  await payByCard(page);
  await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
}

describe('a payer of a link', () => {
  it('sees the remaining amount after a part, as a stranger does, also after a reload, and pays the rest', async () => {
    const link = await makeLink({ amount: 30_000, allow_partial: true, single_use: true });
    const page = await openInTokyo(link.url);
    await page.getByLabel('Amount').fill('100');
    await pay(page);
    await page.getByText('Remaining balance: €200.00.').waitFor();
    const stranger = await open(link.url, { asStranger: true });
    expect(await stranger.locator('.choice').innerText()).toContain('€200.00');
    expect(await stranger.getByLabel('Amount').inputValue()).toBe('200.00');
    await page.reload();
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    await page.getByText('Remaining balance: €200.00.').waitFor();
    await page.getByRole('link', { name: 'Pay the rest' }).click();
    await page.getByLabel('Amount').waitFor();
    expect(await page.getByLabel('Amount').inputValue()).toBe('200.00');
    await page.clock.install();
    await pay(page);
    await passTime(page, 2_500);
    expect(await page.getByText('still due').count()).toBe(0);
  });

  it('is not asked for another payment of a link with many uses after paying all of it', async () => {
    const link = await makeLink({ amount: 30_000, allow_partial: true });
    const page = await openInTokyo(link.url, { hasTestTime: true });
    expect(await page.locator('.payee').innerText()).toContain('€300.00');
    expect(await page.locator('.payee').innerText()).not.toContain('still due');
    await pay(page);
    await passTime(page, 2_500);
    expect(await page.getByText('still due').count()).toBe(0);
  });

  it('sees the date of the payment, which is not called a receipt, and a hint about the e-mail address', async () => {
    const page = await openInTokyo((await makeLink({ amount: 900 })).url);
    expect(await page.getByLabel('E-mail').getAttribute('placeholder')).toBe('In case of questions');
    await pay(page);
    const rows = page.locator('pay-checkout .rows li');
    await rows.first().waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/^Date\n/);
    expect(await rows.nth(1).getByRole('button').count()).toBe(0);
    expect(await rows.getByText('Receipt').count()).toBe(0);
    await page.getByRole('link', { name: 'Download the receipt' }).waitFor();
  });

  it('sees that a link ends within a day, in a time with its zone', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const soon = await openInTokyo((await makeLink({ amount: 900, expires_at: inHours(20) })).url);
    expect(await soon.locator('.payee').innerText()).toMatch(
      /Can be paid until \w+ \d+, \d{4} at \d+:\d\d [AP]M (GMT\+[12]|CES?T)/,
    );
    const later = await openInTokyo((await makeLink({ amount: 900, expires_at: inHours(26) })).url);
    expect(await later.locator('.payee').innerText()).not.toContain('until');
  });

  it('sees the time with its zone when a link begins, on its page and in a shop’s', async () => {
    const link = await makeLink({ amount: 900, starts_at: '2099-01-01T09:00:00Z' });
    const page = await openInTokyo(link.url);
    await page.getByText('January 1, 2099 at 10:00 AM GMT+1').waitFor();
    const markup = `<script src="${site.url}/pay-checkout.js"></script><pay-checkout link="${link.id}"></pay-checkout>`;
    const shop = await openInTokyo(site.shop(markup));
    await shop.getByText('January 1, 2099 at 6:00 PM GMT+9').waitFor();
  });
});
