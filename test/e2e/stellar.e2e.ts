import { Keypair, Memo, Operation } from '@stellar/stellar-sdk/base';
import type { Page } from 'playwright/test';
import type { CryptoTransfer } from '../../src/api/crypto.ts';
import type { Payment } from '../../src/api/payment.ts';
import { installFreighter } from '../support/freighter-extension.ts';
import { assetOf, assets, stellarLab } from '../support/stellar-lab.ts';
import { ledgerTime, networkReady } from './network-ready.ts';
import { openWallet, type PocketWallet } from './pocket-wallet.ts';
import { desktop, expect, on, phone, picture, type Service, test } from './service.ts';

const everyMethod = { payment_methods: ['card', 'bank_transfer', 'crypto'] };

test.beforeAll(({ service }) => networkReady(service));

/** Opens the checkout and selects an asset. Returns the displayed amount and address. */
async function chooseAsset(page: Page, service: Service, payment: Payment, code: string): Promise<CryptoTransfer> {
  await page.goto(payment.checkout_url);
  await page.getByRole('tab', { name: 'Crypto' }).click();
  await page.getByRole('radio', { name: new RegExp(`^${code}\\b`) }).check();
  await page.getByRole('button', { name: `Continue with ${code}` }).click();
  await expect(page.getByText('Waiting for your payment')).toBeVisible();
  return await transferOf(service, payment);
}

async function transferOf(service: Service, { id }: Payment): Promise<CryptoTransfer> {
  const { next_action: action } = await service.client.payments.retrieve(id);
  if (action?.type !== 'crypto_transfer') throw new Error(`the payer of ${id} is not told where to send`);
  return action;
}

/** Reads the checkout's QR code into the wallet, and pays the request. */
async function scanAndPay(page: Page, wallet: PocketWallet): Promise<void> {
  await wallet.choosePicture(await page.getByRole('img', { name: /^Payment code/ }).screenshot());
  await wallet.confirm();
}

/** Waits for the settlement, and checks on the ledger the quoted amount of the requested asset. */
async function settled(service: Service, { id }: Payment): Promise<Payment> {
  const settlement = async () => (await service.client.payments.retrieve(id)).settlement;
  await expect.poll(async () => (await settlement()).status, ledgerTime).toBe('settled');
  const payment = await service.client.payments.retrieve(id);
  const { tx_hash: hash, amount, ledger } = payment.settlement;
  const { settlement: place } = await service.client.account.retrieve();
  const { horizon } = stellarLab(service.url);
  const { records } = await horizon
    .payments()
    .forTransaction(hash ?? '')
    .call();
  const arrived = records.find(record => 'to' in record && record.to === place.stellar_address);
  expect(arrived).toMatchObject({ amount, asset_code: 'USDC', transaction_successful: true });
  expect(
    (
      await horizon
        .transactions()
        .transaction(hash ?? '')
        .call()
    ).ledger_attr,
  ).toBe(ledger);
  return payment;
}

async function isPaid(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible(ledgerTime);
}

for (const { asked, look } of [
  { asked: 'XLM', look: phone },
  { asked: 'USDC', look: desktop },
] as const) {
  test.describe(`on ${look.name}`, () => {
    test.use(on(look));
    test(`a wallet pays ${asked} from the QR code with XLM, and the merchant receives USDC`, async ({
      browser,
      page,
      service,
    }) => {
      const wallet = await openWallet(browser, service.url, look);
      const payment = await service.pay(everyMethod);
      const transfer = await chooseAsset(page, service, payment, asked);
      await picture(page, `${look.name}-stellar-${asked}-code`);
      await wallet.choosePicture(await page.getByRole('img', { name: /^Payment code/ }).screenshot());
      await expect(wallet.page.getByText(new URL(service.url).host)).toBeVisible();
      await expect(wallet.page.locator(`code[title="${transfer.address}"]`)).toBeVisible();
      await expect(wallet.page.getByRole('button', { name: /^Pay (about )?[\d,.]+ XLM$/ })).toBeVisible();
      await picture(wallet.page, `${look.name}-stellar-${asked}-wallet`);
      await wallet.confirm();
      await isPaid(page);
      await picture(page, `${look.name}-stellar-${asked}-paid`);
      expect(await service.client.payments.retrieve(payment.id)).toMatchObject({
        status: 'completed',
        method: 'crypto',
      });
      await settled(service, payment);
      await wallet.page.goto(`${service.url}/demo/wallet#shop`);
      const { settlement } = await service.client.payments.retrieve(payment.id);
      await expect(wallet.page.locator(`[data-hash="${settlement.tx_hash}"]`)).toContainText('USDC');
      await picture(wallet.page, `${look.name}-stellar-${asked}-takings`);
      await wallet.page.context().close();
    });
  });
}

test.describe(`on ${phone.name}`, () => {
  test.use(on(phone));

  test('a payer sends too little and pays the rest', async ({ browser, page, service }) => {
    const lab = stellarLab(service.url);
    const payer = Keypair.random();
    await lab.fund(payer, assets.USDC);
    const payment = await service.pay(everyMethod);
    const { address: destination, asset, amount } = await chooseAsset(page, service, payment, 'USDC');
    await lab.submit(payer, [Operation.payment({ destination, asset: assetOf(asset), amount: '100' })]);
    await expect(page.getByText('We’ve received 100.00 USDC.')).toBeVisible(ledgerTime);
    await picture(page, `${phone.name}-stellar-partly`);
    expect(await service.client.payments.retrieve(payment.id)).toMatchObject({ phase: 'partially_paid' });
    const rest = await transferOf(service, payment);
    expect(Number(rest.amount)).toBeCloseTo(Number(amount) - 100, 6);
    const wallet = await openWallet(browser, service.url, phone);
    await scanAndPay(page, wallet);
    await isPaid(page);
    await picture(page, `${phone.name}-stellar-topped-up`);
    await settled(service, payment);
    await wallet.page.context().close();
  });
});

test.describe(`on ${desktop.name}`, () => {
  test.use(on(desktop));

  test('Freighter pays with another asset, by a path of two conversions', async ({ page, service }) => {
    const lab = stellarLab(service.url);
    const { key, signed } = await installFreighter(page);
    await lab.fund(key, assets.BRLC);
    const payment = await service.pay({ ...everyMethod, amount: 3_440, line_items: undefined });
    await chooseAsset(page, service, payment, 'USDC');
    await page.getByRole('button', { name: 'Pay with Freighter' }).click();
    await page.getByRole('radio', { name: /^BRLC/ }).check();
    await picture(page, `${desktop.name}-freighter-holdings`);
    await page.getByRole('button', { name: 'Continue with BRLC' }).click();
    await expect(page.getByText('BRLC → XLM → USDC')).toBeVisible();
    await picture(page, `${desktop.name}-freighter-review`);
    await page.getByRole('button', { name: 'Confirm in Freighter' }).click();
    await isPaid(page);
    expect(signed).toHaveLength(1);
    const { records } = await lab.horizon.payments().forAccount(key.publicKey()).order('desc').limit(1).call();
    const [paid] = records;
    expect(paid).toMatchObject({ source_asset_code: 'BRLC', asset_code: 'USDC', path: [{ asset_type: 'native' }] });
    await settled(service, payment);
  });

  test('a refund returns to the paying wallet', async ({ browser, page, service }) => {
    const wallet = await openWallet(browser, service.url, desktop);
    const payment = await service.pay(everyMethod);
    await chooseAsset(page, service, payment, 'XLM');
    await scanAndPay(page, wallet);
    await isPaid(page);
    await settled(service, payment);
    await wallet.home();
    const before = await wallet.balance('Lumens');
    const refund = await service.client.payments.refund(payment.id, {});
    await expect(wallet.page.getByText(/^(Money back|Received)$/).first()).toBeVisible(ledgerTime);
    await expect.poll(() => wallet.balance('Lumens'), ledgerTime).toBeGreaterThan(before);
    const list = async () => (await service.client.payments.refunds(payment.id)).data;
    await expect
      .poll(async () => (await list()).map(({ id, status }) => [id, status]), ledgerTime)
      .toEqual([[refund.id, 'completed']]);
    await picture(wallet.page, `${desktop.name}-stellar-refunded`);
    await page.goto(payment.checkout_url);
    await expect(page.getByRole('heading', { name: 'Your money is on its way back' })).toBeVisible();
    await wallet.page.context().close();
  });
});

test('a deposit without a memo is unmatched until the merchant assigns it', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const payer = Keypair.random();
  await lab.fund(payer, assets.USDC);
  const payment = await service.pay(everyMethod);
  const { base_address: destination, asset, amount } = await chooseAsset(page, service, payment, 'USDC');
  const hash = await lab.submit(payer, [
    Operation.payment({ destination: destination ?? '', asset: assetOf(asset), amount }),
  ]);
  const unmatched = async () => {
    const { data } = await service.client.transfers.list({ status: 'unmatched' });
    return data.find(transfer => transfer.tx_hash === hash);
  };
  await expect.poll(unmatched, ledgerTime).toMatchObject({ payment: null, asset, sender: payer.publicKey() });
  await expect(page.getByText('Waiting for your payment')).toBeVisible();
  const transfer = await unmatched();
  await service.client.transfers.assign(transfer?.id ?? '', { payment_id: payment.id });
  await isPaid(page);
  await settled(service, payment);
});

test('the memo assigns a deposit in the base account to its payment', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const payer = Keypair.random();
  await lab.fund(payer, assets.USDC);
  const payment = await service.pay(everyMethod);
  const {
    base_address: base,
    memo,
    memo_type: type,
    asset,
    amount,
  } = await chooseAsset(page, service, payment, 'USDC');
  const operation = Operation.payment({ destination: base ?? '', asset: assetOf(asset), amount });
  await lab.submit(payer, [operation], type === 'id' ? Memo.id(memo ?? '') : Memo.text(memo ?? ''));
  await isPaid(page);
  await settled(service, payment);
});

test('in direct mode the payer pays the merchant’s own account', async ({ browser, page, service }) => {
  const wallet = await openWallet(browser, service.url);
  const payment = await service.pay({ ...everyMethod, settlement_mode: 'direct' });
  const { settlement: place } = await service.client.account.retrieve();
  const { base_address: base, asset, amount } = await chooseAsset(page, service, payment, 'USDC');
  expect(base).toBe(place.stellar_address);
  const lab = stellarLab(service.url);
  const before = await lab.balance(place.stellar_address ?? '', asset);
  await scanAndPay(page, wallet);
  await isPaid(page);
  await picture(page, 'stellar-direct');
  expect(await lab.balance(place.stellar_address ?? '', asset)).toBeCloseTo(before + Number(amount), 6);
  await wallet.page.context().close();
});

test('Freighter is on another network, then refuses, then pays', async ({ page, service }) => {
  const lab = stellarLab(service.url);
  const freighter = await installFreighter(page, {
    network: 'PUBLIC',
    networkPassphrase: 'Public Global Stellar Network ; September 2015',
  });
  await lab.fund(freighter.key, assets.USDC);
  const payment = await service.pay(everyMethod);
  await chooseAsset(page, service, payment, 'USDC');
  await page.getByRole('button', { name: 'Pay with Freighter' }).click();
  await expect(page.getByText(/^Your wallet is on PUBLIC, this payment is on TESTNET/)).toBeVisible();
  await picture(page, 'freighter-elsewhere');
  expect(freighter.signed).toEqual([]);

  await freighter.set({ network: 'TESTNET', networkPassphrase: 'Test SDF Network ; September 2015', access: 'reject' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/did not let this page see your account/)).toBeVisible();
  await picture(page, 'freighter-refused');

  await freighter.set({ access: 'grant', signing: 'reject' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('radio', { name: /^USDC/ }).check();
  await page.getByRole('button', { name: 'Continue with USDC' }).click();
  await page.getByRole('button', { name: 'Confirm in Freighter' }).click();
  await expect(page.getByText(/You did not confirm in Freighter/)).toBeVisible();
  await picture(page, 'freighter-rejected');
  expect(freighter.signed).toEqual([]);

  await freighter.set({ signing: 'sign' });
  await page.getByRole('button', { name: 'Confirm in Freighter' }).click();
  await isPaid(page);
  await settled(service, payment);
});

test('a late deposit is kept, reported, and returned when the merchant decides so', async ({
  browser,
  page,
  service,
}) => {
  const wallet = await openWallet(browser, service.url);
  const payment = await service.pay(everyMethod);
  const { uri } = await chooseAsset(page, service, payment, 'XLM');
  await service.client.testHelpers.advanceClock({ advance: 'P2D' });
  const read = () => service.client.payments.retrieve(payment.id);
  await expect.poll(async () => (await read()).phase, ledgerTime).toBe('expired');
  await wallet.paste(uri ?? '');
  await wallet.confirm();
  await expect.poll(async () => (await read()).exception, ledgerTime).toBe('paid_late');
  await page.reload();
  await picture(page, 'stellar-paid-late');
  await wallet.home();
  const before = await wallet.balance('Lumens');
  await service.client.payments.resolve(payment.id, { action: 'refund' });
  await expect.poll(() => wallet.balance('Lumens'), ledgerTime).toBeGreaterThan(before + 100);
  await wallet.page.context().close();
});
