import type { Page } from 'playwright/test';
import { defectsOf } from '../support/axe.ts';
import { expect, leaveForShop, type Service, test } from './service.ts';

let server: Service;

test.beforeAll(({ service }) => {
  server = service;
});

/** Collects the browser's errors, and every secret key that it receives. */
function watch(page: Page): string[] {
  const troubles: string[] = [];
  page.on('pageerror', error => troubles.push(error.message));
  page.on('console', message => message.type() === 'error' && troubles.push(message.text()));
  page.on('request', request => {
    const sent = JSON.stringify([request.url(), request.headers(), request.postData()]);
    if (sent.includes('sk_test_')) troubles.push(`a secret key was sent to ${request.url()}`);
  });
  page.on('response', async response => {
    const isLive = response.headers()['content-type']?.startsWith('text/event-stream') ?? true;
    const text = isLive ? '' : await response.text().catch(() => '');
    if (text.includes('sk_test_')) troubles.push(`a secret key came from ${response.url()}`);
  });
  return troubles;
}

/** What can be pressed in the page and is smaller than 44 px. */
function smallTargets(): string[] {
  const targets = [...document.querySelectorAll<HTMLElement>('a, button, input, select, summary')];
  return targets.flatMap(target => {
    const { width, height } = (target.closest('label') ?? target).getBoundingClientRect();
    const isShown = width > 0 && height > 0 && target.checkVisibility({ visibilityProperty: true });
    return isShown && (width < 43.9 || height < 43.9) ? [`${target.textContent?.trim()}: ${width} × ${height}`] : [];
  });
}

/** Orders a base layer and two mugs for €128.40, and opens a checkout. */
async function checkOut(page: Page, way: string): Promise<void> {
  await page.goto(`${server.url}/demo/`);
  await page.getByRole('button', { name: 'Add Merino base layer' }).click();
  await page.getByRole('button', { name: 'Add Enamel mug' }).click();
  await page.getByRole('button', { name: 'Add Enamel mug' }).click();
  await page.getByRole('button', { name: 'Basket, 3 items' }).click();
  await expect(page.getByRole('dialog').getByText('€128.40')).toBeVisible();
  await page.getByRole('link', { name: 'Check out' }).click();
  await page.getByRole('link', { name: way }).click();
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByRole('button', { name: /^(Continue|Go and pay)/ }).click();
}

async function payByCard(page: Page, number = '4242424242424242'): Promise<void> {
  const frame = page.frameLocator('iframe');
  await frame.getByLabel('Card number').fill(number);
  await frame.getByLabel('Expires').fill('1230');
  await frame.getByLabel('Security code').fill('123');
  await frame.getByLabel('Name on card').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Pay €128.40' }).click();
}

const [plain, threeDSecure] = ['4242424242424242', '4000002500003155'];
const proxied = 'browser → shop → service';
const ways = [
  { way: 'Script tag', path: 'script-tag', route: 'browser → service', keyed: true, width: 1280, card: plain },
  { way: 'Element and proxy', path: 'proxy', route: proxied, keyed: false, width: 360, card: threeDSecure },
  { way: 'Hosted page', path: 'redirect', route: 'shop → service', keyed: false, width: 1280, card: plain },
] as const;

for (const { way, route, keyed, width, card } of ways) {
  test(`${way}, ${width} px: an order is paid, and the shop is notified`, async ({ page }) => {
    await page.setViewportSize({ width, height: 820 });
    const troubles = watch(page);
    let keys = 0;
    page.on('request', request => {
      if (/^Bearer pk_/.test(request.headers()['authorization'] ?? '')) keys++;
    });
    await checkOut(page, way);
    await page.clock.install();
    await payByCard(page, card);
    if (card === threeDSecure) {
      const bank = page.frameLocator('iframe').last();
      await bank.getByRole('button', { name: /approve|confirm/i }).click();
    }
    await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
    if (way === 'Hosted page') {
      await leaveForShop(page);
      await page.waitForURL(/\/demo\/order\?/);
    } else {
      await page.getByRole('link', { name: 'Back to the shop' }).click();
    }
    await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
    await expect(page.getByText('€128.40 is paid.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Basket, 0 items' })).toBeVisible();
    const order = page.url();

    if (width < 1180) await page.getByRole('button', { name: 'Developer panel' }).click();
    const panel = page.getByRole('complementary', { name: 'Developer panel' });
    for (const text of ['POST/v1/payments201', 'EVENTpayment.completed', 'HOOKpayment.completed204']) {
      await expect(panel.getByRole('listitem').filter({ hasText: text })).toHaveCount(1);
    }
    const created = panel.getByRole('listitem').filter({ hasText: 'POST/v1/payments201' });
    await expect(created).toContainText(route);
    await created.locator('summary').click();
    await expect(created).toContainText('"amount": 12840');
    await expect(created).not.toContainText(/_secret_[0-9A-Za-z]{5}/);
    expect(keys > 0).toBe(keyed);

    // A reload of the paid order keeps what the visitor has put into the basket since.
    await page.goto(`${server.url}/demo/`);
    await page.getByRole('button', { name: 'Add Enamel mug' }).click();
    await page.goto(order);
    await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Basket, 1 item' })).toBeVisible();
    expect(troubles).toEqual([]);
  });
}

test('an order is paid by phone, refused first', async ({ page, context }) => {
  await page.setViewportSize({ width: 360, height: 820 });
  const troubles = watch(page);
  await checkOut(page, 'Element and proxy');
  await page.getByRole('tab', { name: 'Mobile money' }).click();
  await page.getByRole('textbox', { name: 'Phone number' }).fill('+256 772 123 456');
  await page.getByRole('button', { name: 'Send prompt to phone' }).click();
  await expect(page.getByText('Confirm on your phone')).toBeVisible();
  const phone = await context.newPage();
  await phone.goto(`${server.url}/demo/phone`);
  await phone.getByRole('button', { name: 'Refuse' }).click();
  await expect(page.getByText('You refused the prompt on your phone.')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await phone.getByLabel('Mobile-money PIN').fill('1234');
  await phone.getByRole('button', { name: 'Approve' }).click();
  await expect(phone.getByText(/^UGX\s[\d,]+ paid to Nordlys Supply\.$/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
  expect(troubles).toEqual([]);
});

test('a reload during the checkout continues the same payment', async ({ page }) => {
  await checkOut(page, 'Element and proxy');
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible();
  await page.reload();
  await payByCard(page);
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Developer panel' });
  await expect(panel.getByRole('listitem').filter({ hasText: 'POST/v1/payments201' })).toHaveCount(1);
});

test('the back button on the hosted page continues the same payment, and never pays twice', async ({ page }) => {
  const payments = page.getByRole('listitem').filter({ hasText: 'POST/v1/payments201' });
  await checkOut(page, 'Hosted page');
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible();
  const address = page.url();
  await page.goBack();
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Go and pay' }).click();
  await page.waitForURL(address);
  await payByCard(page);
  await page.getByRole('button', { name: 'Stay here' }).click();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'This order is paid' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Basket, 0 items' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Go and pay' })).toHaveCount(0);
  await expect(payments).toHaveCount(1);
  await page.getByRole('link', { name: 'See the order' }).click();
  await expect(page.getByText('€128.40 is paid.')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'This order is paid' })).toBeVisible();
  // The visitor may order the same products again.
  await checkOut(page, 'Hosted page');
  await expect(page.getByText('€128.40').first()).toBeVisible();
  expect(page.url()).not.toBe(address);
});

test('a bank transfer in two parts pays an order', async ({ page }) => {
  await checkOut(page, 'Element and proxy');
  await page.getByRole('tab', { name: 'Bank' }).click();
  await page.getByRole('button', { name: 'Show bank details' }).click();
  await page.getByRole('button', { name: 'Send only a part' }).click();
  await expect(page.getByText('€64.20').first()).toBeVisible();
  await page.getByRole('button', { name: 'Simulate my bank' }).click();
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Developer panel' });
  for (const type of ['payment.partially_paid', 'payment.completed']) {
    await expect(panel.getByRole('listitem').filter({ hasText: `HOOK${type}` })).toHaveCount(1);
  }
});

test("the order's page does not trust its own URL", async ({ page }) => {
  const { id: paid } = await server.pay();
  await server.client.payments.confirm(paid, { method: 'card', token: 'tok_visa' });
  await checkOut(page, 'Hosted page');
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Developer panel' });
  await page.goto(`${server.url}/demo/`);
  const created = panel.getByRole('listitem').filter({ hasText: 'POST/v1/payments201' }).first();
  await created.locator('summary').click();
  const order = /"reference": "(N-\w+)"/.exec((await created.textContent()) ?? '')?.[1];

  await page.goto(`${server.url}/demo/order?order=${order}&status=completed`);
  await expect(page.getByRole('heading', { name: 'We are waiting for your payment' })).toBeVisible();
  await page.goto(`${server.url}/demo/order?order=${order}&payment_id=${paid}&status=completed`);
  await expect(page.getByRole('heading', { name: 'That is another payment' })).toBeVisible();
});

test('the shop is accessible, light and dark', async ({ page }) => {
  const check = async (place: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const defects = await defectsOf(page, { criteriaOnly: true, except: 'pay-checkout' });
      expect(defects, `${place}, ${colorScheme}`).toEqual([]);
    }
    expect(await page.evaluate(smallTargets), place).toEqual([]);
  };
  await page.goto(`${server.url}/demo/`);
  await check('the shelf');
  await page.getByRole('button', { name: 'Add Storm lantern' }).click();
  await page.getByRole('button', { name: /^Basket/ }).click();
  await check('the basket');
  for (const { path } of ways) {
    await page.goto(`${server.url}/demo/${path}`);
    await expect(page.getByText(/^Order N-/).first()).toBeVisible();
    await check(path);
  }
  const order = /N-[0-9A-Z]{7}/.exec((await page.locator('.summary').textContent()) ?? '')?.[0];
  await page.goto(`${server.url}/demo/order?order=${order}`);
  await expect(page.getByRole('heading', { name: 'Not paid yet' })).toBeVisible();
  await check('the order');
});
