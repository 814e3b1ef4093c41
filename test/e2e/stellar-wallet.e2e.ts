import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Account, Asset, Keypair, Memo, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base';
import { chromium } from 'playwright/test';
import { defectsOf } from '../support/axe.ts';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { assetOf, assets, stellarLab, testnet } from '../support/stellar-lab.ts';
import { codeVideo } from './code-video.ts';
import { ledgerTime } from './network-ready.ts';
import { openWallet, walletIn } from './pocket-wallet.ts';
import { expect, phone, picture, test } from './service.ts';

/** An unsigned payment link, by default for the sandbox network. */
function payLink(fields: Readonly<Record<string, string>>): string {
  const all = Object.entries({ network_passphrase: testnet, ...fields });
  return `web+stellar:pay?${all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

const [, usdcIssuer = ''] = assets.USDC.split(':');
const inDollars = { asset_code: 'USDC', asset_issuer: usdcIssuer };

test('a wallet is funded, shows its address, and pays another wallet', async ({ browser, service }) => {
  const ada = await openWallet(browser, service.url, phone, true);
  await picture(ada.page, `${phone.name}-wallet-new`);
  await ada.page.getByRole('button', { name: 'Get test money' }).click();
  await expect(ada.page.getByText('10,000 XLM arrived.')).toBeVisible();
  await ada.take('EURC');
  await picture(ada.page, `${phone.name}-wallet-filled`);
  expect(await ada.balance('Test euros')).toBe(500);

  const bob = await openWallet(browser, service.url, phone);
  await bob.take('USDC');
  await bob.page.getByRole('link', { name: 'Receive' }).click();
  const code = await bob.page.getByRole('img', { name: 'Your address as a QR code' }).screenshot();
  await picture(bob.page, `${phone.name}-wallet-receive`);
  await bob.home();

  await ada.choosePicture(code);
  await expect(ada.page.locator(`code[title="${bob.address}"]`)).toBeVisible();
  await picture(ada.page, `${phone.name}-wallet-amount`);

  const wanted = { destination: bob.address, amount: '25', memo: 'for the lantern', msg: 'Storm lantern' };
  await ada.paste(payLink({ ...wanted, ...inDollars }));
  await expect(ada.page.getByText('Storm lantern')).toBeVisible();
  await expect(ada.page.getByRole('radio', { name: /^XLM/ })).toBeChecked();
  await ada.page.getByText('EURC', { exact: true }).click();
  await expect(ada.page.getByText(/^Pays 25 USDC to .* with at most [\d.]+ EURC$/)).toBeVisible();
  await picture(ada.page, `${phone.name}-wallet-review`);
  await ada.confirm();
  await picture(ada.page, `${phone.name}-wallet-paid`);
  await ada.page.getByRole('link', { name: 'Back to the wallet', exact: true }).last().click();
  await expect(ada.page.getByText('25 USDC arrived ·')).toBeVisible();
  expect(await ada.balance('Test euros')).toBeLessThan(480);

  // The other wallet updates automatically, by its event stream.
  await bob.page.getByText('+25 USDC').click();
  expect(await bob.balance('Test dollars')).toBe(525);
  await expect(bob.page.getByText('for the lantern')).toBeVisible();
  await picture(bob.page, `${phone.name}-wallet-received`);
  await Promise.all([ada.page.context().close(), bob.page.context().close()]);
});

test('an impossible payment is refused before anything is signed', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const [receiver, careful] = [Keypair.random(), Keypair.random()];
  await lab.fund(receiver);
  await lab.fund(careful);
  await lab.submit(careful, [Operation.manageData({ name: 'config.memo_required', value: '1' })]);
  const wallet = await walletIn(page, service.url);
  await page.getByRole('button', { name: 'Get test money' }).click();
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  const newcomer = Keypair.random().publicKey();
  const cases = [
    [payLink({ destination: receiver.publicKey(), amount: '1', ...inDollars }), /does not take this asset/],
    [payLink({ destination: careful.publicKey(), amount: '1' }), /needs a memo/],
    [payLink({ destination: receiver.publicKey(), amount: '20000' }), /not enough in this wallet/],
    [payLink({ destination: newcomer, amount: '0.5' }), /no account on this network/],
    [`web+stellar:pay?destination=${receiver.publicKey()}&amount=1`, /another Stellar network/],
    ['web+stellar:pay?destination=G', /damaged/],
    ['hello', /not a Stellar payment link/],
  ] as const;
  for (const [text, words] of cases) {
    await wallet.paste(text);
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Pay (about )?\d/ })).toHaveCount(0);
  }
  await wallet.paste(payLink({ destination: newcomer, amount: '2' }));
  await expect(page.getByText(/^Opens the account .* with 2 XLM$/)).toBeVisible();
  await wallet.confirm();
  expect(await lab.balance(newcomer, 'XLM')).toBe(2);
});

test('an asset without a market can be added to the wallet', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const [issuer, receiver] = [Keypair.random(), Keypair.random()];
  const bean = new Asset('BEAN', issuer.publicKey());
  await Promise.all([lab.fund(issuer), lab.fund(receiver)]);
  await lab.submit(receiver, [Operation.changeTrust({ asset: bean })]);
  const wallet = await walletIn(page, service.url);
  await page.getByRole('button', { name: 'Get test money' }).click();
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  const inBeans = { asset_code: 'BEAN', asset_issuer: issuer.publicKey() };
  await wallet.paste(payLink({ destination: receiver.publicKey(), amount: '3', ...inBeans }));
  await expect(page.getByText(/can be exchanged for BEAN/)).toBeVisible();
  await page.getByRole('button', { name: 'Add BEAN to this wallet' }).click();
  await expect(page.getByText(/not enough in this wallet to pay 3 BEAN/)).toBeVisible(ledgerTime);
  const destination = wallet.address;
  await lab.submit(issuer, [Operation.payment({ destination, asset: bean, amount: '5' })]);
  await wallet.paste(payLink({ destination: receiver.publicKey(), amount: '3', ...inBeans }));
  await wallet.confirm();
  expect(await lab.balance(receiver.publicKey(), `BEAN:${issuer.publicKey()}`)).toBe(3);
  await wallet.home();
  await expect(page.getByText('Not an asset that this wallet knows')).toBeVisible();
});

test('an expired draft is renewed before it is paid', async ({ page, service }) => {
  await page.clock.install();
  const wallet = await walletIn(page, service.url);
  await page.getByRole('button', { name: 'Get test money' }).click();
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  const drafts: string[] = [];
  page.on('request', request => drafts.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
  await wallet.paste(payLink({ destination: Keypair.random().publicKey(), amount: '3' }));
  const pay = page.getByRole('button', { name: 'Pay 3 XLM' });
  await expect(pay).toBeVisible();
  await page.clock.fastForward('02:50');
  drafts.length = 0;
  await pay.click();
  await expect.poll(() => drafts).toEqual(expect.arrayContaining(['ways', 'drafts']));
  expect(drafts).not.toContain('submissions');
  await expect(pay).toBeVisible();
});

test('a domain is shown only when it signed the link', async ({ page, service }) => {
  const domain = new URL(service.url).host;
  const to = Keypair.random().publicKey();
  const wallet = await walletIn(page, service.url);
  const forged = payLink({ destination: to, amount: '12', origin_domain: domain, signature: btoa('x'.repeat(64)) });
  await wallet.paste(forged);
  await expect(page.getByText('This link is not what it says.')).toBeVisible();
  await expect(page.getByText(domain)).toHaveCount(0);
  await expect(page.getByText('12', { exact: true })).toHaveCount(0);
  await picture(page, 'wallet-forged');
});

test('a transaction in a link is explained, completed and signed', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const placeholder = new Account('GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF', '-1');
  const options = { fee: '1000', networkPassphrase: testnet, timebounds: { minTime: 0, maxTime: 0 } };
  const linkOf = (operation: Parameters<TransactionBuilder['addOperation']>[0]) => {
    const xdr = new TransactionBuilder(placeholder, options)
      .addOperation(operation)
      .addMemo(Memo.text('hold'))
      .build()
      .toXdr();
    return `web+stellar:tx?xdr=${encodeURIComponent(xdr)}&network_passphrase=${encodeURIComponent(testnet)}`;
  };
  const wallet = await walletIn(page, service.url);
  await page.getByRole('button', { name: 'Get test money' }).click();
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  await wallet.paste(linkOf(Operation.setOptions({ masterWeight: 0 })));
  await expect(page.getByText(/cannot explain/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign and send' })).toHaveCount(0);

  await wallet.paste(linkOf(Operation.changeTrust({ asset: assetOf(assets.EURC) })));
  await expect(page.getByText('Lets the account hold EURC')).toBeVisible();
  await picture(page, 'wallet-transaction');
  await wallet.confirm();
  const { balances } = await lab.horizon.loadAccount(wallet.address);
  expect(balances.some(balance => 'asset_code' in balance && balance.asset_code === 'EURC')).toBe(true);
});

test('the wallet can become the browser’s handler of payment links', async ({ page, service }) => {
  await page.goto(`${service.url}/demo/wallet#pay`);
  await page.getByRole('button', { name: 'Open payment links with this wallet' }).click();
  // The browser opens the handler with this URL.
  const link = payLink({ destination: Keypair.random().publicKey(), amount: '3', msg: 'Two mugs & a lantern' });
  await page.goto(`${service.url}/demo/wallet#pay=${encodeURIComponent(link)}`);
  await expect(page.getByText('Two mugs & a lantern')).toBeVisible();
});

test('the camera reads a QR code', async ({ service }) => {
  const folder = await mkdtemp(join(tmpdir(), 'pay-camera-'));
  const film = join(folder, 'code.y4m');
  const to = Keypair.random().publicKey();
  await writeFile(film, codeVideo(payLink({ destination: to, amount: '7.5', msg: 'Seen by the camera' })));
  const executablePath = findBrowser();
  const fake = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
  const browser = await chromium.launch({
    args: [...browserArgs, ...fake, `--use-file-for-fake-video-capture=${film}`],
    ...(executablePath !== null && { executablePath }),
  });
  const page = await browser.newPage();
  await page.goto(`${service.url}/demo/wallet#pay`);
  await page.getByRole('button', { name: 'Scan with the camera' }).click();
  await expect(page.getByText('Seen by the camera')).toBeVisible();
  await expect(page.locator(`code[title="${to}"]`)).toBeVisible();
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

test('without a camera, and without the kind of key that Stellar uses, the wallet says what to do', async ({
  browser,
  page,
  service,
}) => {
  await page.goto(`${service.url}/demo/wallet#pay`);
  await page.getByRole('button', { name: 'Scan with the camera' }).click();
  await expect(page.getByText(/paste the link/i).first()).toBeVisible();

  const old = await browser.newPage();
  await old.addInitScript(() => {
    const generate = crypto.subtle.generateKey.bind(crypto.subtle);
    const refuse = async (algorithm: { name?: string }, ...rest: unknown[]) => {
      if (algorithm.name === 'Ed25519') throw new DOMException('Unrecognized name.', 'NotSupportedError');
      return await Reflect.apply(generate, crypto.subtle, [algorithm, ...rest]);
    };
    Object.defineProperty(crypto.subtle, 'generateKey', { value: refuse });
  });
  await old.goto(`${service.url}/demo/wallet`);
  await expect(old.getByText(/Ed25519/)).toBeVisible();
  await picture(old, 'wallet-no-key');
  await old.close();
});

test('the key cannot be read, not even by the page', async ({ page, service }) => {
  await walletIn(page, service.url);
  const found = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('pocket-wallet');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const pair = await new Promise<CryptoKeyPair>((resolve, reject) => {
      const request = database.transaction('keys').objectStore('keys').get('first');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const read = await crypto.subtle.exportKey('pkcs8', pair.privateKey).then(
      () => 'read',
      (error: DOMException) => error.name,
    );
    return [pair.privateKey.extractable, read];
  });
  expect(found).toEqual([false, 'InvalidAccessError']);
});

test('the wallet is accessible, light and dark', async ({ page, service }) => {
  const check = async (place: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await defectsOf(page, { criteriaOnly: true }), `${place}, ${colorScheme}`).toEqual([]);
    }
  };
  const wallet = await walletIn(page, service.url);
  await check('a new wallet');
  await page.getByRole('button', { name: 'Get test money' }).click();
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  await check('a wallet with money');
  await page.getByRole('link', { name: 'Receive' }).click();
  await expect(page.getByRole('img', { name: 'Your address as a QR code' })).toBeVisible();
  await check('its address');
  await wallet.paste('hello');
  await expect(page.getByText('This cannot be paid.')).toBeVisible();
  await check('a trouble');
  await wallet.paste(payLink({ destination: Keypair.random().publicKey(), amount: '3' }));
  await expect(page.getByRole('button', { name: 'Pay 3 XLM' })).toBeVisible();
  await check('what is to be paid');
  await wallet.confirm();
  await check('what was paid');
  await page.goto(`${service.url}/demo/wallet#shop`);
  await expect(page.getByRole('heading', { name: 'The shop’s takings' })).toBeVisible();
  await check('the shop');
});

test('a payment is made by keyboard only', async ({ page, service }) => {
  await walletIn(page, service.url);
  await page.getByRole('button', { name: 'Get test money' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('10,000 XLM arrived.')).toBeVisible();
  await page.getByRole('link', { name: 'Pay', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Pay' })).toBeFocused();
  const field = page.getByLabel('Or paste a payment link or an address');
  while (!(await field.evaluate(input => input === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.type(payLink({ destination: Keypair.random().publicKey(), amount: '3' }));
  await page.keyboard.press('Enter');
  const pay = page.getByRole('button', { name: 'Pay 3 XLM' });
  await expect(pay).toBeVisible();
  while (!(await pay.evaluate(button => button === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeFocused({ timeout: 20_000 });
});
