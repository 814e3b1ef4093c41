import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Kyc } from '../../../src/api/kyc/kyc.ts';
import { refusal } from '../payments/payment-lab.ts';
import { ada, adaStandard, type KycLab, startKycLab } from './kyc-lab.ts';

let lab: KycLab;
beforeAll(async () => {
  lab = await startKycLab();
});
afterAll(() => lab.close());

const needed = ({ fields }: Kyc) => fields.filter(({ status }) => status === 'needed').map(({ name }) => name);
const typesOf = (customer: string) => lab.eventsOf(customer.replace('cus_', 'kyc_'));

describe('data of a customer', () => {
  it('is not started for a new customer, and says what the first tier needs', async () => {
    const customer = await lab.customer();
    const kyc = await lab.kyc(customer);
    expect(kyc).toMatchObject({ object: 'kyc', customer, status: 'not_started', tier: null, requested_tier: 'basic' });
    expect(needed(kyc)).toEqual(['first_name', 'last_name', 'birth_date', 'address_country_code']);
    expect(kyc.fields[2]).toMatchObject({ format: 'date', required: true, description: 'Date of birth.' });
  });

  it('is merged field by field, is incomplete until nothing is missing, and is reviewed then', async () => {
    const customer = await lab.customer();
    const { last_name, ...others } = ada;
    const first = await lab.put(customer, others);
    expect([first.status, first.body.status, needed(first.body)]).toEqual([200, 'incomplete', ['last_name']]);
    expect((await lab.put(customer, { last_name })).body).toMatchObject({
      status: 'under_review',
      rejection_reasons: [],
    });
    await lab.sweep('kyc.checks');
    expect(await lab.kyc(customer)).toMatchObject({
      status: 'approved',
      tier: 'basic',
      provider: 'sandbox',
      provider_reference: expect.stringMatching(/^sbx_check_/),
      decided_by: null,
    });
    expect(await typesOf(customer)).toEqual(['kyc.updated', 'kyc.updated', 'kyc.approved']);
  });

  it('starts no second review when the same data comes again, and removes a field by null', async () => {
    const customer = await lab.checked();
    const events = await typesOf(customer);
    expect((await lab.put(customer, ada)).body).toMatchObject({ status: 'approved', tier: 'basic' });
    expect(await typesOf(customer)).toEqual(events);
    const removed = await lab.put(customer, { last_name: null });
    expect([removed.body.status, removed.body.tier, needed(removed.body)]).toEqual(['incomplete', null, ['last_name']]);
  });

  it('ends an approval by another value, and keeps it for a further field', async () => {
    const customer = await lab.checked();
    expect((await lab.put(customer, { city: 'London' })).body).toMatchObject({ status: 'approved', tier: 'basic' });
    expect((await lab.put(customer, { city: 'Leeds' })).body).toMatchObject({ status: 'under_review', tier: null });
  });

  it('keeps the approval of a tier while a higher tier is checked', async () => {
    const customer = await lab.checked();
    const asked = await lab.put(customer, { tier: 'standard' });
    expect(asked.body).toMatchObject({ status: 'incomplete', tier: 'basic', requested_tier: 'standard' });
    expect(needed(asked.body)).toEqual(Object.keys(adaStandard));
    expect((await lab.put(customer, adaStandard)).body).toMatchObject({ status: 'under_review', tier: 'basic' });
    await lab.sweep('kyc.checks');
    expect(await lab.kyc(customer)).toMatchObject({ status: 'approved', tier: 'standard' });
    expect((await lab.put(customer, { tier: 'enhanced' })).body).toMatchObject({
      status: 'incomplete',
      tier: 'standard',
    });
    expect((await lab.put(customer, { tier: 'basic' })).body).toMatchObject({ status: 'approved', tier: 'standard' });
  });

  it('is that of an organization by its type', async () => {
    const customer = await lab.customer();
    const organization = {
      'organization.name': 'Nordlys ASA',
      'organization.registration_number': '923609016',
      'organization.address_country_code': 'nor',
    };
    expect(refusal(await lab.put(customer, organization))).toEqual([400, 'parameter_invalid', 'organization.name']);
    const started = await lab.put(customer, { type: 'organization', ...organization });
    expect(started.body).toMatchObject({ type: 'organization', status: 'under_review' });
    expect(refusal(await lab.put(customer, { type: 'person', ...ada }))).toEqual([409, 'illegal_state', 'type']);
  });

  it.each<[object, string, string]>([
    [{ birth_date: '1990-13-01' }, 'parameter_invalid', 'birth_date'],
    [{ birth_date: '2999-01-01' }, 'parameter_invalid', 'birth_date'],
    [{ address_country_code: 'GB' }, 'parameter_invalid', 'address_country_code'],
    [{ id_country_code: 'XXX' }, 'parameter_invalid', 'id_country_code'],
    [{ mobile_number: '07911 123456' }, 'invalid_phone_number', 'mobile_number'],
    [{ email_address: 'ada' }, 'invalid_email', 'email_address'],
    [{ language_code: 'eng' }, 'parameter_invalid', 'language_code'],
    [{ first_name: 'A\u0007' }, 'parameter_invalid', 'first_name'],
    [{ first_name: 7 }, 'parameter_invalid', 'first_name'],
    [{ id_type: 'library_card' }, 'parameter_invalid', 'id_type'],
    [{ occupation: 'engineer' }, 'parameter_invalid', 'occupation'],
    [{ favourite_color: 'red' }, 'parameter_unknown', 'favourite_color'],
    [{ tier: 'gold' }, 'parameter_invalid', 'tier'],
    [{ status: 'not_started' }, 'parameter_invalid', 'status'],
  ])('refuses %j', async (body, code, param) => {
    const customer = await lab.customer();
    const answer = await lab.put(customer, body);
    expect(refusal(answer)).toEqual([400, code, param]);
    expect((await lab.kyc(customer)).status).toBe('not_started');
  });

  it('names every wrong field at once, and repeats no value', async () => {
    const answer = await lab.put(await lab.customer(), { birth_date: 'secret-day', email_address: 'secret-mail' });
    const { errors } = answer.body.error as { errors: { param: string }[] };
    expect(errors.map(({ param }) => param)).toEqual(['birth_date', 'email_address']);
    expect(answer.text).not.toContain('secret');
  });

  it('is unknown to other merchants and modes', async () => {
    const other = await lab.addMerchant();
    const customer = await lab.checked();
    const calls = [
      `GET /v1/customers/${customer}/kyc`,
      `PUT /v1/customers/${customer}/kyc`,
      `POST /v1/customers/${customer}/kyc/reveal`,
      `POST /v1/test_helpers/customers/${customer}/kyc`,
    ] as const;
    for (const call of calls) {
      const body = call.startsWith('PUT')
        ? { city: 'Leeds' }
        : call.includes('test_helpers')
          ? { status: 'rejected' }
          : undefined;
      const answer = await lab.request(call, { key: other.secretKey, ...(body && { body }) });
      expect([call, answer.status]).toEqual([call, 404]);
    }
    expect((await lab.request('GET /v1/kyc', { key: other.secretKey })).body.data).toEqual([]);
    expect((await lab.kyc(customer)).status).toBe('approved');
  });

  it('lists checks by their status', async () => {
    const customer = await lab.checked({ ...ada, last_name: 'Silent' });
    const { data } = (await lab.request('GET /v1/kyc?status=under_review')).body;
    expect(data.map((each: Kyc) => each.status)).toEqual(data.map(() => 'under_review'));
    expect(data[0]).toEqual(await lab.kyc(customer));
  });
});

describe('personal data', () => {
  it('is readable by reveal alone: not in answers, events, logs or the database', async () => {
    const words = ['Zyxwvut', 'QWERTZ-4711', 'Hidden Street 9'];
    const [last_name, id_number, address] = words;
    const fields = { ...ada, last_name, id_number, address };
    const customer = await lab.checked(fields);
    const revealed = await lab.request(`POST /v1/customers/${customer}/kyc/reveal`);
    expect(revealed.body).toEqual({ object: 'kyc_values', customer, values: fields });
    const events = (await lab.request(`GET /v1/events?limit=100&resource=${customer.replace('cus_', 'kyc_')}`)).text;
    const tables = await lab.database.pool.query(
      `select string_agg(query_to_xml(format('select * from %I.%I', schemaname, tablename), true, false, '')::text, '')
       as text from pg_tables where schemaname in ('public', 'sandbox')`,
    );
    const places = [
      JSON.stringify(await lab.kyc(customer)),
      events,
      lab.logs.join('\n'),
      tables.rows[0].text as string,
    ];
    expect(places.map(place => words.filter(word => place.includes(word ?? '')))).toEqual([[], [], [], []]);
    expect(tables.rows[0].text).toContain(customer);
  });
});

describe('names of test mode', () => {
  it.each<[string, object]>([
    ['Moreinfo', { status: 'incomplete', tier: null, rejection_reasons: ['The identity document has expired.'] }],
    ['Rejected', { status: 'rejected', tier: null, rejection_reasons: ['The identity document is not genuine.'] }],
    ['Silent', { status: 'under_review', tier: null, flags: [] }],
    ['Sanctioned', { status: 'under_review', tier: null, flags: [{ screen: 'sandbox_sanctions' }] }],
  ])('lead %s to its outcome', async (last_name, outcome) => {
    expect(await lab.kyc(await lab.checked({ ...ada, last_name }))).toMatchObject(outcome);
  });

  it('ask for fields again, and approve once they came', async () => {
    const customer = await lab.checked({ ...ada, last_name: 'Moreinfo' });
    expect(needed(await lab.kyc(customer))).toEqual(['id_number', 'id_expiration_date']);
    const again = { last_name: 'Lovelace', id_number: '925665416', id_expiration_date: '2031-05-01' };
    expect((await lab.put(customer, again)).body.status).toBe('under_review');
    await lab.sweep('kyc.checks');
    expect(await lab.kyc(customer)).toMatchObject({ status: 'approved', rejection_reasons: [] });
  });

  it('close a rejected check to new data', async () => {
    const customer = await lab.checked({ ...ada, last_name: 'Rejected' });
    expect(refusal(await lab.put(customer, { last_name: 'Lovelace' }))).toEqual([409, 'illegal_state', null]);
  });
});

describe('the test helper', () => {
  it('sets any status, with one event each', async () => {
    const customer = await lab.customer();
    const steps = ['under_review', 'approved', 'incomplete', 'rejected'];
    for (const status of steps) {
      const answer = await lab.test(customer, { status, tier: 'standard' });
      expect([answer.status, answer.body.status], answer.text).toEqual([200, status]);
    }
    expect(await typesOf(customer)).toEqual(['kyc.updated', 'kyc.approved', 'kyc.updated', 'kyc.rejected']);
    expect(refusal(await lab.test(customer, { status: 'rejected' }))).toEqual([409, 'illegal_state', null]);
  });
});

describe('an account whose platform decides', () => {
  it('lets the platform set status, tier and reference, and starts no review', async () => {
    const { id, secretKey: key } = await lab.addMerchant({ kyc: 'platform' });
    const customer = await lab.customer(key);
    expect((await lab.put(customer, ada, key)).body).toMatchObject({ status: 'incomplete', tier: null });
    const body = { status: 'approved', tier: 'standard', provider_reference: 'check-77' };
    const approved = await lab.put(customer, body, key);
    expect([approved.status, approved.body], approved.text).toMatchObject([
      200,
      { ...body, provider: null, decided_by: expect.stringMatching(/^key_/) },
    ]);
    const raised = await lab.put(customer, { status: 'approved', tier: 'enhanced' }, key);
    expect(raised.body).toMatchObject({ tier: 'enhanced', provider_reference: 'check-77' });
    const reasons = { status: 'rejected', rejection_reasons: ['Fraud.'] };
    expect((await lab.put(customer, reasons, key)).body).toMatchObject({ ...reasons, tier: null });
    const account = (await lab.request('GET /v1/account', { key })).body;
    expect([account.id, account.ramps]).toEqual([id, expect.objectContaining({ kyc: 'platform' })]);
  });

  it('refuses to approve a name that a screen reports', async () => {
    const { secretKey: key } = await lab.addMerchant({ kyc: 'platform' });
    const customer = await lab.customer(key);
    const answer = await lab.put(customer, { ...ada, last_name: 'Sanctioned', status: 'approved' }, key);
    expect(refusal(answer)).toEqual([409, 'illegal_state', null]);
  });

  it.each<[object, number, string]>([
    [{ status: 'approved' }, 403, 'status'],
    [{ provider_reference: 'x' }, 403, 'provider_reference'],
  ])('is not this account: %j', async (body, status, param) => {
    expect(refusal(await lab.put(await lab.customer(), body))).toEqual([status, 'operation_not_allowed', param]);
  });

  it('is chosen by the account', async () => {
    const { secretKey: key } = await lab.addMerchant();
    const body = { ramps: { kyc: 'platform' } };
    expect((await lab.request('PATCH /v1/account', { key, body })).body.ramps).toMatchObject(body.ramps);
    expect((await lab.put(await lab.customer(key), { status: 'approved' }, key)).status).toBe(200);
  });
});
