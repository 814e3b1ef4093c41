import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHorizon, openPayees, readTakings } from '../../../demo/server/wallet/wallet-server.ts';
import { createPayClient, type PayClient } from '../../../src/api/client.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listen, startTestApp, type TestApp } from '../../support/app.ts';
import { assets } from '../../support/stellar-lab.ts';

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
const open = () => openPayees({ horizon: horizon(), clock: systemClock, secretKey: app.merchant.secretKey }, 1);

it('shows no takings without a settlement account', async () => {
  expect(await readTakings(horizon(), client)).toMatchObject({ account: null, movements: [] });
});

it('opens payees that hold USDC once, and shows the takings of an account', async () => {
  const [address = ''] = await open();
  await client.account.update({ settlement: { stellar_address: address } });
  expect(await open()).toEqual([address]);
  const { account, movements } = await readTakings(horizon(), client);
  expect(account?.holdings.map(({ asset }) => asset)).toEqual(['XLM', assets.USDC]);
  expect(movements).toMatchObject([{ direction: 'in', asset: 'XLM', amount: '10000.0000000' }]);
});
