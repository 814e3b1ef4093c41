import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type SettlementLab, startSettlementLab } from '../settlement/settlement-lab.ts';

const { USDC } = sandboxAssets;
let lab: SettlementLab;
let own: string;
beforeAll(async () => {
  lab = await startSettlementLab({ PAY_TREASURY_TRANSACTION_CAPS: 'XLM=1000,*=1000000' });
  own = (await lab.openAccount(USDC)).publicKey();
  await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: own, schedule: 'manual' } } });
}, 60_000);
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const fund = (body: object) => lab.request('POST /v1/test_helpers/fund', { body });
const withdraw = (body: object) => lab.request('POST /v1/balance/withdrawals', { body });
const read = async (id: string) => (await lab.request(`GET /v1/balance/withdrawals/${id}`)).body;
const ended = async (id: string) => {
  await lab.until('it has ended', async () => (await read(id)).status !== 'pending');
  return await read(id);
};

describe('a withdrawal', { timeout: 30_000 }, () => {
  it('of an asset pays the merchant’s own account to the unit', async () => {
    await fund({ asset: 'USDC', amount: '30.5' });
    const { status, body } = await withdraw({ asset: 'USDC', amount: '30.0000001' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'withdrawal',
      status: 'pending',
      amount: '30.0000001',
      asset: USDC,
      currency: null,
      paid: { asset: USDC, amount: '30.0000001' },
      destination: { address: own, memo: null },
    });
    const done = await ended(body.id);
    expect(done).toMatchObject({ status: 'completed', delivery: 'payment', failure: null });
    expect(await lab.network.status(done.tx_hash)).toMatchObject({ ledger: done.ledger });
    expect(await lab.holds(own, USDC)).toBe('30.0000001');
    expect(await lab.eventsOf(body.id)).toEqual(['withdrawal.created', 'withdrawal.completed']);
    expect(await lab.balance()).toEqual({ [`available ${USDC}`]: 0.4999999 });
  });

  it('of a currency is converted to the settlement asset, money of kept payments included', async () => {
    const payment = await lab.createPaid();
    await lab.until('it is kept', async () => (await lab.balance())['available EUR'] === payment.amount);
    const before = Number(await lab.holds(own, USDC));
    const { body } = await withdraw({ currency: 'EUR', amount: payment.amount });
    expect(body.paid).toEqual({ asset: USDC, amount: payment.quote.settlement_amount });
    expect(await ended(body.id)).toMatchObject({ status: 'completed', amount: payment.amount, currency: 'EUR' });
    expect(Number(await lab.holds(own, USDC)) - before).toBeCloseTo(Number(payment.quote.settlement_amount), 6);
    expect((await lab.balance())['available EUR']).toBeUndefined();
  });

  it('goes to a named destination, by a claimable balance where the account lacks the trustline', async () => {
    await fund({ asset: 'USDC', amount: '2' });
    const other = (await lab.openAccount()).publicKey();
    const { body } = await withdraw({ amount: '2', destination: { address: other } });
    expect(await ended(body.id)).toMatchObject({ status: 'completed', delivery: 'claimable_balance' });
  });

  it.each([
    ['hash', 'AB'.repeat(32)],
    ['return', 'AB'.repeat(32)],
    ['hash', Buffer.alloc(32, 0xab).toString('base64')],
    ['id', '007'],
    ['text', 'Grüße'],
  ])('with the %s memo %s reaches the ledger, as do its neighbours', async (memo_type, memo) => {
    await fund({ asset: 'USDC', amount: '3' });
    const plain = (await withdraw({ asset: 'USDC', amount: '1' })).body;
    const { body } = await withdraw({ asset: 'USDC', amount: '2', destination: { address: own, memo, memo_type } });
    const canonical = { id: '7', text: 'Grüße' }[memo_type] ?? 'ab'.repeat(32);
    expect(body.destination).toEqual({ address: own, memo: canonical, memo_type });
    expect((await ended(plain.id)).status).toBe('completed');
    const done = await ended(body.id);
    expect(done.status).toBe('completed');
    const onLedger = await fetch(`${lab.url}/sandbox/horizon/transactions/${done.tx_hash}`);
    expect(await onLedger.json()).toMatchObject({
      memo_type,
      memo: canonical.length === 64 ? Buffer.from(canonical, 'hex').toString('base64') : canonical,
    });
  });

  it('that cannot be sent makes the money available again', async () => {
    await fund({ asset: 'XLM', amount: '5000' });
    const { body } = await withdraw({ asset: 'XLM', amount: '1000.0000001' });
    expect(body.status).toBe('pending');
    const failed = await ended(body.id);
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'over_cap' }, tx_hash: null });
    expect(await lab.eventsOf(body.id)).toEqual(['withdrawal.created', 'withdrawal.failed']);
    expect(await lab.balance()).toMatchObject({ 'available XLM': 5_000 });
    expect((await lab.balance())['reserved XLM']).toBeUndefined();
  });

  it('is refused without money, with amounts as people write them', async () => {
    const { status, body } = await withdraw({ currency: 'EUR', amount: 1_234_56 });
    expect([status, body.error.code, body.error.type]).toEqual([402, 'insufficient_funds', 'payment_error']);
    expect(body.error.message).toContain('0.00 EUR available, but 1234.56 EUR is needed');
    expect((await withdraw({ asset: 'XLM', amount: '9000' })).body.error.message).toContain(
      '9000.0000000 XLM is needed',
    );
  });

  it('reserves the money once, however many ask at once', async () => {
    await fund({ asset: 'EURC', amount: '10' });
    const account = (await lab.openAccount(sandboxAssets.EURC)).publicKey();
    const asked = { asset: 'EURC', amount: '7', destination: { address: account } };
    const answers = await Promise.all([withdraw(asked), withdraw(asked), withdraw(asked)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 402, 402]);
    const made = answers.find(({ status }) => status === 201);
    expect((await ended(made?.body.id)).status).toBe('completed');
    expect(await lab.holds(account, sandboxAssets.EURC)).toBe('7.0000000');
  });

  it.each([
    [{ asset: 'USDC', amount: '1', destination: { address: 'GNOT' } }, 'invalid_address', 'destination.address'],
    [
      { asset: 'XLM', amount: '1', destination: { address: Keypair.random().publicKey() } },
      'invalid_address',
      'destination',
    ],
    [
      { asset: 'USDC', amount: '1', destination: { address: Keypair.random().publicKey(), memo: '1' } },
      'parameter_invalid',
      'destination.memo',
    ],
    [{ currency: 'EUR', amount: '1' }, 'invalid_amount', 'amount'],
    [{ asset: 'USDC' }, 'parameter_missing', 'amount'],
  ])('refuses %j', async (body, code, param) => {
    expect(refusal(await withdraw(body))).toEqual([400, code, param]);
  });

  it('needs an account of the merchant, or a destination', async () => {
    const { secretKey: key } = await lab.addMerchant();
    const answer = await lab.request('POST /v1/balance/withdrawals', { key, body: { amount: '1' } });
    expect(refusal(answer)).toEqual([400, 'settlement_account_missing', 'destination']);
  });
});
