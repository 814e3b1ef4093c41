import { Account, type Keypair, MuxedAccount, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../../src/api/payment.ts';
import type { Refund } from '../../../../src/api/refund.ts';
import type { Transfer } from '../../../../src/api/transfer.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { instructionsOf, refusal } from '../payment-lab.ts';
import { askedOf, assetOf, type CryptoLab, percentOf, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
let wallet: Keypair;
beforeAll(async () => {
  lab = await startCryptoLab();
  wallet = await lab.openWallet('USDC', 'EURC');
  await lab.send({ address: wallet.publicKey(), amount: '5000' });
}, 60_000);
afterAll(async () => {
  await lab?.expectSoundBooks();
  await lab?.close();
});

const whole = '139.9560000';
const act = (id: string, action: string, body: object = {}) =>
  lab.request(`POST /v1/transfers/${id}/${action}`, { body });
const held = async (key: Keypair, code: string): Promise<number> => {
  const { balances } = await lab.horizon.loadAccount(key.publicKey());
  return Number(balances.find(line => 'asset_code' in line && line.asset_code === code)?.balance);
};
/** The sweeps that receive and return money. All sweeps together take six times as long. */
const moneySweeps = [
  ...['payments.deposits', 'payments.expire', 'settlements', 'outbound.send', 'outbound.book'],
  ...['treasury', 'outbound.build.stellar', 'outbound.follow.stellar'],
];
/** Moves the clock and runs these sweeps until the condition holds. */
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  for (let look = 0; look < 100; look++) {
    if (await condition()) return;
    lab.clock.advance(5);
    await lab.sweep(...moneySweeps);
    await new Promise(resolve => setTimeout(resolve, 30));
  }
  throw new Error('the condition did not hold in time');
};
/** Sends money from the wallet. Returns the service's transfer. */
async function sent(to: string, amount: string, code = 'USDC', source?: string): Promise<Transfer> {
  const payment = { destination: to, asset: assetOf(code), amount };
  const hash = await lab.transact(wallet, [Operation.payment(source === undefined ? payment : { ...payment, source })]);
  const find = async () => {
    const { data } = (await lab.request('GET /v1/transfers?limit=20')).body;
    return data.find((transfer: Transfer) => transfer.tx_hash === hash);
  };
  await lab.until(async () => (await find()) !== undefined);
  return await find();
}
const read = async (id: string): Promise<Transfer> => {
  const { data } = (await lab.request('GET /v1/transfers?limit=100')).body;
  return data.find((transfer: Transfer) => transfer.id === id);
};
const paidBy = async (payment: Payment, amount = whole) => {
  await sent(askedOf(payment).address, amount);
  return await lab.read(payment.id);
};

describe('an unmatched deposit', () => {
  it('is assigned to its payment, at the quoted price', async () => {
    const payment = await lab.createForCrypto();
    const { id } = await sent(lab.treasury, whole);
    const before = await lab.balance();
    const answer = await act(id, 'assign', { payment_id: payment.id });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { id, status: 'matched', payment: payment.id, amount_applied: 12_840 },
    ]);
    const paid = await lab.read(payment.id);
    expect(paid).toMatchObject({ status: 'completed', exception: null, method: 'crypto' });
    const part = { method: 'crypto', rail: null, chain: 'stellar', asset: sandboxAssets.USDC, amount: whole };
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(paid.received).toMatchObject([{ ...part, credited: 12_840, card: null, tx_hash: hash }]);
    expect(await lab.eventsOf(id)).toEqual(['transfer.unmatched', 'transfer.assigned']);
    const after = await lab.balance();
    expect(after['pending EUR']).toBe((before['pending EUR'] ?? 0) + 12_840);
    const kept = `suspense ${sandboxAssets.USDC}`;
    expect((before[kept] ?? 0) - (after[kept] ?? 0)).toBeCloseTo(139.956, 7);
    expect((await act(id, 'assign', { payment_id: payment.id })).status).toBe(200);
    expect((await lab.read(payment.id)).amount_received).toBe(12_840);
  });

  it('is assigned as a partial payment, with the remaining amount', async () => {
    const payment = await lab.createForCrypto();
    const { id } = await sent(lab.treasury, percentOf(whole, 40));
    await act(id, 'assign', { payment_id: payment.id });
    const after = await lab.read(payment.id);
    expect([after.phase, askedOf(after).amount]).toEqual(['partially_paid', percentOf(whole, 60)]);
    await lab.pay(after);
    expect((await lab.read(payment.id)).status).toBe('completed');
  });

  it('at a bank is assigned as well', async () => {
    const payment = await lab.createForBank({ amount: 4_711 });
    expect(instructionsOf(payment).amount).toBe(4_711);
    const { body } = await lab.credit({ reference: 'sorry, I forgot', amount: 4_700 });
    expect(body.status).toBe('unmatched');
    await act(body.id, 'assign', { payment_id: payment.id });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 4_700 });
  });

  it.each<[string, () => Promise<[string, string]>, number, string]>([
    ['to an unknown payment', async () => [(await sent(lab.treasury, '1')).id, 'pay_nobody'], 404, 'resource_missing'],
    ['when its id is unknown', async () => ['tr_nobody', (await lab.createForCrypto()).id], 404, 'resource_missing'],
    [
      'to a payment without a quote in its asset',
      async () => [(await sent(lab.treasury, '1', 'EURC')).id, (await lab.createForCrypto()).id],
      409,
      'illegal_state',
    ],
    [
      'when it counts already',
      async () => {
        const payment = await lab.createForCrypto();
        const { id } = await sent(askedOf(payment).address, '1');
        return [id, (await lab.createForCrypto()).id];
      },
      409,
      'illegal_state',
    ],
  ])('is not assigned %s', async (_, make, status, code) => {
    const [id, paymentId] = await make();
    const answer = await act(id, 'assign', { payment_id: paymentId });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  it('is returned to its sender, once, however often this is requested', async () => {
    const before = await held(wallet, 'USDC');
    const { id, sender } = await sent(lab.treasury, '12.5000000');
    expect(sender).toBe(wallet.publicKey());
    const answers = await Promise.all([1, 2, 3].map(() => act(id, 'return')));
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'returning']));
    await until(async () => (await read(id)).status === 'returned');
    expect(await held(wallet, 'USDC')).toBeCloseTo(before, 7);
    expect(await lab.eventsOf(id)).toEqual(['transfer.unmatched', 'transfer.returned']);
    expect((await act(id, 'return')).body.status).toBe('returned');
    const assigned = await act(id, 'assign', { payment_id: (await lab.createForCrypto()).id });
    expect(assigned.body.error.code).toBe('illegal_state');
  });

  it('is sent to the merchant’s chosen address', async () => {
    const friend = await lab.openWallet('USDC');
    const before = await held(friend, 'USDC');
    const { id } = await sent(lab.treasury, '3.0000000');
    await act(id, 'return', { destination: { address: friend.publicKey(), memo: '42', memo_type: 'id' } });
    await until(async () => (await read(id)).status === 'returned');
    expect(await held(friend, 'USDC')).toBeCloseTo(before + 3, 7);
  });

  it('returns to the sender’s muxed address', async () => {
    const muxed = new MuxedAccount(new Account(wallet.publicKey(), '0'), '4711').accountId();
    const { id, sender } = await sent(lab.treasury, '2.0000000', 'USDC', muxed);
    expect(sender).toBe(muxed);
    await act(id, 'return');
    await until(async () => (await read(id)).status === 'returned');
    const { records } = await lab.horizon.payments().forAccount(wallet.publicKey()).order('desc').limit(1).call();
    expect(records[0]).toMatchObject({ from: lab.treasury, to_muxed: muxed, amount: '2.0000000' });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['an invalid address', { address: 'nowhere' }, 'invalid_address', 'destination.address'],
    ['no address', { memo: '1', memo_type: 'id' }, 'invalid_address', 'destination.address'],
    ['a memo without its type', { address: 'wallet', memo: '1' }, 'parameter_invalid', 'destination.memo'],
    [
      'a memo of no type',
      { address: 'wallet', memo: '1', memo_type: 'number' },
      'parameter_invalid',
      'destination.memo_type',
    ],
    [
      'too long a text',
      { address: 'wallet', memo: 'x'.repeat(29), memo_type: 'text' },
      'parameter_invalid',
      'destination.memo',
    ],
    ['an invalid id', { address: 'wallet', memo: '-1', memo_type: 'id' }, 'parameter_invalid', 'destination.memo'],
    ['a bank account', { address: 'wallet', iban: 'DE00' }, 'parameter_invalid', 'destination.iban'],
  ])('is not sent to %s', async (_, given, code, param) => {
    const { id } = await sent(lab.treasury, '0.1000000');
    const address = given['address'] === 'wallet' ? { address: wallet.publicKey() } : {};
    expect(refusal(await act(id, 'return', { destination: { ...given, ...address } }))).toEqual([400, code, param]);
    expect((await read(id)).status).toBe('unmatched');
  });

  it('that cannot be delivered can be decided again by the merchant', async () => {
    const bare = await lab.openWallet();
    const { id } = await sent(lab.treasury, '1.5000000');
    await act(id, 'return', { destination: { address: bare.publicKey() } });
    await until(async () => (await read(id)).status === 'unmatched');
    expect((await read(id)).failure).toMatchObject({ code: 'no_trustline' });
    expect(await lab.eventsOf(id)).toEqual(['transfer.unmatched', 'transfer.return_failed']);
    expect((await act(id, 'return')).body).toMatchObject({ status: 'returning', failure: null });
    await until(async () => (await read(id)).status === 'returned');
  });

  it('at a bank is returned as well', async () => {
    const { body } = await lab.credit({ reference: 'no idea', amount: 1_234, sender_name: 'Ada Lovelace' });
    expect((await act(body.id, 'return')).body.status).toBe('returning');
    await until(async () => (await read(body.id)).status === 'returned');
  });

  it('does not exist for another merchant', async () => {
    const { id } = await sent(lab.treasury, '0.2000000');
    const { secretKey: key } = await lab.addMerchant();
    const answer = await lab.request(`POST /v1/transfers/${id}/return`, { key, body: {} });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'resource_missing']);
  });
});

describe('a deposit that does not count', () => {
  it.each([
    ['a wrong asset', 'EURC', 'wrong_asset', null],
    ['a wrong asset beside dust', 'EURC', 'wrong_asset', 'in time'],
    ['late money beside dust', 'USDC', 'paid_late', 'in time'],
    ['late money beside late dust', 'USDC', 'paid_late', 'late'],
  ] as const)('is returned, and clears the payment’s exception: %s', async (_, code, exception, dust) => {
    const before = await held(wallet, code);
    const payment = await lab.createForCrypto();
    const { address } = askedOf(payment);
    if (dust === 'in time') await lab.pay(payment, '0.0109000');
    if (exception === 'paid_late') lab.clock.advance(900 + 601);
    if (dust === 'late') await lab.pay(payment, '0.0109000');
    const { id } = await sent(address, '7.0000000', code);
    expect((await lab.read(payment.id)).exception).toBe(exception);
    expect((await act(id, 'return')).body).toMatchObject({ status: 'returning', payment: payment.id });
    await until(async () => (await read(id)).status === 'returned');
    expect(await held(wallet, code)).toBeCloseTo(before, 7);
    const amount = dust === 'in time' ? 1 : 0;
    expect(await lab.read(payment.id)).toMatchObject({
      exception: null,
      phase: 'awaiting_funds',
      amount_received: amount,
    });
  });

  it('that counts is refunded, not returned', async () => {
    const payment = await lab.createForCrypto();
    const { id } = await sent(askedOf(payment).address, whole);
    expect(refusal(await act(id, 'return'))).toEqual([409, 'illegal_state', null]);
  });
});

describe('a refund of a crypto payment', () => {
  const refunded = async (id: string, body: object = {}): Promise<Refund> => {
    const answer = await lab.act(id, 'refunds', body);
    expect(answer.status, answer.text).toBe(201);
    const find = async (): Promise<Refund> =>
      (await lab.request(`GET /v1/payments/${id}/refunds`)).body.data.find((one: Refund) => one.id === answer.body.id);
    await until(async () => (await find()).status !== 'pending');
    return await find();
  };

  it('goes to the sender, in the received asset', async () => {
    const before = await held(wallet, 'USDC');
    const payment = await paidBy(await lab.createForCrypto());
    expect(await refunded(payment.id)).toMatchObject({
      status: 'completed',
      amount: 12_840,
      requires_destination: false,
    });
    expect(await held(wallet, 'USDC')).toBeCloseTo(before, 7);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'refunded', amount_refunded: 12_840 });
  });

  it('in parts never exceeds the received amount', async () => {
    const before = await held(wallet, 'USDC');
    const payment = await paidBy(await lab.createForCrypto());
    await refunded(payment.id, { amount: 4_280 });
    expect(await held(wallet, 'USDC')).toBeCloseTo(before - 139.956 + 46.652, 7);
    expect(refusal(await lab.act(payment.id, 'refunds', { amount: 8_561 }))).toEqual([
      ...[400, 'refund_exceeds_payment', 'amount'],
    ]);
    await refunded(payment.id);
    expect(await held(wallet, 'USDC')).toBeCloseTo(before, 7);
  });

  it('goes to the merchant’s chosen address', async () => {
    const friend = await lab.openWallet('USDC');
    const payment = await paidBy(await lab.createForCrypto());
    const wrong = await lab.act(payment.id, 'refunds', { destination: { address: 'me' } });
    expect(refusal(wrong)).toEqual([400, 'invalid_address', 'destination.address']);
    await refunded(payment.id, { destination: { address: friend.publicKey() } });
    expect(await held(friend, 'USDC')).toBeCloseTo(639.956, 7);
  });

  it('returns a surplus', async () => {
    const before = await held(wallet, 'USDC');
    const payment = await paidBy(await lab.createForCrypto(), '159.9560000');
    expect(payment.exception).toBe('overpaid');
    await lab.act(payment.id, 'resolve', { action: 'refund' });
    await until(async () => (await lab.read(payment.id)).amount_refunded > 0);
    expect(await held(wallet, 'USDC')).toBeCloseTo(before - 139.956, 1);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', phase: 'paid' });
  });

  it('returns a late deposit', async () => {
    const before = await held(wallet, 'USDC');
    const payment = await lab.createForCrypto();
    lab.clock.advance(86_400);
    await paidBy(payment);
    await lab.act(payment.id, 'resolve', { action: 'refund' });
    await until(async () => (await lab.read(payment.id)).amount_refunded > 0);
    expect(await held(wallet, 'USDC')).toBeCloseTo(before, 7);
  });
});
