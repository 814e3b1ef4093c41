import { ledgerTime, networkReady } from './network-ready.ts';
import { openWallet } from './pocket-wallet.ts';
import { desktop, expect, leaveForShop, on, phone, picture, test } from './service.ts';

const ways = [
  { way: 'Element and proxy', look: desktop },
  { way: 'Hosted page', look: phone },
] as const;

test.beforeAll(({ service }) => networkReady(service));

for (const [at, { way, look }] of ways.entries()) {
  test.describe(way, () => {
    test.use(on(look));

    test('an order of the shop is paid with the demo wallet, and the shop’s account receives the money', async ({
      browser,
      page,
      service,
    }) => {
      if (way === 'Hosted page') await page.clock.install();
      await page.goto(`${service.url}/demo/`);
      await page.getByRole('button', { name: 'Add Enamel mug' }).click();
      await page.getByRole('button', { name: /^Basket/ }).click();
      await page.getByRole('link', { name: 'Check out' }).click();
      await page.getByRole('link', { name: way }).click();
      await expect(page.getByRole('link', { name: 'Open the pocket wallet' })).toHaveAttribute('href', '/demo/wallet');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
      await page.getByRole('button', { name: /^(Continue|Go and pay)/ }).click();
      await page.getByRole('tab', { name: 'Crypto' }).click();
      await page.getByRole('radio', { name: /^EURC/ }).check();
      await page.getByRole('button', { name: 'Continue with EURC' }).click();
      const code = page.getByRole('img', { name: /^Payment code/ });
      await expect(code).toBeVisible();
      await picture(page, `shop-stellar-${at}`);

      const wallet = await openWallet(browser, service.url, look);
      await wallet.choosePicture(await code.screenshot());
      await wallet.confirm();
      await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible(ledgerTime);
      if (way === 'Hosted page') {
        await leaveForShop(page);
        await page.waitForURL(/\/demo\/order\?/);
      } else {
        await page.getByRole('link', { name: 'Back to the shop' }).click();
      }
      await expect(page.getByText('€22.20 is paid.')).toBeVisible();
      if (look.width < 1180) await page.getByRole('button', { name: 'Developer panel' }).click();
      const panel = page.getByRole('complementary', { name: 'Developer panel' });
      await expect(panel.getByRole('listitem').filter({ hasText: 'HOOKpayment.settled204' })).toHaveCount(
        1,
        ledgerTime,
      );
      await picture(page, `shop-stellar-${at}-paid`);

      await wallet.page.goto(`${service.url}/demo/wallet#shop`);
      await expect(wallet.page.getByText(/^\+24\.\d+ USDC$/).first()).toBeVisible();
      await wallet.page.context().close();
    });
  });
}
