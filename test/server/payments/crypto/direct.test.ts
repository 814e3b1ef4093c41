import { Keypair, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { refusal } from '../payment-lab.ts';
import { askedOf, assetOf, type CryptoLab, cryptoOrder, percentOf, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
/** The merchant’s own account, which takes USDC. */
let shop: Keypair;
beforeAll(async () => {
  lab = await startCryptoLab();
  shop = await lab.openWallet('USDC');
}, 60_000);
afterAll(async () => {
  await lab?.expectSoundBooks();
  await lab?.close();
});

const direct = (changes: object = {}) => ({
  ...cryptoOrder,
  settlement_mode: 'direct',
  settlement_address: shop.publicKey(),
  ...changes,
});
const order = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  customer: { email: 'ada@example.com' },
};
const held = async (key: Keypair) =>
  (await lab.horizon.loadAccount(key.publicKey())).balances.find(
    balance => 'asset_code' in balance && balance.asset_code === 'USDC',
  )?.balance;

describe('a direct payment to the merchant’s account', () => {
  it('accepts only the merchant’s asset, at an address of that account', async () => {
    const { id } = await lab.create(direct());
    expect((await lab.options(id)).crypto?.assets.map(({ asset }) => asset)).toEqual([sandboxAssets.USDC]);
    expect(refusal(await lab.payInCrypto(id, 'XLM'))).toEqual([400, 'invalid_asset', 'asset']);
    const instructions = askedOf((await lab.payInCrypto(id)).body);
    expect(instructions).toMatchObject({ base_address: shop.publicKey(), amount: '139.9560000' });
  });

  it.each(['muxed', 'memo'])(
    'is paid by %s, settled when it is completed, and never in the service’s custody',
    async way => {
      const payment = await lab.createForCrypto(direct());
      const before = [await held(shop), await lab.balance()] as const;
      const { memo } = askedOf(payment);
      await lab.pay(payment, undefined, way === 'memo' ? { address: shop.publicKey(), memo: memo ?? '' } : {});
      const paid = await lab.read(payment.id);
      const [transfer] = (await lab.transfersOf('matched')).filter(({ payment: id }) => id === payment.id);
      expect(paid).toMatchObject({
        status: 'completed',
        phase: 'paid',
        amount_received: 12_840,
        exception: null,
        settlement: {
          status: 'settled',
          asset: 'USDC',
          amount: '139.9560000',
          failure: null,
          tx_hash: transfer?.tx_hash,
          ledger: expect.any(Number),
        },
      });
      expect(Number(await held(shop))).toBeCloseTo(Number(before[0]) + 139.956, 7);
      expect(await lab.balance()).toEqual(before[1]);
      expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed', 'payment.settled']);
    },
  );

  it('from a wallet with another asset delivers the merchant’s asset exactly', async () => {
    const wallet = await lab.openWallet();
    const payment = await lab.createForCrypto(direct());
    const before = Number(await held(shop));
    const { body } = await lab.makeTransaction(payment.id, wallet, 'XLM');
    await lab.signAndSubmit(payment.id, body, wallet);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    expect(Number(await held(shop))).toBeCloseTo(before + 139.956, 7);
  });

  it('may be partial, is completed by the last part, and can be accepted before', async () => {
    const payment = await lab.createForCrypto(direct());
    await lab.pay(payment, percentOf('139.9560000', 60));
    const short = await lab.read(payment.id);
    expect(short).toMatchObject({ phase: 'partially_paid', exception: 'underpaid', settlement: { status: 'none' } });
    const other = await lab.createForCrypto(direct());
    await lab.pay(other, percentOf('139.9560000', 60));
    expect((await lab.act(other.id, 'resolve', { action: 'accept' })).body).toMatchObject({
      status: 'completed',
      phase: 'paid',
      settlement: { status: 'settled' },
    });
    await lab.pay(short);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', settlement: { status: 'settled' } });
  });

  it('that is late is reported, and accepted without any transfer', async () => {
    const payment = await lab.createForCrypto(direct());
    lab.clock.advance(86_400);
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'expired', exception: 'paid_late' });
    expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).body).toMatchObject({
      status: 'completed',
      settlement: { status: 'settled' },
    });
  });

  it('cannot be refunded by the service', async () => {
    const payment = await lab.createForCrypto(direct());
    await lab.pay(payment);
    const answer = await lab.act(payment.id, 'refunds', {});
    expect(refusal(answer)).toEqual([409, 'illegal_state', null]);
    expect(answer.body.error.message).toContain('your own account');
  });

  it('may be paid by card as well, which is settled as usual', async () => {
    const payment = await lab.createPaid(direct());
    expect(payment.settlement).toMatchObject({ status: 'pending' });
  });

  it('without a payment is not listed', async () => {
    const before = await lab.transfersOf('unmatched');
    await lab.createForCrypto(direct());
    expect(await lab.send({ address: shop.publicKey(), amount: '5' })).toBeNull();
    expect(await lab.transfersOf('unmatched')).toEqual(before);
  });

  it('in an unrequested asset is reported, and not booked', async () => {
    await lab.transact(shop, [Operation.changeTrust({ asset: assetOf('EURC') })]);
    const payment = await lab.createForCrypto(direct());
    const before = await lab.balance();
    await lab.send({ address: askedOf(payment).address, asset: 'EURC', amount: '10' });
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'awaiting_funds', exception: 'wrong_asset' });
    expect(await lab.balance()).toEqual(before);
  });
});

describe('direct mode is refused', () => {
  it.each<[string, () => Promise<object> | object, string, string]>([
    ['without an account', () => ({ settlement_address: undefined }), 'parameter_missing', 'settlement_address'],
    ['for a muxed account', () => ({ settlement_address: askedMuxed }), 'invalid_address', 'settlement_address'],
    [
      'for the service’s own account',
      () => ({ settlement_address: lab.treasury }),
      'invalid_address',
      'settlement_address',
    ],
    [
      'for an account that does not exist',
      () => ({ settlement_address: Keypair.random().publicKey() }),
      'settlement_account_missing',
      'settlement_address',
    ],
    [
      'for an account without a trustline',
      async () => ({ settlement_address: (await lab.openWallet()).publicKey() }),
      'settlement_no_trustline',
      'settlement_address',
    ],
  ])('%s', async (_, changes, code, param) => {
    const body = { ...order, ...direct(), ...(await changes()) };
    expect(refusal(await lab.request('POST /v1/payments', { body }))).toEqual([400, code, param]);
  });
  const askedMuxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';

  it('for a payer when the account can no longer receive the asset', async () => {
    const fickle = await lab.openWallet();
    const line = { asset: assetOf('USDC') };
    await lab.transact(fickle, [Operation.changeTrust(line)]);
    const { id } = await lab.create(direct({ settlement_address: fickle.publicKey() }));
    await lab.transact(fickle, [Operation.changeTrust({ ...line, limit: '0' })]);
    // The assets that an account accepts are cached for ten seconds.
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
    try {
      expect(refusal(await lab.payInCrypto(id))).toEqual([400, 'settlement_no_trustline', 'settlement_address']);
      expect((await lab.options(id)).crypto?.assets).toEqual([]);
    } finally {
      later.mockRestore();
    }
  });
});
