import { defectsOf } from '../support/axe.ts';
import { networkReady } from './network-ready.ts';
import { expect, on, phone, test } from './service.ts';

const longest = { timeout: 60_000 };

test.describe('the page that pays 1,000 people', () => {
  test.use(on(phone));

  test('sends no money when it opens, and all by one call after the press', async ({ page, service }) => {
    test.setTimeout(120_000);
    await networkReady(service);
    // Payments of other tests may still settle, so the reserved amount may change.
    const moneyOut = async () => {
      const [{ available }, { data }] = await Promise.all([
        service.client.balance.retrieve(),
        service.client.payouts.list(),
      ]);
      return { available, payouts: data };
    };
    const before = await moneyOut();
    await page.goto(`${service.url}/demo/`);
    await page.getByRole('link', { name: 'Pay 1,000 people' }).click();
    await expect(page.getByRole('heading', { name: 'Nothing is sent yet' })).toBeVisible();
    expect(await moneyOut()).toEqual(before);
    const check = async (state: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await defectsOf(page, { criteriaOnly: true }), `${state}, ${colorScheme}`).toEqual([]);
      }
    };
    await check('before');

    await page.getByRole('button', { name: 'Pay 1,000 people' }).press('Enter');
    await page.waitForURL(/\?batch=pbat_/, longest);
    await page.reload();
    await expect(page.getByRole('heading', { name: /^1,000 paid in [\d.]+ s$/ })).toBeVisible(longest);
    const figure = (word: string) => page.getByText(word, { exact: true }).locator('xpath=following-sibling::dd');
    await expect(figure('Arrived')).toHaveText('1,000');
    await expect(figure('Failed')).toHaveText('0');
    await check('after');
    const results = await page.getByRole('link', { name: 'Results as CSV' }).getAttribute('href');
    const csv = await (await page.request.get(new URL(results ?? '', service.url).href)).text();
    expect(csv.trim().split('\n')).toHaveLength(1_001);
    expect(await service.client.balance.retrieve()).toMatchObject({ available: before.available, reserved: [] });

    await page.getByRole('button', { name: 'Developer panel' }).click();
    const panel = page.getByRole('complementary', { name: 'Developer panel' });
    const call = panel.getByRole('listitem').filter({ hasText: 'POST/v1/payouts/bulk202' });
    await expect(call).toHaveCount(1);
    await call.locator('summary').click();
    await expect(call).toContainText('… and 997 more');
    await expect(panel.getByRole('listitem').filter({ hasText: 'EVENTpayout_batch.completed' })).toHaveCount(1);
  });

  test('lists payouts that failed only when there are some', async ({ page, service }) => {
    test.setTimeout(120_000);
    await networkReady(service);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/demo/api/payouts', async route => {
      await released;
      await route.continue();
    });
    await page.goto(`${service.url}/demo/payouts`);
    const failures = page.getByRole('heading', { name: 'The first that failed' });
    await page.getByLabel('Add five wrong numbers').check();
    await page.getByRole('button', { name: 'Pay 1,000 people' }).click();
    await expect(page.getByRole('heading', { name: 'Sending the list' })).toBeVisible();
    await expect(failures).toBeHidden();

    release();
    await expect(page.getByRole('heading', { name: /^995 paid in [\d.]+ s$/ })).toBeVisible(longest);
    await expect(failures).toBeVisible();
    await expect(failures.locator('xpath=following-sibling::ul').getByRole('listitem')).toHaveCount(5);
    await expect(page.locator('[aria-live]', { hasText: '5 failed.' })).toBeAttached();
    expect(await defectsOf(page, { criteriaOnly: true })).toEqual([]);
  });
});
