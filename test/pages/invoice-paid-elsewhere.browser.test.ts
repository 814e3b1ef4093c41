import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendInvoice } from './example-invoice.ts';
import { type Site, startSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply', supportEmail: 'help@nordlys.example' });
}, 90_000);
afterAll(() => site?.close());

it('tells a payer who still has the checkout open that the invoice was paid meanwhile', async () => {
  const invoice = await sendInvoice(site);
  const page = await site.browser.newPage();
  await page.goto(invoice.hosted_invoice_url);
  await page.getByRole('button', { name: /^Pay €/ }).click();
  await page.locator('pay-checkout iframe').waitFor();
  await site.request(`POST /v1/invoices/${invoice.id}/record-payment`, { body: {} });
  await page.getByRole('heading', { name: 'This invoice has been paid already' }).waitFor();
  await page.getByText('Nothing more is due').waitFor();
  await page.getByRole('button', { name: 'Show the invoice as it stands now' }).click();
  await page.getByRole('link', { name: 'Download the receipt' }).waitFor();
  expect(await page.getByRole('button', { name: /^Pay €/ }).count()).toBe(0);
  expect(await page.locator('main').innerText()).toContain('Paid');
});
