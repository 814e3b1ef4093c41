import { desktop, expect, fillCard, on, phone, picture, test } from './service.ts';

test.describe(`on ${phone.name}`, () => {
  test.use(on(phone));

  test('a payer approves a payment with 3-D Secure under the merchant’s own domain', async ({ page, service }) => {
    const { domains } = service.client;
    const { id } = await domains.create({ name: 'pay.localhost' });
    expect((await domains.verify(id)).status).toBe('active');
    const payment = await service.pay();
    expect(new URL(payment.checkout_url).host).toBe(new URL(service.url).host.replace('localhost', 'pay.localhost'));
    await page.goto(payment.checkout_url);
    await fillCard(page, '4000 0025 0000 3155');
    await picture(page, `${phone.name}-card`);
    await page.getByRole('button', { name: 'Pay €128.40' }).click();
    const bank = page.frameLocator('iframe[title="Confirm with your bank"]');
    await expect(bank.getByRole('button', { name: /Approve/ })).toBeVisible();
    await picture(page, `${phone.name}-3ds`);
    await bank.getByRole('button', { name: /Approve/ }).click();
    await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
    await picture(page, `${phone.name}-paid`);
    expect(new URL(page.url()).hostname).toBe('pay.localhost');
    await domains.delete(id);
  });
});

test.describe(`on ${desktop.name}`, () => {
  test.use(on(desktop));

  test('a payer reads why a card was declined and pays by another one', async ({ page, service }) => {
    const payment = await service.pay();
    await page.goto(payment.checkout_url);
    await fillCard(page, '4000 0000 0000 0002');
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByText(/declined this card/)).toBeVisible();
    await picture(page, `${desktop.name}-declined`);
    await fillCard(page, '5555 5555 5555 4444');
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
  });
});

test('an expired quote is renewed unseen, and by a press for a transfer in another currency', async ({
  page,
  service,
}) => {
  const payment = await service.pay();
  await page.goto(payment.checkout_url);
  await expect(page.getByText(/Rate held for/)).toBeVisible();
  await service.client.testHelpers.advanceClock({ advance: 'PT16M' });
  await page.reload();
  await expect(page.getByText(/Rate held for 1[45]:/)).toBeVisible();
  await page.getByRole('tab', { name: 'Bank' }).click();
  await page.getByRole('radio', { name: /United States/ }).check();
  await page.getByRole('button', { name: 'Show bank details' }).click();
  await expect(page.getByText('Waiting for the transfer')).toBeVisible();
  await service.client.testHelpers.advanceClock({ advance: 'PT16M' });
  await page.reload();
  await page.getByRole('button', { name: 'Get today’s rate' }).click();
  await expect(page.getByText('You have today’s rate.', { exact: true })).toBeVisible();
  await picture(page, 'renewed');
  await page.getByRole('tab', { name: 'Card' }).click();
  await fillCard(page, '4242424242424242');
  await page.getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
});

test('a payer pays by keyboard only', async ({ page, service }) => {
  const payment = await service.pay();
  await page.goto(payment.checkout_url);
  const number = page.frameLocator('iframe[title^="Card details"]').getByLabel('Card number');
  // The code that moves between tabs comes with the form.
  await expect(number).toBeVisible();
  await page.getByRole('tab', { name: 'Card' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Bank' })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(number).toBeVisible();
  await page.keyboard.press('Tab');
  for (const text of ['4242424242424242', '1234', '123', 'Ada Lovelace']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
});
