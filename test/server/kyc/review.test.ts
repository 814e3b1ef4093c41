import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../payments/payment-lab.ts';
import { type Browser, owner } from '../people/visitor.ts';
import { ada, adaStandard, type KycLab, startKycLab } from './kyc-lab.ts';

let lab: KycLab;
let staff: Browser;
beforeAll(async () => {
  lab = await startKycLab();
  staff = await owner(lab);
});
afterAll(() => lab.close());

const silent = { ...ada, last_name: 'Silent' };
const decide = (customer: string, action: string, body: object = {}) =>
  staff.send(`POST /v1/customers/${customer}/kyc/${action}`, body);
const typesOf = (customer: string) => lab.eventsOf(customer.replace('cus_', 'kyc_'));

describe('review by the merchant’s staff', () => {
  it('approves, asks for more and rejects, with one event each', async () => {
    const customer = await lab.checked(silent);
    const approved = await decide(customer, 'approve');
    expect([approved.status, approved.body], approved.text).toMatchObject([
      200,
      { status: 'approved', tier: 'basic', decided_by: expect.stringMatching(/^person_/) },
    ]);
    const more = { reasons: ['The document expires soon.'], fields: ['id_number'] };
    expect((await decide(customer, 'request_more', more)).body).toMatchObject({
      status: 'incomplete',
      tier: null,
      rejection_reasons: more.reasons,
    });
    expect((await lab.put(customer, { id_number: '925665416' })).body).toMatchObject({ status: 'under_review' });
    const rejected = await decide(customer, 'reject', { reasons: ['Fraud.'] });
    expect(rejected.body).toMatchObject({ status: 'rejected', tier: null, rejection_reasons: ['Fraud.'] });
    const types = ['kyc.approved', 'kyc.updated', 'kyc.updated', 'kyc.rejected'];
    expect((await typesOf(customer)).slice(-4)).toEqual(types);
  });

  it('outranks the provider, whose later answer changes nothing', async () => {
    const customer = await lab.checked(silent);
    await decide(customer, 'reject', { reasons: ['Fraud.'] });
    await lab.provider(customer, 'approved');
    lab.clock.advance(3_600);
    await lab.sweep('kyc.checks');
    expect((await lab.callback(customer)).status).toBe(200);
    expect((await lab.kyc(customer)).status).toBe('rejected');
  });

  it('approves despite a hit only when the person says so', async () => {
    const customer = await lab.checked({ ...ada, last_name: 'Sanctioned' });
    expect(refusal(await decide(customer, 'approve'))).toEqual([409, 'illegal_state', null]);
    const approved = await decide(customer, 'approve', { override_flags: true });
    expect(approved.body).toMatchObject({ status: 'approved', flags: [] });
  });

  it('approves no tier whose fields are missing', async () => {
    const customer = await lab.checked(silent);
    expect(refusal(await decide(customer, 'approve', { tier: 'standard' }))).toEqual([409, 'illegal_state', null]);
    await lab.put(customer, adaStandard);
    expect((await decide(customer, 'approve', { tier: 'standard' })).body).toMatchObject({ tier: 'standard' });
  });

  it.each<[string, object, number, string, string | null]>([
    ['reject', {}, 400, 'parameter_missing', 'reasons'],
    ['request_more', { reasons: ['More.'], fields: ['organization.name'] }, 400, 'parameter_invalid', 'fields[0]'],
    ['request_more', { reasons: ['More.'], fields: ['shoe_size'] }, 400, 'parameter_invalid', 'fields[0]'],
  ])('refuses %s of %j', async (action, body, status, code, param) => {
    const customer = await lab.checked(silent);
    expect(refusal(await decide(customer, action, body))).toEqual([status, code, param]);
    expect((await lab.kyc(customer)).status).toBe('under_review');
  });

  it('is for people, is repeated by its key once, and is refused when it was decided already', async () => {
    const customer = await lab.checked(silent);
    const call = `POST /v1/customers/${customer}/kyc/approve` as const;
    expect(refusal(await lab.request(call, { body: {} }))).toEqual([403, 'session_required', null]);
    const key = { 'idempotency-key': 'approve-once' };
    const [first, second] = [await staff.send(call, {}, key), await staff.send(call, {}, key)];
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect(refusal(await decide(customer, 'approve'))).toEqual([409, 'illegal_state', null]);
  });

  it('is in the audit log, as is each look at the data', async () => {
    const customer = await lab.checked(silent);
    await decide(customer, 'reveal');
    await decide(customer, 'reject', { reasons: ['Fraud.'] });
    const { data } = (await staff.send('GET /v1/audit-log?limit=100')).body;
    const own = data.filter(({ path }: { path: string }) => path.includes(customer));
    // The test's clock stands still, so the entries have no order.
    expect(own.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'Look at the data of an identity check',
      'Reject a customer',
    ]);
  });
});
