import type { Server } from 'node:http';
import type { Page } from 'playwright/test';
import { expect, fillCard, test } from '../e2e/service.ts';
import { type AppName, apps, buildApp, installApp, serveApp } from './apps.ts';

/** The calls of the page's handlers so far: `success pay_…`, in order. */
const callsOf = (page: Page) => page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
const called = (page: Page, name: string) => callsOf(page).filter({ hasText: new RegExp(`^${name} `) });

/** The payment's id, as `onReady` reported it. */
async function readyPayment(page: Page): Promise<string> {
  await expect(called(page, 'ready')).toHaveText(/^ready pay_\w+$/);
  return ((await called(page, 'ready').textContent()) ?? '').replace('ready ', '');
}

/** Reads the payment again and again, so that a second report would be seen. */
async function readAgain(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let time = 0; time < 3; time++) await document.querySelector('pay-checkout')?.refresh();
  });
}

for (const name of Object.keys(apps) as AppName[]) {
  test.describe(`${name}:`, () => {
    let shop: { url: string; server: Server } | undefined;
    test.beforeAll(async ({ service }) => {
      test.setTimeout(400_000);
      test.skip(!(await installApp(name)), 'the npm registry cannot be reached');
      await buildApp(name, service);
      shop = await serveApp(name);
      await service.client.account.update({ allowed_origins: [shop.url] });
    });
    test.afterAll(() => shop?.server.close());

    for (const [way, path] of Object.entries(apps[name].pages)) {
      test(`${way} calls onReady, onChange, onError and onSuccess`, async ({ page, service }) => {
        await page.goto(`${shop?.url}${path}`);
        const id = await readyPayment(page);
        await fillCard(page, '4000000000000002');
        await page.getByRole('button', { name: 'Pay €42.00' }).click();
        await expect(called(page, 'error')).toHaveText(['error card_declined']);
        await fillCard(page, '4242424242424242');
        await page.getByRole('button', { name: 'Pay €42.00' }).click();
        await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
        await readAgain(page);
        await expect(called(page, 'success')).toHaveText([`success ${id}`]);
        expect(new Set(await called(page, 'change').allTextContents())).toEqual(new Set([`change ${id}`]));
        await expect(called(page, '(ready|error)')).toHaveCount(2);
        await expect(called(page, '(failure|expire)')).toHaveCount(0);
        expect((await service.client.payments.retrieve(id)).status).toBe('completed');
      });

      test(`${way} calls onFailure once`, async ({ page, service }) => {
        await page.goto(`${shop?.url}${path}`);
        const id = await readyPayment(page);
        await service.client.payments.cancel(id);
        await expect(called(page, 'failure')).toHaveText([`failure ${id}`]);
        await readAgain(page);
        await expect(called(page, '(failure|expire|success|error)')).toHaveCount(1);
      });
    }

    for (const [way, path] of Object.entries(name === 'react' ? apps.react.pages : {})) {
      test(`${way} calls onExpire once`, async ({ page, service }) => {
        await page.goto(`${shop?.url}${path}`);
        const id = await readyPayment(page);
        await service.client.testHelpers.advanceClock({ advance: 'P2D' });
        await expect(called(page, 'expire')).toHaveText([`expire ${id}`]);
        await readAgain(page);
        await expect(called(page, '(failure|expire|success|error)')).toHaveCount(1);
      });
    }
  });
}
