import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayClient } from '../../../src/api/client.ts';
import type { Recipient } from '../../../src/api/recipient.ts';
import { listen, startTestApp, type TestApp, type TestMerchant } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const iban = 'DE89370400440532013000';
const send = (merchant: TestMerchant, csv: string, query = '', headers: Record<string, string> = {}) =>
  app.request(`POST /v1/recipients/import${query}`, {
    key: merchant.secretKey,
    body: csv,
    headers: { 'content-type': 'text/csv; charset=utf-8', ...headers },
  });
const listed = async ({ secretKey: key }: TestMerchant): Promise<Recipient[]> =>
  (await app.request('GET /v1/recipients?limit=100', { key })).body.data;
const done = (created: number, updated: number, errors: object[] = []) => ({
  object: 'import',
  created,
  updated,
  errors,
});

describe('POST /v1/recipients/import', () => {
  it('creates a recipient of each row', async () => {
    const merchant = await app.addMerchant();
    const answer = await send(
      merchant,
      [
        'Name,type,email,country,reference,metadata.Team,destination.type,destination.iban,destination.provider,destination.number',
        `"Lovelace, Ada",individual,ada@example.com,gb,A-1,7,bank_account,${iban},,`,
        "Kwame,Individual,,gh,A-2,,mobile_money,,mtn,'+233 24 123 4567",
        'Works,business,,,,,,,,',
      ].join('\r\n'),
    );
    expect([answer.status, answer.body]).toEqual([200, done(3, 0)]);
    const byName = new Map((await listed(merchant)).map(one => [one.name, one]));
    expect(byName.get('Lovelace, Ada')).toMatchObject({
      type: 'individual',
      email: 'ada@example.com',
      country: 'GB',
      reference: 'A-1',
      metadata: { Team: '7' },
      destinations: [{ default: true, verification: 'unverified', destination: { type: 'bank_account', iban } }],
    });
    expect(byName.get('Kwame')?.destinations).toMatchObject([
      { destination: { type: 'mobile_money', provider: 'mtn', number: '+233241234567' } },
    ]);
    expect(byName.get('Works')).toMatchObject({ type: 'business', reference: null, destinations: [] });
  });

  it('changes the recipient that has the reference of a row', async () => {
    const merchant = await app.addMerchant();
    const columns =
      'name,type,email,reference,destination.type,destination.iban,destination.routing,destination.account';
    await send(merchant, `${columns}\nAda,individual,ada@example.com,A-1,bank_account,${iban},,`);
    const [before] = await listed(merchant);
    const second = `${columns}\nAda L,individual,,a-1,bank_account,,021000021,12345678\nGrace,individual,,G,,,,`;
    expect((await send(merchant, second)).body).toEqual(done(1, 1));
    const after = (await listed(merchant)).find(({ id }) => id === before?.id);
    expect(after).toMatchObject({ name: 'Ada L', email: 'ada@example.com', reference: 'A-1' });
    expect(after?.destinations).toMatchObject([
      { id: before?.destinations[0]?.id, default: false, destination: { iban } },
      { default: true, destination: { routing: '021000021', account: '12345678', country: 'US' } },
    ]);
    // Importing the first account again makes it the default again, without a copy.
    await send(merchant, `${columns}\nAda,individual,,A-1,bank_account,${iban},,`);
    const last = (await listed(merchant)).find(({ id }) => id === before?.id);
    expect(last?.destinations.map(one => one.default)).toEqual([true, false]);
  });

  const wrong = [
    'name,type,email,reference,destination.type,destination.iban,destination.claimable_balance',
    `Ada,individual,,A-1,bank_account,${iban},`,
    'Ben,individual,ben@,A-2,bank_account,DE88370400440532013000,',
    'Cy,robot,,,,,',
    'Di,individual,,a-1,,,',
    'Ed,individual,,,,DE,',
    'Flo,individual',
    'Gus,individual,,,,,maybe',
    ',individual,,,,,',
  ].join('\n');
  const errors = [
    [1, 'rows[1].email', 'invalid_email'],
    [1, 'rows[1].destination.iban', 'invalid_iban'],
    [2, 'rows[2].type', 'parameter_invalid'],
    [3, 'rows[3].reference', 'duplicate_reference'],
    [4, 'rows[4].destination.type', 'parameter_missing'],
    [5, 'rows[5]', 'malformed_request'],
    [6, 'rows[6].destination.type', 'parameter_missing'],
    [7, 'rows[7].name', 'parameter_missing'],
  ];

  it('writes nothing when a row is wrong, and names every wrong field', async () => {
    const merchant = await app.addMerchant();
    const { status, body } = await send(merchant, wrong);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_email', 'rows[1].email']);
    const found = body.error.errors.map((error: { param: string; code: string }) => [error.param, error.code]);
    expect(found).toEqual(errors.map(([, param, code]) => [param, code]));
    expect(await listed(merchant)).toEqual([]);
  });

  it('skips wrong rows on request', async () => {
    const merchant = await app.addMerchant();
    const { status, body } = await send(merchant, wrong, '?on_error=skip_invalid');
    expect([status, body.created, body.updated]).toEqual([200, 1, 0]);
    const found = body.errors.map((error: { index: number; param: string; code: string }) => [
      error.index,
      error.param,
      error.code,
    ]);
    expect(found).toEqual(errors);
    expect((await listed(merchant)).map(({ name }) => name)).toEqual(['Ada']);
  });

  it.each([
    ['nothing', '', 'malformed_request'],
    ['a header alone', 'name,type\n', 'batch_size'],
    ['too many rows', `name,type\n${'A,business\n'.repeat(10_001)}`, 'batch_size'],
    ['an unknown column', 'name,type,iban\nA,business,x', 'parameter_unknown'],
    ['no type', 'name\nA', 'parameter_missing'],
    ['an open quote', 'name,type\n"A,business', 'malformed_request'],
  ])('refuses a file with %s', async (_, csv, code) => {
    const { status, body } = await send(app.merchant, csv);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  it('accepts only CSV, up to 16 MiB', async () => {
    const json = await send(app.merchant, '{}', '', { 'content-type': 'application/json' });
    expect([json.status, json.body.error.code]).toEqual([415, 'unsupported_media_type']);
    const large = await send(app.merchant, `name,type\n${'A'.repeat(17 * 1024 * 1024)}`);
    expect([large.status, large.body.error.code]).toEqual([413, 'body_too_large']);
  });

  it('is documented as a call with CSV', async () => {
    const { body } = await app.request('GET /openapi.json');
    const { requestBody } = body.paths['/v1/recipients/import'].post;
    expect(requestBody).toEqual({ required: true, content: { 'text/csv': { schema: { type: 'string' } } } });
  });

  it('imports 10,000 rows once for one Idempotency-Key', async () => {
    const merchant = await app.addMerchant();
    const row = (n: number) => `Person ${n},individual,R-${n},bank_account,021000021,${String(n).padStart(8, '0')}`;
    const head = 'name,type,reference,destination.type,destination.routing,destination.account';
    const csv = [head, ...Array.from({ length: 10_000 }, (_, n) => row(n))].join('\n');
    const headers = { 'idempotency-key': 'import-1' };
    expect((await send(merchant, csv, '', headers)).body).toEqual(done(10_000, 0));
    expect((await send(merchant, csv, '', headers)).body).toEqual(done(10_000, 0));
    expect((await send(merchant, csv)).body).toEqual(done(0, 10_000));
    const { body } = await app.request('GET /v1/recipients?reference=r-9999', { key: merchant.secretKey });
    expect(body.data).toMatchObject([
      { name: 'Person 9999', destinations: [{ destination: { account: '00009999' } }] },
    ]);
  });
});

describe('the client', () => {
  it('creates, imports, lists, changes and deletes recipients', async () => {
    const { secretKey } = await app.addMerchant();
    const pay = createPayClient({ baseUrl: `http://127.0.0.1:${await listen(app)}`, apiKey: secretKey });
    expect(
      await pay.recipients.import('name,type\nAda,individual\nBen,robot', { onError: 'skip_invalid' }),
    ).toMatchObject({
      created: 1,
      updated: 0,
      errors: [{ index: 1, param: 'rows[1].type' }],
    });
    const works = await pay.recipients.create({ name: 'Works', type: 'business', reference: 'W' });
    expect(await pay.recipients.retrieve(works.id)).toEqual(works);
    expect((await pay.recipients.list({ type: 'business' })).data).toEqual([works]);
    expect(await pay.recipients.update(works.id, { country: 'de' })).toMatchObject({ country: 'DE' });
    expect(await pay.recipients.delete(works.id)).toMatchObject({ deleted: true });
  });
});
