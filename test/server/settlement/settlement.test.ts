import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/core/money.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { muxedAddress } from '../../../src/server/stellar/transaction/muxed-address.ts';
import { memoRequiredEntry } from '../../../src/server/stellar/transaction/operation.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const { USDC, EURC } = sandboxAssets;
let lab: SettlementLab;
let merchant: string;
beforeAll(async () => {
  lab = await startSettlementLab();
  merchant = (await lab.openAccount(USDC)).publicKey();
}, 60_000);
afterEach(() => lab.expectSoundBooks());
afterAll(() => lab.close());

const settledEvents = async (id: string) => (await lab.eventsOf(id)).filter(type => type.startsWith('payment.settle'));

const owed = async (): Promise<number> => {
  const { receivable } = (await lab.request('GET /v1/balance')).body;
  return receivable.find(({ currency }: { currency: string }) => currency === 'EUR')?.amount ?? 0;
};

const waitsForAddress = (id: string) =>
  lab.until('the settlement waits for an address', async () => {
    const waiting = 'select id from payments where id = $1 and settlement_due_at is null';
    return (await lab.database.pool.query(waiting, [id])).rowCount === 1;
  });

/** The bank decides the payment's dispute for the merchant. */
async function win(payment: string): Promise<void> {
  const { data } = (await lab.request(`GET /v1/disputes?payment=${payment}`)).body;
  const body = { explanation: 'It was delivered.' };
  expect((await lab.request(`POST /v1/disputes/${data[0].id}/evidence`, { body })).status).toBe(200);
  await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
}

describe('a completed payment', { timeout: 30_000 }, () => {
  it('is settled on the ledger, exact to the stroop, with one event', async () => {
    const payment = await lab.createPaid({ settlement_address: merchant });
    const { settlement } = await lab.settledPayment(payment.id);
    const amount = payment.quote.settlement_amount;
    expect(settlement).toMatchObject({ status: 'settled', amount, delivery: 'payment', failure: null });
    expect(await lab.holds(merchant, USDC)).toBe(amount);
    expect(await lab.network.status(settlement.tx_hash ?? '')).toMatchObject({ ledger: settlement.ledger });
    expect(await settledEvents(payment.id)).toEqual(['payment.settled']);
    expect(await lab.balance()).toEqual({});
  });

  it('is settled in any requested asset, and to a muxed address', async () => {
    const account = (await lab.openAccount(EURC)).publicKey();
    const payment = await lab.createPaid({
      settlement_asset: 'EURC',
      settlement_address: muxedAddress(account, 42n),
    });
    await lab.settledPayment(payment.id);
    expect(await lab.holds(account, EURC)).toBe(payment.quote.settlement_amount);
  });

  it('stays in the balance until the merchant sets an address, with that reason', async () => {
    const { client_secret: secret, ...payment } = await lab.create();
    await lab.payByCard(payment.id);
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'pending', tx_hash: null });
    await lab.until(
      'it is reported',
      async () => (await lab.read(payment.id)).settlement.failure?.code === 'no_address',
    );
    const remarks = async () => (await lab.request('GET /readyz', { key: null })).body.remarks?.join() ?? '';
    await lab.until('it is on /readyz', async () => (await remarks()).includes('1 payment waits for it'));
    const { settlement } = await lab.read(payment.id);
    expect(settlement).toMatchObject({
      status: 'pending',
      amount: payment.quote.settlement_amount,
      failure: { message: expect.stringContaining('settlement.stellar_address') },
    });
    const asPayer = { key: null, headers: { authorization: `Bearer ${secret}` } };
    const { body: seen } = await lab.request(`GET /v1/payments/${payment.id}`, asPayer);
    expect(seen.settlement).toEqual({ ...settlement, failure: null });
    expect(await lab.balance()).toEqual({ 'pending EUR': payment.amount });
    const account = (await lab.openAccount(USDC)).publicKey();
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: account } } });
    expect((await lab.settledPayment(payment.id)).settlement.failure).toBeNull();
    expect(await lab.holds(account, USDC)).toBe(payment.quote.settlement_amount);
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: null } } });
  });

  it('is settled after a won dispute, although the address came later than the return', async () => {
    const payment = await lab.createPaid();
    await waitsForAddress(payment.id);
    const disputing = await lab.request('POST /v1/test_helpers/cards/disputes', {
      body: { payment: payment.id, amount: payment.amount },
    });
    expect(disputing.status).toBe(201);
    await lab.request('PATCH /v1/account', { body: { settlement: { schedule: 'automatic' } } });
    await lab.until('nothing is left to settle', async () => (await lab.read(payment.id)).settlement.status === 'none');
    await win(payment.id);
    await lab.until('the amount is back', async () => (await lab.read(payment.id)).amount_disputed === 0);
    await waitsForAddress(payment.id);
    const account = (await lab.openAccount(USDC)).publicKey();
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: account } } });
    try {
      await lab.settledPayment(payment.id);
    } finally {
      await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: null } } });
    }
  });

  it('is settled for the captured part of an authorized card, at the quote of the authorization', async () => {
    const account = (await lab.openAccount(USDC)).publicKey();
    const { id, amount, quote } = await lab.create({ capture_method: 'manual', settlement_address: account });
    expect((await lab.payByCard(id)).body.phase).toBe('authorized');
    expect((await lab.act(id, 'capture', { amount: amount / 4 })).status).toBe(200);
    const part = formatUnits((parseUnits(quote.settlement_amount, 7) ?? 0n) / 4n, 7);
    expect((await lab.settledPayment(id)).settlement.amount).toBe(part);
    expect(await lab.holds(account, USDC)).toBe(part);
  });

  it('is settled for the amount kept', async () => {
    const account = (await lab.openAccount(USDC)).publicKey();
    const payment = await lab.createPaid();
    await lab.refund(payment.id, { amount: payment.amount / 4 });
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: account } } });
    const settled = await lab.settledPayment(payment.id);
    const kept = formatUnits(((parseUnits(payment.quote.settlement_amount, 7) ?? 0n) * 3n) / 4n, 7);
    expect(settled.settlement.amount).toBe(kept);
    expect(await lab.holds(account, USDC)).toBe(kept);
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: null } } });
  });

  it('is settled without an earlier dispute, and a later one makes a negative balance', async () => {
    const account = (await lab.openAccount(USDC)).publicKey();
    const payment = await lab.createPaid();
    const dispute = async ({ id }: { id: string }, amount: number) =>
      (await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment: id, amount } })).status;
    expect(await dispute(payment, 2_840)).toBe(201);
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: account } } });
    const settled = await lab.settledPayment(payment.id);
    expect(await lab.holds(account, USDC)).toBe('109.0000000');
    expect(settled.settlement.amount).toBe('109.0000000');
    const { data } = (await lab.request(`GET /v1/events?resource=${payment.id}&type=payment.settled`)).body;
    expect(data[0].data.object.settlement.amount).toBe('109.0000000');
    const later = await lab.createPaid();
    await lab.settledPayment(later.id);
    const before = await owed();
    expect(await dispute(later, 10_000)).toBe(201);
    expect((await owed()) - before).toBe(10_000);
    await win(later.id);
    await lab.until('the won money pays the debt', async () => (await owed()) === before);
    await win(payment.id);
    await lab.until('the won money is settled', async () => (await lab.read(payment.id)).amount_disputed === 0);
    const all = (await lab.settledPayment(payment.id)).settlement.amount;
    expect(all).toBe(payment.quote.settlement_amount);
    await lab.request('PATCH /v1/account', { body: { settlement: { stellar_address: null } } });
  });

  it('with a refund after the settlement makes a negative balance', async () => {
    const payment = await lab.createPaid({ settlement_address: merchant });
    await lab.settledPayment(payment.id);
    const before = await owed();
    await lab.refund(payment.id, { amount: 2_840 });
    expect((await owed()) - before).toBe(2_840);
    expect(await lab.balance()).toEqual({});
  });

  it('is settled by a claimable balance for an account that lacks the trustline or does not exist', async () => {
    const [bare, missing] = [(await lab.openAccount()).publicKey(), Keypair.random().publicKey()];
    for (const address of [bare, missing]) {
      const payment = await lab.createPaid({ settlement_address: address });
      const { settlement } = await lab.settledPayment(payment.id);
      expect(settlement).toMatchObject({ delivery: 'claimable_balance', failure: null });
      const url = `${lab.url}/sandbox/horizon/claimable_balances?claimant=${address}`;
      const [balance] = (await (await fetch(url)).json())._embedded.records;
      expect(balance).toMatchObject({ asset: USDC, sponsor: lab.treasury });
    }
  });
});

describe('a settlement that the account cannot receive', { timeout: 30_000 }, () => {
  it('has the reason, and is delivered once the account is corrected', async () => {
    const key = await lab.openAccount(USDC);
    await lab.onLedger(key, { type: 'manageData', ...memoRequiredEntry });
    const payment = await lab.createPaid({ settlement_address: key.publicKey() });
    await lab.until('it is reported', async () => (await settledEvents(payment.id)).length === 1);
    const { settlement } = await lab.read(payment.id);
    expect(settlement).toMatchObject({ status: 'pending', failure: { code: 'memo_required' } });
    expect(await settledEvents(payment.id)).toEqual(['payment.settlement_failed']);
    expect((await lab.balance())['pending EUR']).toBe(payment.amount);
    await lab.onLedger(key, { type: 'manageData', name: memoRequiredEntry.name, value: null });
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT2M' } });
    expect((await lab.settledPayment(payment.id)).settlement.failure).toBeNull();
    expect(await settledEvents(payment.id)).toEqual(['payment.settlement_failed', 'payment.settled']);
  });

  it('is not sent to the service’s own account', async () => {
    const payment = await lab.createPaid({ settlement_address: lab.treasury });
    await lab.until('it is reported', async () => (await settledEvents(payment.id)).length === 1);
    expect((await lab.read(payment.id)).settlement.failure?.code).toBe('own_account');
  });
});
