import type { Page } from 'playwright/test';
import type { Invoice } from '../../src/api/invoice/invoice-view.ts';
import { draftInvoice } from './invoice-orders.ts';
import { ledgerTime, networkReady } from './network-ready.ts';
import { openWallet } from './pocket-wallet.ts';
import { desktop, expect, fillCard, fillForeignCard, on, phone, picture, type Service, test } from './service.ts';

// The journey includes a payment on the ledger.
test.describe.configure({ timeout: 120_000 });

test.beforeAll(({ service }) => networkReady(service));

/** Finds the invoice's mail in the outbox. Returns the URL of the invoice's page in it. */
async function addressInMail(
  page: Page,
  service: Service,
  { number, hosted_invoice_url: url }: Invoice,
): Promise<string> {
  const listed = page.getByRole('link', { name: new RegExp(number ?? '') }).first();
  await expect(async () => {
    await page.goto(`${service.url}/sandbox/outbox`);
    await expect(listed).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await listed.click();
  const way = page.frameLocator('iframe').locator(`a[href="${url}"]`).first();
  return (await way.getAttribute('href')) ?? '';
}

test.describe(`on ${phone.name}`, () => {
  test.use(on(phone));

  test('a customer receives an invoice by mail and pays it in two parts: by card, then from a Stellar wallet', async ({
    browser,
    page,
    service,
  }) => {
    const { id } = await draftInvoice(service.client);
    const sent = await service.client.invoices.send(id, {});
    expect(sent).toMatchObject({ status: 'sent', total: 110_715 });
    const address = await addressInMail(page, service, sent);
    await picture(page, `${phone.name}-invoice-mail`);
    const read = () => service.client.invoices.retrieve(id);

    await page.goto(address);
    await page.mouse.move(100, 200);
    await expect.poll(async () => (await read()).status).toBe('viewed');
    await picture(page, `${phone.name}-invoice`);
    await page.getByRole('button', { name: 'Pay €442.86' }).click();
    await fillCard(page, '4242 4242 4242 4242');
    await picture(page, `${phone.name}-invoice-card`);
    await page.getByRole('button', { name: 'Pay €442.86' }).click();
    await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
    expect(await read()).toMatchObject({ status: 'partially_paid', amount_remaining: 66_429 });

    await expect(page.getByText('€664.29 EUR still due')).toBeVisible();
    await page.getByRole('button', { name: 'Pay the rest' }).click();
    await expect(page.getByRole('progressbar', { name: '€442.86 of €1,107.15 is paid' })).toBeVisible();
    await picture(page, `${phone.name}-invoice-partly-paid`);
    await page.getByRole('radio', { name: 'Remaining balance' }).check();
    await page.getByRole('button', { name: 'Pay €664.29' }).click();
    await page.getByRole('tab', { name: 'Crypto' }).click();
    await page.getByRole('radio', { name: /^XLM\b/ }).check();
    await page.getByRole('button', { name: 'Continue with XLM' }).click();
    await expect(page.getByText('Waiting for your payment')).toBeVisible();
    await picture(page, `${phone.name}-invoice-stellar`);
    const wallet = await openWallet(browser, service.url, phone);
    await wallet.choosePicture(await page.getByRole('img', { name: /^Payment code/ }).screenshot());
    await wallet.confirm();
    await wallet.page.context().close();
    await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible(ledgerTime);
    await expect.poll(async () => (await read()).status, ledgerTime).toBe('paid');

    await page.getByRole('button', { name: 'Show the invoice as it stands now' }).click();
    await expect(page.getByText('Nothing more is due.')).toBeVisible();
    await expect(page.getByRole('button')).toHaveCount(0);
    await picture(page, `${phone.name}-invoice-paid`);
    const receipt = await page.getByRole('link', { name: 'Download the receipt' }).getAttribute('href');
    const pdf = await page.request.get(new URL(receipt ?? '', service.url).href);
    expect(pdf.headers()['content-type']).toBe('application/pdf');
    expect((await pdf.body()).subarray(0, 5).toString()).toBe('%PDF-');
  });
});

for (const { look, locale, dir, pay, number, paid } of [
  { look: phone, locale: 'ar', dir: 'rtl', pay: /^ادفع/, number: 'رقم البطاقة', paid: 'تم الدفع، شكرًا لك' },
  { look: desktop, locale: 'ja', dir: 'ltr', pay: /を支払う$/, number: 'カード番号', paid: 'お支払いが完了しました' },
] as const) {
  test.describe(`on ${look.name}`, () => {
    test.use(on(look));
    test(`a customer reads and pays an invoice in ${locale}`, async ({ page, service }) => {
      const { id } = await draftInvoice(service.client, { locale });
      const sent = await service.client.invoices.send(id, {});
      const address = await addressInMail(page, service, sent);
      await picture(page, `${look.name}-invoice-${locale}-mail`);
      await page.goto(address);
      await expect(page.locator('html')).toHaveAttribute('dir', dir);
      await picture(page, `${look.name}-invoice-${locale}`);
      await page.getByRole('button', { name: pay }).click();
      const frame = page.frameLocator('pay-checkout iframe');
      await expect(frame.getByLabel(number)).toBeVisible();
      await picture(page, `${look.name}-invoice-${locale}-card`);
      await page.getByRole('tab').nth(1).click();
      await page.locator('pay-checkout .main').click();
      await expect(page.getByText('IBAN')).toBeVisible();
      await picture(page, `${look.name}-invoice-${locale}-bank`);
      await page.getByRole('tab').nth(2).click();
      await page.locator('pay-checkout .main').last().click();
      await expect(page.locator('pay-checkout .qr').last()).toBeVisible();
      await picture(page, `${look.name}-invoice-${locale}-crypto`);
      await page.getByRole('tab').first().click();
      await fillForeignCard(page, '4242 4242 4242 4242');
      await page.getByRole('button', { name: pay }).click();
      await expect(page.getByRole('heading', { name: paid })).toBeVisible();
      await picture(page, `${look.name}-invoice-${locale}-paid`);
      expect((await service.client.invoices.retrieve(id)).status).toBe('partially_paid');
    });
  });
}
