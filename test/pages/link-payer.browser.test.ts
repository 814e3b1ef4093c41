import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PaymentLink } from '../../src/api/link.ts';
import { type Site, startSite } from './site.ts';
import { createVisits, payByCard } from './visits.ts';

vi.setConfig({ testTimeout: 60_000 });
let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply', timezone: 'Europe/Berlin' });
}, 60_000);
const visits = createVisits(() => site.browser);
afterEach(visits.end);
afterAll(() => site?.close());

async function makeLink(fields: object): Promise<PaymentLink> {
  const body = { currency: 'EUR', payment_methods: ['card'], ...fields };
  const answer = await site.request('POST /v1/payment-links', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const open = (url: string) => visits.open(url, { timezoneId: 'Asia/Tokyo' });

async function pay(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByRole('button', { name: 'Continue' }).click();
  await payByCard(page);
  await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
}

describe('a payer of a link', () => {
  it('is told after a part what is still due, also after a reload, and pays the rest', async () => {
    const page = await open((await makeLink({ amount: 30_000, allow_partial: true, single_use: true })).url);
    await page.getByLabel('Amount').fill('100');
    await pay(page);
    await page.getByText('€200.00 is still due.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    await page.getByText('€200.00 is still due.').waitFor();
    await page.getByRole('link', { name: 'Pay the rest' }).click();
    await page.getByLabel('Amount').waitFor();
    expect(await page.getByLabel('Amount').inputValue()).toBe('200.00');
    await pay(page);
    await page.waitForTimeout(2_500);
    expect(await page.getByText('still due').count()).toBe(0);
  });

  it('is not asked for the next use of a link that takes many, once all is paid', async () => {
    const link = await makeLink({ amount: 30_000, allow_partial: true });
    const page = await open(link.url);
    expect(await page.locator('.payee').innerText()).toContain('€300.00');
    expect(await page.locator('.payee').innerText()).not.toContain('still due');
    await pay(page);
    await page.waitForTimeout(2_500);
    expect(await page.getByText('still due').count()).toBe(0);
  });

  it('reads when it was paid, which is no receipt, and gives an address for questions', async () => {
    const page = await open((await makeLink({ amount: 900 })).url);
    expect(await page.getByLabel('E-mail').getAttribute('placeholder')).toBe('In case of questions');
    await pay(page);
    const rows = page.locator('pay-checkout .rows li');
    await rows.first().waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/^Date\n/);
    expect(await rows.nth(1).getByRole('button').count()).toBe(0);
    expect(await page.getByText('Receipt').count()).toBe(0);
  });

  it('is told in advance when a link ends within a day, by clocks with a name', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const soon = await open((await makeLink({ amount: 900, expires_at: inHours(20) })).url);
    expect(await soon.locator('.payee').innerText()).toMatch(
      /Can be paid until \w+ \d+, \d{4} at \d+:\d\d [AP]M (GMT\+[12]|CES?T)/,
    );
    const later = await open((await makeLink({ amount: 900, expires_at: inHours(26) })).url);
    expect(await later.locator('.payee').innerText()).not.toContain('until');
  });

  it('is told by clocks with a name when a link begins, on its page and in a shop’s', async () => {
    const link = await makeLink({ amount: 900, starts_at: '2099-01-01T09:00:00Z' });
    const page = await open(link.url);
    await page.getByText('January 1, 2099 at 10:00 AM GMT+1').waitFor();
    const markup = `<script src="${site.url}/pay-checkout.js"></script><pay-checkout link="${link.id}"></pay-checkout>`;
    const shop = await open(site.shop(markup));
    await shop.getByText('January 1, 2099 at 6:00 PM GMT+9').waitFor();
  });
});
