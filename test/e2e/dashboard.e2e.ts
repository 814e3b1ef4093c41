import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright/test';
import { type AxeScope, defectsOf } from '../support/axe.ts';
import { picture } from '../support/picture.ts';
import { desktop, expect, fillCard, type Look, on, phone, type Service, signIn, test } from './service.ts';

const paid = async (service: Service, fields: Record<string, unknown> = {}) => {
  const { id } = await service.pay(fields);
  return await service.client.payments.confirm(id, { method: 'card', token: 'tok_visa' });
};

/** A shop's server that accepts webhooks, and the ids of the events that it got. */
async function webhookReceiver() {
  const events: unknown[] = [];
  const server = createServer((request, response) => {
    events.push(request.headers['webhook-id']);
    response.writeHead(204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, events, close: () => server.close() };
}

/** Fills fields of the page by their labels. */
async function fill(page: Page, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(texts)) await page.getByLabel(label, { exact: true }).fill(text);
}

/** Saves the file of a button, and returns its text. */
async function fileOf(page: Page, name: string): Promise<string> {
  const begun = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  return await readFile(await (await begun).path(), 'utf8');
}

/** The defects of the page on both screens, each in its colours. Ends on the screen of the journey. */
async function defectsOnBoth(page: Page, look: Look, scope: AxeScope = {}): Promise<string[]> {
  const defects: string[] = [];
  for (const each of look === phone ? [desktop, phone] : [phone, desktop]) {
    const { viewport, colorScheme } = on(each);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    defects.push(...(await defectsOf(page, scope)).map(defect => `${each.name}: ${defect}`));
  }
  return defects;
}

test.describe(`the dashboard at ${phone.name}`, () => {
  const look = phone;
  test.use(on(look));

  test('a newcomer finds a payment, refunds a part of it and resends its webhook', async ({ page, service }) => {
    const shop = await webhookReceiver();
    const { webhookEndpoints } = service.client;
    const endpoint = await webhookEndpoints.create({ url: shop.url, events: ['payment.completed'] });
    const reference = `R-${look.width}`;
    const { id } = await paid(service, { reference });
    await signIn(page, service);
    expect(await defectsOnBoth(page, look)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search/ }).fill(reference);
    await expect(page.getByRole('option').filter({ hasText: reference })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: /€128\.40/ })).toBeVisible();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/payments/${id}`);
    await expect(page.getByText('Payment received')).toBeVisible();
    expect(await defectsOnBoth(page, look)).toEqual([]);
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByLabel('Amount (EUR)').fill('28.40');
    await expect(page.getByRole('row', { name: 'Then left of it €100.00' })).toBeVisible();
    expect(await defectsOnBoth(page, look)).toEqual([]);
    await expect(page.getByRole('button', { name: 'Refund €28.40' })).toBeEnabled();
    await page.getByLabel('Amount (EUR)').press('Enter');
    await expect(page.getByText('Refund of €28.40 started')).toBeVisible();
    await expect(page.getByText('Refunded', { exact: true }).first()).toBeVisible();
    await expect.poll(async () => (await service.client.payments.retrieve(id)).amount_refunded).toBe(2_840);
    await page.goto(`${service.url}/dashboard/developers/webhooks/${endpoint.id}`);
    const delivered = page.getByRole('row').filter({ hasText: 'payment.completed' }).getByText('Delivered');
    await expect(delivered).toHaveCount(1);
    await page.getByRole('button', { name: 'Send again payment.completed' }).click();
    await expect(delivered).toHaveCount(2);
    expect([shop.events.length, new Set(shop.events).size]).toEqual([2, 1]);
    await picture(page, `${look.name}-webhook`);
    await webhookEndpoints.delete(endpoint.id);
    shop.close();
  });

  test('a merchant fills what an invoice to an authority lacks, sends it and saves its XML', async ({
    page,
    service,
  }) => {
    await service.client.account.update({ address: null, tax_id: null, contact: null });
    await signIn(page, service);
    await page.goto(`${service.url}/dashboard/invoices/new`);
    await fill(page, { 'E-mail': 'rechnung@bonn.example', Name: 'Stadt Bonn' });
    await page.getByText('Address and tax id').press('Enter');
    await fill(page, { Street: 'Berliner Platz 2', 'Post code': '53111', City: 'Bonn', Country: 'de' });
    await fill(page, { Description: 'German course', 'Price of one': '1200' });
    await page.getByText('Discount and VAT').press('Enter');
    await page.getByLabel('VAT category').selectOption('Exempt');
    await page.getByLabel('Why there is no tax').fill('§ 4 Nr. 21 UStG');
    await page.getByText('E-invoice details').press('Enter');
    await fill(page, { 'Buyer reference': '04011000-12345-03', 'Service from': '2026-11-02' });
    await page.getByLabel('Service until').fill('2026-11-27');
    await expect(page.getByRole('region', { name: 'It would be sent without e-invoice' })).toBeVisible();
    expect(await defectsOnBoth(page, look, { targets: true })).toEqual([]);
    await picture(page, `${look.name}-invoice-editor`);
    await page.getByRole('link', { name: 'The account has no tax number.' }).press('Enter');
    await expect(page.getByLabel('Tax id')).toBeFocused();
    await fill(page, { 'Tax id': 'DE123456789', Street: 'Sternweg 3', 'Post code': '10117', City: 'Berlin' });
    await page.getByLabel('Country').fill('DE');
    await page.getByLabel('Country').press('Enter');
    await expect(page.getByText('Business saved').first()).toBeVisible();
    await fill(page, { 'Contact person': 'Grace Hopper', 'Phone of the contact': '+49 30 1234567' });
    await page.getByLabel('Phone of the contact').press('Enter');
    await expect(page.getByText('Invoices saved')).toBeVisible();
    await expect(page.getByLabel('Phone of the contact')).toBeFocused();
    await picture(page, `${look.name}-invoice-settings`);
    await page.goBack();
    await expect(page.getByText('Your unsaved changes are back.')).toBeVisible();
    await expect(page.getByText('Total €1,200.00').first()).toBeAttached();
    await expect(page.getByText('It would be sent without')).toHaveCount(0);
    await page.getByRole('button', { name: 'Send …' }).press('Enter');
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    await expect(page.getByRole('button', { name: 'XRechnung' })).toBeVisible();
    expect(await defectsOnBoth(page, look)).toEqual([]);
    await picture(page, `${look.name}-invoice-sent`);
    for (const name of ['XML', 'XRechnung']) {
      const xml = await fileOf(page, name);
      for (const part of ['>E</ram:CategoryCode>', '>§ 4 Nr. 21 UStG<', '>04011000-12345-03<', '>20261127<']) {
        expect(xml).toContain(part);
      }
    }
  });
});

test.describe(`the dashboard at ${desktop.name}`, () => {
  const look = desktop;
  test.use(on(look));

  test('a link is created in a dialog without defects, and its payment in another window appears', async ({
    page,
    service,
    context,
  }) => {
    await signIn(page, service);
    await page.goto(`${service.url}/dashboard/links?new=1`);
    await page.getByLabel('Amount').fill('12.40');
    await page.getByLabel('What it is for').fill(`Course ${look.width}`);
    expect(await defectsOnBoth(page, look, { targets: true })).toEqual([]);
    await page.getByRole('button', { name: 'Create link' }).click();
    await expect(page.getByRole('heading', { level: 1, name: `Course ${look.width}` })).toBeVisible();
    const payer = await context.newPage();
    await payer.goto((await service.client.paymentLinks.retrieve(page.url().split('/').at(-1) ?? '')).url);
    await fill(payer, { 'E-mail': 'linus@example.com', Name: `Linus ${look.width}` });
    await payer.getByRole('button', { name: 'Continue' }).click();
    await fillCard(payer, '4242 4242 4242 4242');
    await payer.getByRole('button', { name: 'Pay €12.40' }).click();
    await expect(payer.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
    const row = page.getByRole('row').filter({ hasText: '€12.40' });
    await expect(row.getByText('Paid', { exact: true })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Messages' })).toContainText('€12.40');
  });

  test('a payment appears in the list and as a message without a reload', async ({ page, service }) => {
    await paid(service);
    await signIn(page, service);
    await page.goto(`${service.url}/dashboard/payments`);
    await expect(page.getByRole('table', { name: 'Payments' })).toBeVisible();
    const second = await page.context().newPage();
    await second.goto(`${service.url}/dashboard/links`);
    await expect(second.getByRole('heading', { name: 'Payment links' })).toBeVisible();
    const name = `Grace ${look.width}`;
    await paid(service, { customer: { email: 'grace@example.com', name } });
    const row = page.getByRole('row').filter({ hasText: name });
    await expect(row.getByText('Paid', { exact: true })).toBeVisible();
    for (const tab of [page, second]) {
      await expect(tab.getByRole('status', { name: 'Messages' }).getByText(`€128.40 · ${name}`)).toHaveCount(1);
    }
    expect(await defectsOnBoth(page, look)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Notifications, 1 new' }).click();
    await expect(second.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(name);
    expect(await defectsOnBoth(page, look)).toEqual([]);
  });
});

test('while the page is hidden, an important event is a desktop notification if the browser allows it', async ({
  page,
  service,
}) => {
  await page.context().grantPermissions(['notifications'], { origin: service.url });
  await page.addInitScript(() => {
    const shown: string[] = [];
    let decided: NotificationPermission = 'default';
    navigator.permissions.query({ name: 'notifications' }).then(({ state }) => {
      decided = state === 'prompt' ? 'default' : state;
    });
    class Seen extends Notification {
      // In a headless browser, the inherited answer is always “denied”, as on the second page below.
      static override get permission(): NotificationPermission {
        return decided;
      }
      constructor(title: string, options: NotificationOptions) {
        super(title, options);
        shown.push(`${title}: ${options.body}`);
      }
    }
    Object.assign(window, { Notification: Seen, shown });
    // Pages of a headless browser are always visible.
    Object.defineProperty(document, 'hidden', { get: () => true });
  });
  await signIn(page, service);
  const name = 'Ada in the background';
  await paid(service, { customer: { email: 'ada@example.com', name } });
  await expect(page.getByRole('status', { name: 'Messages' })).toContainText(name);
  const shown = await page.evaluate(() => (window as unknown as { shown: readonly string[] }).shown);
  expect(shown).toEqual([expect.stringContaining(`€128.40 · ${name}`)]);

  const history = page.getByRole('region', { name: 'Notifications' });
  await page.getByRole('button', { name: 'Notifications, 1 new' }).click();
  await expect(history).toContainText('this computer notifies you');
  await expect(history.getByRole('listitem').filter({ hasText: name }).first()).toBeVisible();

  const denied = await page.context().newPage();
  await denied.goto(`${service.url}/dashboard/`);
  await denied.getByRole('button', { name: 'Notifications' }).click();
  await expect(denied.getByText('Your browser blocks notifications of this page.')).toBeVisible();
  expect(await defectsOf(denied)).toEqual([]);
});

test('a second tab shows the sign-in after a sign-out, and nothing of the account', async ({ page, service }) => {
  await signIn(page, service);
  const second = await page.context().newPage();
  await second.goto(`${service.url}/dashboard/payments`);
  await expect(second.getByRole('heading', { name: 'Payments' })).toBeVisible();
  await page.getByRole('button', { name: /Test mode/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: /sandbox/i })).toBeVisible();
  await expect(second.getByRole('button', { name: /sandbox/i })).toBeVisible();
  await expect(second.getByText('ada@example.com')).toHaveCount(0);
});
