import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutDestination } from '../../../src/api/payout.ts';
import type { Recipient, RecipientDestination } from '../../../src/api/recipient.ts';
import { findDefaultDestinations, markVerification } from '../../../src/server/payouts/recipients/payee.store.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const iban = { type: 'bank_account', iban: 'DE89370400440532013000' } as const;
const us = { type: 'bank_account', routing: '021000021', account: '12345678', country: 'US' } as const;
const phone = { type: 'mobile_money', provider: 'mtn', number: '+233241234567' } as const;

const create = (body: object, key?: string) =>
  app.request('POST /v1/recipients', {
    body: { name: 'Ada Lovelace', type: 'individual', ...body },
    ...(key && { key }),
  });
const recipient = async (body: object = {}): Promise<Recipient> => {
  const answer = await create(body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const update = (id: string, body: object) => app.request(`PATCH /v1/recipients/${id}`, { body });
const read = async (id: string): Promise<Recipient> => (await app.request(`GET /v1/recipients/${id}`)).body;
const refusal = ({ status, body }: { status: number; body: { error?: { code: string; param: string | null } } }) => [
  ...[status, body.error?.code, body.error?.param],
];
const mark = (results: { recipientId: string; destination: PayoutDestination; verified: boolean }[]) =>
  app.database.db.transaction().execute(tx => markVerification(tx, app.merchant.id, results));
const defaultsOf = (ids: string[], livemode = false) =>
  findDefaultDestinations(app.database.db, { merchantId: app.merchant.id, livemode }, ids);
const verifications = ({ destinations }: Recipient) => destinations.map(one => one.verification);

describe('a recipient', () => {
  it('is created with destinations in one spelling, the first of which is the default', async () => {
    const answer = await create({
      email: 'ada@example.com',
      country: 'gb',
      reference: ' R-1 ',
      metadata: { team: 7 },
      destinations: [{ type: 'bank_account', iban: 'de89 3704 0044 0532 0130 00' }, phone],
    });
    expect(answer.status).toBe(201);
    const { id, destinations } = answer.body as Recipient;
    expect(answer.headers['location']).toBe(`/v1/recipients/${id}`);
    expect(id).toMatch(/^rec_[0-9A-Za-z]{22}$/);
    expect(answer.body).toMatchObject({
      object: 'recipient',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      type: 'individual',
      country: 'GB',
      reference: 'R-1',
      metadata: { team: 7 },
      livemode: false,
    });
    const common = { id: expect.stringMatching(/^dest_/), object: 'recipient_destination', verification: 'unverified' };
    expect(destinations).toEqual([
      { ...common, default: true, destination: iban },
      { ...common, default: false, destination: phone },
    ]);
    expect(await read(id)).toEqual(answer.body);
  });

  it('needs only a name and a type', async () => {
    const made = await recipient({ name: ' Works ', type: 'business' });
    expect(made).toMatchObject({ name: 'Works', type: 'business', email: null, reference: null, destinations: [] });
  });

  it.each<[string, object, string, string]>([
    ['no name', { name: '  ' }, 'parameter_invalid', 'name'],
    ['another type', { type: 'robot' }, 'parameter_invalid', 'type'],
    ['a wrong e-mail address', { email: 'ada@' }, 'invalid_email', 'email'],
    [
      'a wrong IBAN',
      { destinations: [phone, { ...iban, iban: 'DE88370400440532013000' }] },
      'invalid_iban',
      'destinations[1].iban',
    ],
    [
      'a provider that is not connected',
      { destinations: [{ ...phone, provider: 'nokia' }] },
      'invalid_provider',
      'destinations[0].provider',
    ],
    [
      'an unknown asset',
      { destinations: [{ type: 'crypto_wallet', chain: 'stellar', address: 'G', asset: 'DOGE' }] },
      'invalid_address',
      'destinations[0].address',
    ],
    [
      'the same account twice',
      { destinations: [iban, { ...iban, iban: 'DE89 3704 0044 0532 0130 00' }] },
      'invalid_destination',
      'destinations[1]',
    ],
    ['a destination of no type', { destinations: [{ iban: 'x' }] }, 'parameter_missing', 'destinations[0].type'],
    ['an unknown field', { phone: '1' }, 'parameter_unknown', 'phone'],
  ])('is refused with %s', async (_, body, code, param) => {
    expect(refusal(await create(body))).toEqual([400, code, param]);
  });

  it('is refused with all wrong destinations listed', async () => {
    const answer = await create({
      destinations: [
        { ...us, routing: '021000022' },
        { ...phone, number: '0241234567' },
      ],
    });
    expect(answer.body.error.errors).toMatchObject([
      { param: 'destinations[0].routing', code: 'invalid_routing_number' },
      { param: 'destinations[1].number', code: 'invalid_phone_number' },
    ]);
  });

  it('is created once for one Idempotency-Key', async () => {
    const request = { body: { name: 'Once', type: 'business' }, headers: { 'idempotency-key': 'recipient-1' } };
    const [first, second] = [
      await app.request('POST /v1/recipients', request),
      await app.request('POST /v1/recipients', request),
    ];
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('has a unique reference, in upper or lower case, until it is deleted', async () => {
    const { id } = await recipient({ reference: 'Own' });
    expect(refusal(await create({ reference: ' OWN' }))).toEqual([409, 'duplicate_reference', 'reference']);
    const other = await recipient();
    expect(refusal(await update(other.id, { reference: 'own' }))).toEqual([409, 'duplicate_reference', 'reference']);
    await app.request(`DELETE /v1/recipients/${id}`);
    expect((await update(other.id, { reference: 'own' })).body.reference).toBe('own');
  });

  it('is hidden from other merchants', async () => {
    const { id } = await recipient();
    const { secretKey: key } = await app.addMerchant();
    for (const call of ['GET', 'PATCH', 'DELETE'] as const) {
      const answer = await app.request(`${call} /v1/recipients/${id}`, { key, ...(call === 'PATCH' && { body: {} }) });
      expect(refusal(answer)).toEqual([404, 'resource_missing', 'id']);
    }
    expect((await app.request('GET /v1/recipients', { key })).body.data).toEqual([]);
  });

  it('needs the scopes of recipients', async () => {
    const key = await app.addKey(app.merchant.id, 'secret', { scopes: ['recipients:read'] });
    expect((await app.request('GET /v1/recipients', { key })).status).toBe(200);
    expect((await create({}, key)).status).toBe(403);
    const other = await app.addKey(app.merchant.id, 'secret', { scopes: ['payments:write'] });
    expect((await app.request('GET /v1/recipients', { key: other })).status).toBe(403);
  });
});

describe('PATCH of a recipient', () => {
  it('changes the given fields and clears null fields', async () => {
    const before = await recipient({ email: 'a@example.com', country: 'DE', metadata: { a: 1 }, destinations: [iban] });
    const answer = await update(before.id, { name: 'Ada', email: null, country: 'fr' });
    expect(answer.body).toEqual({ ...before, name: 'Ada', email: null, country: 'FR' });
    expect(await read(before.id)).toEqual(answer.body);
    expect((await update(before.id, { metadata: {}, reference: 'x-9' })).body).toMatchObject({
      metadata: {},
      reference: 'x-9',
    });
  });

  it('replaces destinations; an equal one keeps its id and verification', async () => {
    const before = await recipient({ destinations: [iban, us] });
    await mark([{ recipientId: before.id, destination: us, verified: true }]);
    const after: Recipient = (await update(before.id, { destinations: [phone, us] })).body;
    expect(after.destinations).toMatchObject([
      { destination: phone, default: true, verification: 'unverified' },
      { id: before.destinations[1]?.id, destination: us, default: false, verification: 'verified' },
    ]);
    expect(await read(before.id)).toEqual(after);
    expect((await update(before.id, { destinations: [] })).body.destinations).toEqual([]);
  });

  it('chooses the default, alone and together with new destinations', async () => {
    const before = await recipient({ destinations: [iban, us] });
    const second = before.destinations[1] as RecipientDestination;
    const defaults = ({ destinations }: Recipient) => destinations.map(one => one.default);
    expect(defaults((await update(before.id, { default_destination: second.id })).body)).toEqual([false, true]);
    const body = { destinations: [phone, us, iban], default_destination: second.id };
    expect(defaults((await update(before.id, body)).body)).toEqual([false, true, false]);
    const gone = { destinations: [phone], default_destination: second.id };
    expect(refusal(await update(before.id, gone))).toEqual([400, 'parameter_invalid', 'default_destination']);
    expect(defaults(await read(before.id))).toEqual([false, true, false]);
  });

  it('refuses a wrong destination and changes nothing', async () => {
    const before = await recipient({ destinations: [iban] });
    const answer = await update(before.id, {
      name: 'Other',
      destinations: [{ ...iban, iban: 'DE00370400440532013000' }],
    });
    expect(refusal(answer)).toEqual([400, 'invalid_iban', 'destinations[0].iban']);
    expect(await read(before.id)).toEqual(before);
  });
});

describe('DELETE of a recipient', () => {
  it('hides it from reading, lists and payouts', async () => {
    const { id } = await recipient({ reference: 'gone' });
    const answer = await app.request(`DELETE /v1/recipients/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { id, object: 'recipient', deleted: true }]);
    expect((await app.request(`GET /v1/recipients/${id}`)).status).toBe(404);
    expect((await app.request(`DELETE /v1/recipients/${id}`)).status).toBe(404);
    expect((await app.request('GET /v1/recipients?reference=gone')).body.data).toEqual([]);
    expect(await defaultsOf([id])).toEqual(new Map());
  });
});

describe('the list of recipients', () => {
  it('pages newest first and filters', async () => {
    const { secretKey: key } = await app.addMerchant();
    const made: Recipient[] = [];
    for (const body of [
      { country: 'de', reference: 'L-1', destinations: [iban, us] },
      { type: 'business' },
      { country: 'FR' },
    ]) {
      app.clock.advance(1);
      made.push((await create(body, key)).body);
    }
    const [first, second, third] = made;
    const list = async (query: string) => (await app.request(`GET /v1/recipients${query}`, { key })).body;
    expect(await list('?limit=2')).toEqual({
      object: 'list',
      url: '/v1/recipients',
      has_more: true,
      data: [third, second],
    });
    expect((await list(`?limit=2&starting_after=${second?.id}`)).data).toEqual([first]);
    expect((await list('?type=business')).data).toEqual([second]);
    expect((await list('?country=DE')).data).toEqual([first]);
    expect((await list('?reference=%20l-1')).data).toEqual([first]);
    expect((await list(`?created_at[gte]=${encodeURIComponent(third?.created_at ?? '')}`)).data).toEqual([third]);
  });
});

describe('verification of destinations', () => {
  it('follows the last payout of each destination', async () => {
    const [one, two] = [await recipient({ destinations: [iban, us] }), await recipient({ destinations: [iban] })];
    // The same account with its fields in another order.
    const other: PayoutDestination = { account: '12345678', country: 'US', type: 'bank_account', routing: '021000021' };
    await mark([
      { recipientId: one.id, destination: iban, verified: false },
      { recipientId: one.id, destination: iban, verified: true },
      { recipientId: one.id, destination: other, verified: false },
      { recipientId: one.id, destination: phone, verified: true },
    ]);
    expect(verifications(await read(one.id))).toEqual(['verified', 'failed']);
    expect(verifications(await read(two.id))).toEqual(['unverified']);
    await mark([{ recipientId: one.id, destination: iban, verified: false }]);
    expect(verifications(await read(one.id))).toEqual(['failed', 'failed']);
  });

  it('finds the defaults of many recipients of a merchant and mode at once', async () => {
    const [one, two] = [await recipient({ destinations: [us, iban] }), await recipient()];
    const ids = [one.id, two.id, 'rec_none'];
    const found = [
      [one.id, us],
      [two.id, null],
    ] as const;
    expect(await defaultsOf(ids)).toEqual(new Map(found));
    expect(await defaultsOf(ids, true)).toEqual(new Map());
  });
});
