import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type SettlementLab, startSettlementLab } from '../settlement/settlement-lab.ts';

let lab: SettlementLab;
beforeAll(async () => {
  lab = await startSettlementLab();
}, 60_000);
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const create = async (body: object) => {
  const answer = await lab.request('POST /v1/balance/top-ups', { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const read = async (id: string) => (await lab.request(`GET /v1/balance/top-ups/${id}`)).body;
const deposit = async (address: string, asset: string, amount: string, more: object = {}) =>
  (await lab.request('POST /v1/test_helpers/deposits', { body: { chain: 'stellar', address, asset, amount, ...more } }))
    .body.transfer;

describe('a top-up by bank', () => {
  it('has the account and a reference of its own, and credits every transfer with it in full', async () => {
    const topUp = await create({ currency: 'eur', metadata: { budget: 'payroll' } });
    expect(topUp).toMatchObject({
      object: 'top_up',
      status: 'awaiting_funds',
      currency: 'EUR',
      asset: null,
      amount: null,
      amount_received: 0,
      metadata: { budget: 'payroll' },
      livemode: false,
      instructions: { type: 'bank_instructions', rail: 'sepa', currency: 'EUR', amount: null },
    });
    const { reference, fields, qr } = topUp.instructions;
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(['account_holder', 'iban', 'bic', 'reference']);
    expect(qr.payload.split('\n')[7]).toBe('');
    const before = (await lab.balance())['available EUR'] ?? 0;
    const first = (await lab.credit({ reference: `payroll ${reference.toLowerCase()}`, amount: 70_000 })).body;
    expect(first).toMatchObject({ status: 'matched', payment: null, top_up: topUp.id, amount_applied: 0 });
    await lab.credit({ reference, amount: 5 });
    expect((await lab.balance())['available EUR']).toBe(before + 70_005);
    expect(await read(topUp.id)).toMatchObject({ status: 'received', amount_received: 70_005 });
    expect(await lab.eventsOf(topUp.id)).toEqual(['top_up.created', 'top_up.received', 'top_up.received']);
    const { body } = await lab.request('GET /v1/balance/entries?limit=1');
    expect(body.data[0]).toMatchObject({ kind: 'top_up', account: 'available', amount: 5, source: topUp.id });
    const back = await lab.request(`POST /v1/transfers/${first.id}/return`, { body: {} });
    expect(refusal(back)).toEqual([409, 'illegal_state', null]);
  });

  it('is received when the expected amount has arrived', async () => {
    const { id, instructions } = await create({ currency: 'USD', amount: 10_000 });
    expect(instructions).toMatchObject({ rail: 'ach', amount: 10_000 });
    const pay = (amount: number) => lab.credit({ reference: instructions.reference, amount, currency: 'USD' });
    await pay(9_999);
    expect(await read(id)).toMatchObject({ status: 'awaiting_funds', amount: 10_000, amount_received: 9_999 });
    await pay(1);
    expect((await read(id)).status).toBe('received');
  });
});

describe('a top-up on Stellar', { timeout: 30_000 }, () => {
  it('has an address of its own, and credits the asset to the unit', async () => {
    const topUp = await create({ asset: 'USDC', amount: '25' });
    expect(topUp).toMatchObject({
      currency: null,
      asset: sandboxAssets.USDC,
      amount: '25.0000000',
      amount_received: '0.0000000',
      instructions: { type: 'crypto_transfer', chain: 'stellar', base_address: lab.treasury, amount: '25.0000000' },
    });
    const { address, base_address: base, memo, uri } = topUp.instructions;
    expect(address).toMatch(/^M/);
    expect(new URL(uri).searchParams.get('amount')).toBe('25');
    expect(await deposit(address, 'USDC', '20.0000001')).toMatchObject({ status: 'matched', top_up: topUp.id });
    await deposit(base, 'USDC', '5', { memo });
    expect((await lab.request('GET /v1/balance')).body.available).toContainEqual({
      asset: sandboxAssets.USDC,
      amount: '25.0000001',
    });
    expect(await read(topUp.id)).toMatchObject({ status: 'received', amount_received: '25.0000001' });
  });

  it('leaves another asset unmatched, for the merchant to return', async () => {
    const { id, instructions } = await create({ asset: 'USDC' });
    expect(new URL(instructions.uri).searchParams.has('amount')).toBe(false);
    const stray = await deposit(instructions.address, 'XLM', '3');
    expect(stray).toMatchObject({ status: 'unmatched', top_up: null, asset: 'XLM' });
    expect((await read(id)).amount_received).toBe('0.0000000');
    expect((await lab.request(`POST /v1/transfers/${stray.id}/return`, { body: {} })).status).toBe(200);
    const returned = async () => (await lab.request('GET /v1/transfers?status=returned')).body.data.length === 1;
    await lab.until('it is returned', returned);
  });
});

describe('top-ups', () => {
  it('are listed newest first, and are the merchant’s own', async () => {
    const { id } = await create({ currency: 'EUR' });
    const { data } = (await lab.request('GET /v1/balance/top-ups?limit=1')).body;
    expect(data).toEqual([await read(id)]);
    const other = { key: (await lab.addMerchant()).secretKey };
    expect(refusal(await lab.request(`GET /v1/balance/top-ups/${id}`, other))).toEqual([404, 'resource_missing', 'id']);
  });

  it('are made once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'top-up-1' };
    const [one, two] = [
      await lab.request('POST /v1/balance/top-ups', { headers, body: { currency: 'EUR' } }),
      await lab.request('POST /v1/balance/top-ups', { headers, body: { currency: 'EUR' } }),
    ];
    expect(two.text).toBe(one.text);
  });

  it.each([
    [{}, 'parameter_missing', 'currency'],
    [{ currency: 'JPY' }, 'invalid_currency', 'currency'],
    [{ asset: 'NOPE' }, 'invalid_asset', 'asset'],
    [{ asset: 'USDC', amount: 5 }, 'invalid_amount', 'amount'],
    [{ currency: 'EUR', amount: '5' }, 'invalid_amount', 'amount'],
    [{ currency: 'EUR', asset: 'USDC' }, 'parameter_invalid', 'asset'],
  ])('refuse %j', async (body, code, param) => {
    expect(refusal(await lab.request('POST /v1/balance/top-ups', { body }))).toEqual([400, code, param]);
  });
});
