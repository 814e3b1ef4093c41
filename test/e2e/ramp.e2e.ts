import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Asset, Keypair, Operation } from '@stellar/stellar-sdk/base';
import type { Page } from 'playwright/test';
import { defectsOf } from '../support/axe.ts';
import { assets, stellarLab } from '../support/stellar-lab.ts';
import { desktop, expect, fillCard, on, phone, picture, type Service, test } from './service.ts';

const [, usdcIssuer = ''] = assets.USDC.split(':');

/** A wallet on the sandbox ledger that can hold test dollars. */
async function openAccount(service: Service): Promise<string> {
  const key = Keypair.random();
  const lab = stellarLab(service.url);
  await lab.fund(key);
  await lab.submit(key, [Operation.changeTrust({ asset: new Asset('USDC', usdcIssuer) })]);
  return key.publicKey();
}

/** Serves a page of a shop with this body, which notes the widget's events, and opens it. */
async function openShop(page: Page, body: string): Promise<void> {
  const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
    <script>
      window.heard = [];
      for (const name of ['change', 'success', 'error'])
        addEventListener('pay-ramp-' + name, e => heard.push([name, e.detail.status ?? e.detail.code]));
      addEventListener('message', e => heard.push([e.origin, e.data.type, e.data.ramp?.status ?? e.data.error?.code]));
    </script><body><main><h1>Shop</h1>${body}</main></body></html>`;
  shop = createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html));
  await new Promise<void>(done => shop?.listen(0, '127.0.0.1', done));
  await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/buy`);
}

let shop: Server | undefined;
test.afterEach(() => {
  shop?.close();
  shop?.closeAllConnections();
});

const heard = (page: Page) => page.evaluate(() => (window as unknown as { heard: unknown[][] }).heard);

const terms = {
  enabled: true,
  assets: ['USDC', 'XLM'],
  methods: ['card', 'bank_transfer'],
  fees: [{ percent: 1.5 }],
  limits: [],
} as const;

test.describe('a customer buys coins in the widget', () => {
  test.use(on(phone));

  test('by card, after a reload in the middle, and the shop hears of it once', async ({ page, service }) => {
    test.slow();
    await service.client.account.update({ ramps: terms as never });
    const wallet = await openAccount(service);
    await openShop(
      page,
      `<script src="${service.url}/pay-checkout.js"></script>
       <pay-ramp api-key="${service.publishableKey}" currency="EUR" theme="light"></pay-ramp>`,
    );
    await expect(page.getByRole('heading', { name: 'Buy USDC' })).toBeVisible();
    await page.getByLabel('You pay').fill('50');
    await expect(page.getByText(/Price held for 1\d:\d\d/)).toBeVisible();
    await picture(page, `${phone.name}-ramp-form`);
    await page.getByLabel('You get').fill('25');
    await expect(page.getByRole('button', { name: 'Buy 25.00 USDC' })).toBeVisible();
    await page.getByLabel('Your Stellar wallet').fill(`${wallet.slice(0, -1)}A`);
    await page.getByRole('button', { name: /^Buy/ }).click();
    await expect(page.getByText(/a character is wrong or missing/)).toBeVisible();
    expect(await defectsOf(page)).toEqual([]);
    await picture(page, `${phone.name}-ramp-wrong`);
    await page.getByLabel('Your Stellar wallet').fill(wallet);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.reload();
    await expect(page.getByLabel('You get')).toHaveValue('25');
    await expect(page.getByLabel('Your Stellar wallet')).toHaveValue(wallet);
    await page.getByRole('button', { name: 'Buy 25.00 USDC' }).click();
    await expect(page.getByRole('heading', { name: /for 25.00.USDC/ })).toBeVisible();
    await page.reload();
    await fillCard(page, '4242 4242 4242 4242');
    await picture(page, `${phone.name}-ramp-card`);
    expect(await defectsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Pay €/ }).click();
    await expect(page.getByRole('heading', { name: '25.00 USDC are in your wallet' })).toBeVisible();
    await picture(page, `${phone.name}-ramp-done`);
    await expect(page.getByRole('link', { name: 'See the transaction' })).toBeVisible();
    const told = await heard(page);
    expect(told.filter(([name]) => name === 'success')).toEqual([['success', 'completed']]);
    expect(told.at(-2)).toEqual(['change', 'completed']);
    await page.reload();
    await expect(page.getByRole('heading', { name: '25.00 USDC are in your wallet' })).toBeVisible();
    expect((await heard(page)).filter(([name]) => name === 'success')).toEqual([]);
    await page.getByRole('button', { name: 'Begin another purchase' }).click();
    await expect(page.getByLabel('You get')).toBeVisible();
  });
});

test.describe('a ramp of the shop’s server', () => {
  test.use(on(desktop));

  test('asks for the identity, is paid by bank transfer in a frame, and keeps its wallet', async ({
    page,
    service,
  }) => {
    test.slow();
    const limits = [{ tier: 'basic', currency: 'EUR', per_transaction: 1_000_00 }];
    await service.client.account.update({ ramps: { ...terms, limits } as never });
    const ramp = await service.client.ramps.create({
      direction: 'on',
      fiat_currency: 'EUR',
      fiat_amount: 80_00,
      asset: 'USDC',
      method: 'bank_transfer',
      wallet: { address: await openAccount(service) },
      customer: { email: 'grace@example.com' },
    });
    const { widget_url: url } = await service.client.ramps.resume(ramp.id);
    await openShop(page, `<iframe title="Buy" src="${url}" width="460" height="1000"></iframe>`);
    const frame = page.frameLocator('iframe[title="Buy"]');
    await expect(frame.getByRole('heading', { name: 'Who is buying?' })).toBeVisible();
    await frame.getByRole('button', { name: 'Send' }).click();
    await expect(frame.getByText('Fill in this field.').first()).toBeVisible();
    await picture(page, `${desktop.name}-ramp-kyc`);
    await frame.getByLabel('First name').fill('Grace');
    await frame.getByLabel('Last name').fill('Hopper');
    await frame.getByLabel('Date of birth').fill('1986-12-09');
    await frame.getByLabel('Country of residence').selectOption({ label: 'Germany' });
    await frame.getByRole('button', { name: 'Send' }).click();
    await frame.getByRole('button', { name: 'Show bank details' }).click();
    await expect(frame.getByRole('button', { name: /^Copy IBAN/ })).toBeVisible();
    await picture(page, `${desktop.name}-ramp-bank`);
    await page.evaluate(origin => {
      const target = document.querySelector('iframe')?.contentWindow;
      target?.postMessage({ type: 'pay-ramp-set', wallet: { address: 'GA' } }, origin);
    }, service.url);
    await expect.poll(async () => await heard(page)).toContainEqual([service.url, 'pay-ramp-error', 'session_bound']);
    const { payment } = await service.client.ramps.retrieve(ramp.id);
    const { next_action: action } = await service.client.payments.retrieve(payment ?? '');
    const { reference } = action as { reference: string };
    const paid = await fetch(`${service.url}/v1/test_helpers/bank_transfers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 80_00, currency: 'EUR', reference }),
    });
    expect(paid.status, await paid.text()).toBeLessThan(300);
    await expect(frame.getByRole('heading', { name: /are in your wallet/ })).toBeVisible();
    await picture(page, `${desktop.name}-ramp-done`);
    const told = (await heard(page)).filter(([, type]) => type === 'pay-ramp-success');
    expect(told).toEqual([[service.url, 'pay-ramp-success', 'completed']]);
  });
});
