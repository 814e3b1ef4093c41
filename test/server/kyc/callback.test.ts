import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../payments/payment-lab.ts';
import { ada, type KycLab, startKycLab } from './kyc-lab.ts';

let lab: KycLab;
beforeAll(async () => {
  lab = await startKycLab();
});
afterAll(() => lab.close());

const silent = { ...ada, last_name: 'Silent' };
const typesOf = (customer: string) => lab.eventsOf(customer.replace('cus_', 'kyc_'));

describe('a callback of the identity provider', () => {
  it.each([
    ['approved', { status: 'approved', tier: 'basic' }],
    ['rejected', { status: 'rejected', tier: null }],
  ] as const)('makes the service ask the provider: %s', async (state, outcome) => {
    const customer = await lab.checked(silent);
    await lab.provider(customer, state);
    const answer = await lab.callback(customer);
    expect([answer.status, answer.body]).toEqual([200, { received: true }]);
    expect(await lab.kyc(customer)).toMatchObject(outcome);
    expect((await typesOf(customer)).at(-1)).toBe(`kyc.${state}`);
  });

  it('is not believed: the provider’s own answer counts', async () => {
    const customer = await lab.checked(silent);
    expect((await lab.callback(customer)).status).toBe(200);
    expect(await lab.kyc(customer)).toMatchObject({ status: 'under_review' });
  });

  it('may withdraw the provider’s approval, and not that of a person', async () => {
    const customer = await lab.checked();
    await lab.provider(customer, 'rejected');
    await lab.callback(customer);
    expect(await lab.kyc(customer)).toMatchObject({ status: 'rejected', tier: null });
    await lab.test(customer, { status: 'approved' });
    await lab.callback(customer);
    expect(await lab.kyc(customer)).toMatchObject({ status: 'approved' });
  });

  it.each([
    ['without a signature', { signature: '' }],
    ['with a wrong signature', { signature: 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }],
    ['that is too old', { at: new Date('2026-11-02T08:50:00Z') }],
  ])('is refused %s', async (_, changes) => {
    const customer = await lab.checked(silent);
    await lab.provider(customer, 'approved');
    expect(refusal(await lab.callback(customer, changes))).toEqual([401, 'invalid_signature', null]);
    expect((await lab.kyc(customer)).status).toBe('under_review');
  });

  it('is ignored when it is repeated, or older than the last one', async () => {
    const customer = await lab.checked(silent);
    const at = lab.clock.now();
    await lab.callback(customer, { id: 'first', at });
    await lab.provider(customer, 'approved');
    for (const again of [
      { id: 'first', at },
      { id: 'older', at: new Date(at.getTime() - 60_000) },
    ]) {
      expect((await lab.callback(customer, again)).status).toBe(200);
      expect((await lab.kyc(customer)).status).toBe('under_review');
    }
    await lab.callback(customer, { id: 'second', at });
    expect((await lab.kyc(customer)).status).toBe('approved');
  });

  it.each<[string, (customer: string) => Promise<string>]>([
    ['an unknown customer', async () => 'x'.repeat(66)],
    ['a customer that the provider does not check', async () => lab.customer()],
  ])('is unknown for %s', async (_, other) => {
    const customer = await lab.checked(silent);
    const id = await other(customer);
    const answer = id.startsWith('cus_') ? await lab.callback(id) : await lab.callback(customer, { subject: id });
    expect(refusal(answer)).toEqual([404, 'resource_missing', null]);
  });

  it('is unknown for another provider', async () => {
    const answer = await lab.request('POST /v1/kyc/callbacks/nobody', { key: null, body: {} });
    expect(refusal(answer)).toEqual([404, 'resource_missing', null]);
  });

  it('takes no decision back to a review', async () => {
    const customer = await lab.checked();
    const events = await typesOf(customer);
    await lab.provider(customer, 'pending');
    expect(refusal(await lab.callback(customer))).toEqual([409, 'illegal_state', null]);
    expect(await lab.kyc(customer)).toMatchObject({ status: 'approved', tier: 'basic' });
    expect(await typesOf(customer)).toEqual(events);
  });

  it('is not needed: the service asks the provider from time to time', async () => {
    const customer = await lab.checked(silent);
    await lab.provider(customer, 'approved');
    await lab.sweep('kyc.checks');
    expect((await lab.kyc(customer)).status).toBe('under_review');
    lab.clock.advance(60);
    await lab.sweep('kyc.checks');
    expect((await lab.kyc(customer)).status).toBe('approved');
  });
});
