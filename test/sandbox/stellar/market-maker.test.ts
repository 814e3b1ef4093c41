import { Asset, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf, issuerOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;

beforeAll(async () => {
  lab = await startStellarLab();
}, 60_000);
afterAll(() => lab.close());

const [xlm, usdc] = [Asset.native(), assetOf('USDC')];
const asks = async () =>
  (await lab.sdk.orderbook(xlm, usdc).call()).asks.map(({ price, amount }) => ({ price, amount }));

/** Buys XLM for an amount of dollars, at any price. */
async function buy(dollars: string): Promise<void> {
  const buyer = await lab.newAccount();
  await lab.send(buyer, [Operation.changeTrust({ asset: usdc })]);
  const destination = buyer.publicKey();
  const issuer = issuerOf('USDC');
  const gift = Operation.payment({ source: issuer.publicKey(), destination, asset: usdc, amount: dollars });
  await lab.send(buyer, [gift], { signers: [issuer] });
  await lab.send(buyer, [
    Operation.pathPaymentStrictSend({
      sendAsset: usdc,
      sendAmount: dollars,
      destination,
      destAsset: xlm,
      destMin: '1',
      path: [],
    }),
  ]);
}

describe('the market maker', () => {
  it('restores bought offers at the same prices', async () => {
    const before = await asks();
    expect(before.length).toBeGreaterThanOrEqual(4);
    await buy('450000');
    const left = (await asks()).reduce((sum, { amount }) => sum + Number(amount), 0);
    await expect.poll(asks, { timeout: 5_000 }).toEqual(before);
    expect(left).toBeLessThan(before.reduce((sum, { amount }) => sum + Number(amount), 0) + 1);
  }, 20_000);

  it('keeps offers that are only slightly reduced', async () => {
    const before = await asks();
    await buy('1000');
    await lab.send(await lab.newAccount(), [Operation.manageData({ name: 'wait', value: 'a ledger' })]);
    const after = await asks();
    expect(after.slice(1)).toEqual(before.slice(1));
    expect(Number(before[0]?.amount) - Number(after[0]?.amount)).toBeCloseTo(1000 / Number(before[0]?.price), -1);
  }, 20_000);
});
