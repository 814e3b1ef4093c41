import { Claimant, Keypair, Operation } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWalletServer, type WalletServer } from '../../../demo/server/wallet/wallet-server.ts';
import type { Draft, DraftWish, History, PayWays, Progress, WalletAccount } from '../../../demo/wallet-messages.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listen, startTestApp, type TestApp } from '../../support/app.ts';
import { assetOf, assets, type StellarLab, stellarLab } from '../../support/stellar-lab.ts';
import { createTreasuryDatabase } from '../../support/treasury-database.ts';

let app: TestApp;
let lab: StellarLab;
let server: WalletServer;
let url = '';

beforeAll(async () => {
  const settings = { PAY_SANDBOX_LEDGER_MS: '200' };
  const database = await createTreasuryDatabase('running');
  app = await startTestApp({ database, settings, clock: systemClock, sweeping: true, publicUrl: () => url });
  url = `http://127.0.0.1:${await listen(app)}`;
  lab = stellarLab(url);
  const horizonUrl = () => `${url}/sandbox/horizon`;
  server = createWalletServer({ horizonUrl, fetch: (to, init) => fetch(to, init), clock: systemClock });
});
afterAll(() => app?.close());

async function ask<T>(path: string, body?: unknown): Promise<T & { code?: string; message?: string }> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await server(
    new Request(`http://shop.example/demo/api/wallet${path}`, body === undefined ? {} : init),
  );
  return (await answer.json()) as T & { code?: string; message?: string };
}

/** Signs as the page does, and waits for the ledger. */
async function signed(key: Keypair, { hash, envelopeXdr, expiresAt }: Draft): Promise<Progress> {
  const signature = Buffer.from(key.sign(Buffer.from(hash, 'hex'))).toString('base64');
  let progress = await ask<Progress>('/submissions', { from: key.publicKey(), envelopeXdr, signature });
  const until = expiresAt === null ? '' : `?until=${encodeURIComponent(expiresAt)}`;
  while (progress.state === 'waiting') progress = await ask<Progress>(`/transactions/${hash}${until}`);
  return progress;
}

const draft = (wish: DraftWish) => ask<Draft>('/drafts', wish);

async function someone(...held: string[]): Promise<Keypair> {
  const key = Keypair.random();
  await ask('/lumens', { from: key.publicKey() });
  for (const asset of held) await signed(key, await draft({ kind: 'test_money', from: key.publicKey(), asset }));
  return key;
}

describe('an account', () => {
  it('does not exist, is created by the faucet, and receives more', async () => {
    const address = Keypair.random().publicKey();
    expect(await ask<WalletAccount>(`/accounts/${address}`)).toMatchObject({ exists: false, holdings: [] });
    await ask('/lumens', { from: address });
    const account = await ask<WalletAccount>('/lumens', { from: address });
    expect(account).toMatchObject({ exists: true, reserve: '1.0000000' });
    expect(account.holdings[0]).toMatchObject({ asset: 'XLM', name: 'Lumens', balance: '19999.9999900' });
    const { movements } = await ask<History>(`/accounts/${address}/history`);
    expect(movements.map(({ direction, amount }) => [direction, amount])).toEqual([
      ['in', '9999.9999900'],
      ['in', '10000.0000000'],
    ]);
  });

  it("shows the faucet's gifts by name, and a growing reserve", async () => {
    const key = await someone(assets.USDC);
    const account = await ask<WalletAccount>(`/accounts/${key.publicKey()}`);
    expect(account.holdings).toMatchObject([
      { asset: 'XLM', spendable: '9998.4999800' },
      { asset: assets.USDC, name: 'Test dollars', balance: '500.0000000', spendable: '500.0000000' },
    ]);
    expect(account.reserve).toBe('1.5000000');
  });

  it('claims a claimable balance', async () => {
    const [giver, taker] = [await someone(assets.EURC), await someone()];
    const claimants = [new Claimant(taker.publicKey())];
    await lab.submit(giver, [
      Operation.createClaimableBalance({ asset: assetOf(assets.EURC), amount: '12.5', claimants }),
    ]);
    const before = await ask<WalletAccount>(`/accounts/${taker.publicKey()}`);
    expect(before.claimableBalances).toMatchObject([{ asset: assets.EURC, amount: '12.5000000' }]);
    const [claim] = before.claimableBalances;
    if (!claim) throw new Error('nothing is set aside');
    const taking = await draft({ kind: 'claim', from: taker.publicKey(), claim });
    expect(await signed(taker, taking)).toMatchObject({ state: 'applied' });
    const after = await ask<WalletAccount>(`/accounts/${taker.publicKey()}`);
    expect(after).toMatchObject({
      claimableBalances: [],
      holdings: [{}, { asset: assets.EURC, balance: '12.5000000' }],
    });
  });
});

describe('a payment', () => {
  const wish = (to: Keypair, asset: string, amount: string) => ({ to: to.publicKey(), asset, amount, memo: null });

  it('is offered from each holding, the requested asset first, and delivers the exact amount', async () => {
    const [payer, payee] = [await someone(assets.USDC, assets.EURC), await someone(assets.USDC)];
    const from = payer.publicKey();
    const asked = wish(payee, assets.USDC, '20');
    const { ways } = await ask<PayWays>('/ways', { from, wish: asked, network: null });
    expect(ways.map(({ asset }) => asset)).toEqual([assets.USDC, 'XLM', assets.EURC]);
    for (const way of ways) {
      expect(Number(way.atMost) / Number(way.amount)).toBeCloseTo(way.asset === assets.USDC ? 1 : 1.01, 6);
      const payment = await draft({ kind: 'payment', from, wish: asked, way });
      expect(payment.steps).toEqual([expect.stringMatching(/^Pays 20 USDC to/)]);
      expect(await signed(payer, payment)).toMatchObject({ state: 'applied' });
    }
    expect(await lab.balance(payee.publicKey(), assets.USDC)).toBe(560);
    const { movements } = await ask<History>(`/accounts/${from}/history`);
    expect(movements[0]).toMatchObject({ direction: 'out', amount: '20.0000000', spent: { asset: assets.EURC } });
  });

  it('is refused with a message for each problem', async () => {
    const [payer, bare] = [await someone(assets.USDC), await someone()];
    const from = payer.publicKey();
    const unknown = Keypair.random();
    const cases = [
      [wish(bare, assets.USDC, '1'), null, 'receiver_asset_missing'],
      [wish(unknown, assets.USDC, '1'), null, 'receiver_missing'],
      [wish(unknown, 'XLM', '0.9999999'), null, 'receiver_missing'],
      [wish(bare, 'XLM', '1'), 'Public Global Stellar Network ; September 2015', 'wrong_network'],
      [{ ...wish(bare, 'XLM', '1'), to: `${from.slice(0, -1)}${from.endsWith('A') ? 'B' : 'A'}` }, null, 'unreadable'],
      [wish(bare, 'XLM', '1e3'), null, 'unreadable'],
    ] as const;
    for (const [asked, network, code] of cases) {
      expect(await ask('/ways', { from, wish: asked, network }), code).toMatchObject({ code });
    }
    for (const amount of ['0', '999999999999']) {
      const way = { asset: 'XLM', amount, atMost: amount, path: [], spendable: '50000' };
      expect(await draft({ kind: 'payment', from, wish: wish(bare, 'XLM', amount), way })).toMatchObject({
        code: 'unreadable',
      });
    }
    const direct = { asset: 'XLM', amount: '50000', atMost: '50000', path: [], spendable: '50000' };
    const tooMuch = await draft({ kind: 'payment', from, wish: wish(bare, 'XLM', '50000'), way: direct });
    expect(await signed(payer, tooMuch)).toMatchObject({ state: 'failed', problem: { code: 'underfunded' } });
    const cheap = { asset: 'XLM', amount: '1', atMost: '1', path: [], spendable: '50000' };
    const moved = await draft({ kind: 'payment', from, wish: wish(payer, assets.USDC, '100'), way: cheap });
    expect(await signed(payer, moved)).toMatchObject({ state: 'failed', problem: { code: 'price_moved' } });
  });

  it('is made once when it is submitted repeatedly, and not with another account’s signature', async () => {
    const [payer, payee] = [await someone(), await someone()];
    const from = payer.publicKey();
    const way = { asset: 'XLM', amount: '3', atMost: '3', path: [], spendable: '9999' };
    const payment = await draft({ kind: 'payment', from, wish: wish(payee, 'XLM', '3'), way });
    const wrong = Buffer.from(payee.sign(Buffer.from(payment.hash, 'hex'))).toString('base64');
    const { envelopeXdr } = payment;
    expect(await ask('/submissions', { from, envelopeXdr, signature: wrong })).toMatchObject({ code: 'unreadable' });
    expect(await signed(payer, payment)).toMatchObject({ state: 'applied' });
    expect(await signed(payer, payment)).toMatchObject({ state: 'applied' });
    expect(await lab.balance(payee.publicKey(), 'XLM')).toBe(10_003);
  });

  it('is pending until a ledger closes after its time bound', async () => {
    const hash = 'ab'.repeat(32);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await ask(`/transactions/${hash}?until=${later}`)).toMatchObject({ state: 'waiting' });
    expect(await ask(`/transactions/${hash}`)).toMatchObject({ state: 'waiting' });
    const gone = await ask(`/transactions/${hash}?until=2026-01-01T00:00:00Z`);
    expect(gone).toMatchObject({ state: 'failed', problem: { code: 'expired' } });
  });
});

it('reports a missing test network', async () => {
  const nowhere = createWalletServer({
    horizonUrl: () => `${url}/nowhere`,
    fetch: (to, init) => fetch(to, init),
    clock: systemClock,
  });
  const body = JSON.stringify({ kind: 'add_asset', from: Keypair.random().publicKey(), asset: assets.USDC });
  const headers = { 'Content-Type': 'application/json' };
  const request = new Request('http://shop.example/demo/api/wallet/drafts', { method: 'POST', headers, body });
  const answer = await nowhere(request);
  expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: 'no_network' })]);
});
