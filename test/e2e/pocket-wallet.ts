import { type Browser, expect, type Page } from 'playwright/test';
import type { Look } from './service.ts';

/** The demo wallet in its own browser, operated by its visible texts. */
export interface PocketWallet {
  readonly page: Page;
  /** G… */
  readonly address: string;
  /** Takes the faucet's gift of an asset, by code, and waits until it arrives. */
  take(code: string): Promise<void>;
  /** The displayed balance of an asset, by name (`Lumens`, `Test dollars`). */
  balance(name: string): Promise<number>;
  /** Pastes a text, for example a link or an address. */
  paste(text: string): Promise<void>;
  choosePicture(png: Buffer): Promise<void>;
  /** Confirms the displayed transaction, and waits until a ledger contains it. */
  confirm(): Promise<void>;
  home(): Promise<void>;
}

/** Opens a new wallet, by default with XLM. */
export async function openWallet(browser: Browser, url: string, look?: Look, empty = false): Promise<PocketWallet> {
  const context = await browser.newContext({
    ...(look && { viewport: { width: look.width, height: look.height }, colorScheme: look.colorScheme }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const wallet = await walletIn(page, url);
  if (!empty) {
    await page.getByRole('button', { name: 'Get test money' }).click();
    await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  }
  return wallet;
}

/** The wallet that the page shows. */
export async function walletIn(page: Page, url: string): Promise<PocketWallet> {
  await page.goto(`${url}/demo/wallet`);
  const address = (await page.locator('.own-address code').getAttribute('title')) ?? '';
  const home = () => page.goto(`${url}/demo/wallet#`).then(() => undefined);
  const pay = () => page.goto(`${url}/demo/wallet#pay`);
  return {
    page,
    address,
    home,
    async take(code) {
      await page.getByRole('button', { name: new RegExp(`^Get (another )?[\\d,]+ ${code}\\b`) }).click();
      await expect(page.getByText(new RegExp(`^[\\d,]+ ${code} arrived\\.$`))).toBeVisible();
    },
    async balance(name) {
      const row = page.getByRole('region', { name: 'Balances' }).getByRole('listitem').filter({ hasText: name });
      const text = (await row.locator('.row-amount').textContent()) ?? '';
      return Number.parseFloat(text.replaceAll(',', ''));
    },
    async paste(text) {
      await pay();
      await page.getByLabel('Or paste a payment link or an address').fill(text);
      await page.getByRole('button', { name: 'Look' }).click();
    },
    async choosePicture(png) {
      await pay();
      await page
        .getByLabel('Choose or drop a picture of the code')
        .setInputFiles({ name: 'code.png', mimeType: 'image/png', buffer: png });
    },
    async confirm() {
      await page.getByRole('button', { name: /^(Pay (about )?[\d,.]+ \w+|Sign and send)$/ }).click();
      await expect(page.getByRole('heading', { name: /^(Paid|Done)$/ })).toBeVisible({ timeout: 25_000 });
    },
  };
}
