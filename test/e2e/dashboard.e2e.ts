import { defectsOf } from '../support/axe.ts';
import { desktop, expect, type Look, on, phone, type Service, signIn, test } from './service.ts';

const paid = async (service: Service, fields: Record<string, unknown> = {}) => {
  const { id } = await service.pay(fields);
  return await service.client.payments.confirm(id, { method: 'card', token: 'tok_visa' });
};

for (const look of [phone, desktop]) describeOn(look);

function describeOn(look: Look): void {
  test.describe(`the dashboard at ${look.name}`, () => {
    test.use(on(look));

    test('a newcomer finds a payment and refunds a part of it', async ({ page, service }) => {
      const reference = `R-${look.width}`;
      const { id } = await paid(service, { reference });
      await signIn(page, service);
      expect(await defectsOf(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Search/ }).fill(reference);
      await expect(page.getByRole('option').filter({ hasText: reference })).toBeVisible();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { level: 1, name: /€128\.40/ })).toBeVisible();
      expect(new URL(page.url()).pathname).toBe(`/dashboard/payments/${id}`);
      await expect(page.getByText('Payment received')).toBeVisible();
      expect(await defectsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Refund' }).click();
      await page.getByLabel('Amount (EUR)').fill('28.40');
      await expect(page.getByRole('row', { name: 'Then left of it €100.00' })).toBeVisible();
      expect(await defectsOf(page)).toEqual([]);
      await expect(page.getByRole('button', { name: 'Refund €28.40' })).toBeEnabled();
      await page.getByLabel('Amount (EUR)').press('Enter');
      await expect(page.getByText('Refund of €28.40 started')).toBeVisible();
      await expect(page.getByText('Refunded', { exact: true }).first()).toBeVisible();
      await expect.poll(async () => (await service.client.payments.retrieve(id)).amount_refunded).toBe(2_840);
    });

    test('a link is created in a dialog without defects', async ({ page, service }) => {
      await signIn(page, service);
      await page.goto(`${service.url}/dashboard/links?new=1`);
      await page.getByLabel('What it is for').fill(`Course ${look.width}`);
      expect(await defectsOf(page, { targets: true })).toEqual([]);
      await page.getByRole('button', { name: 'Create link' }).click();
      await expect(page.getByRole('heading', { level: 1, name: `Course ${look.width}` })).toBeVisible();
    });

    test('a payment appears in the list and as a message without a reload', async ({ page, service }) => {
      await paid(service);
      await signIn(page, service);
      await page.goto(`${service.url}/dashboard/payments`);
      await expect(page.getByRole('table', { name: 'Payments' })).toBeVisible();
      const name = `Grace ${look.width}`;
      await paid(service, { customer: { email: 'grace@example.com', name } });
      const row = page.getByRole('row').filter({ hasText: name });
      await expect(row.getByText('Paid', { exact: true })).toBeVisible();
      await expect(page.getByRole('status', { name: 'Messages' })).toContainText(`€128.40 · ${name}`);
      expect(await defectsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Notifications/ }).click();
      await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(name);
      expect(await defectsOf(page)).toEqual([]);
    });
  });
}

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
