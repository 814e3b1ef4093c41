import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHorizon, openSettlementAccount, readTakings } from '../../../demo/server/wallet/wallet-server.ts';
import { createPayClient, type PayClient } from '../../../src/api/client.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listen, startTestApp, type TestApp } from '../../support/app.ts';
import { assets, stellarLab } from '../../support/stellar-lab.ts';

let app: TestApp;
let client: PayClient;
let url = '';

beforeAll(async () => {
  app = await startTestApp({ settings: { PAY_SANDBOX_LEDGER_MS: '200' }, clock: systemClock, publicUrl: () => url });
  url = `http://127.0.0.1:${await listen(app)}`;
  client = createPayClient({ baseUrl: url, apiKey: app.merchant.secretKey });
});
afterAll(() => app?.close());

const horizon = () =>
  createHorizon(
    () => `${url}/sandbox/horizon`,
    (to, init) => fetch(to, init),
  );
const open = () =>
  openSettlementAccount({ client, horizon: horizon(), clock: systemClock, secretKey: app.merchant.secretKey });
const address = async () => (await client.account.retrieve()).settlement.stellar_address;

it('shows no payments before the account exists', async () => {
  expect(await readTakings(horizon(), client)).toMatchObject({ account: null, movements: [] });
});

it('opens an account with all trustlines, and continues with it after an interrupted start', async () => {
  await open();
  const given = (await address()) ?? '';
  const { account, movements } = await readTakings(horizon(), client);
  expect(account?.holdings.map(({ asset }) => asset)).toEqual(
    expect.arrayContaining(['XLM', ...Object.values(assets)]),
  );
  expect(movements).toMatchObject([{ direction: 'in', asset: 'XLM', amount: '10000.0000000' }]);

  await client.account.update({ settlement: { stellar_address: null } });
  await open();
  expect(await address()).toBe(given);
  expect(await stellarLab(url).balance(given, 'XLM')).toBeGreaterThan(9_999);
});

it('keeps an address that the shop’s owner has set', async () => {
  const own = Keypair.random();
  await stellarLab(url).fund(own, assets.USDC);
  await client.account.update({ settlement: { stellar_address: own.publicKey() } });
  await open();
  expect(await address()).toBe(own.publicKey());
});
