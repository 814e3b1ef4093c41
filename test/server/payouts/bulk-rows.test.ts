import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BulkLab, phone, phones, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
beforeAll(async () => {
  lab = await startBulkLab();
  await lab.fund(10_000_00);
});
afterAll(() => lab.close());

interface Row {
  readonly [field: string]: unknown;
}

/** An asset that the operator does not list. */
const unlisted = 'FAKE:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5';
const bank = (account: object) => ({ ...phone, destination: { type: 'bank_account', ...account } });
const wallet = (fields: object) => ({
  ...phone,
  destination: { type: 'crypto_wallet', chain: 'stellar', asset: 'USDC', ...fields },
});
const mobile = (fields: object) => ({ ...phone, destination: { ...phone.destination, ...fields } });
const without = (field: string): Row => Object.fromEntries(Object.entries(phone).filter(([name]) => name !== field));

/** Invalid rows, each with the wrong field and the error code. */
const wrongRows: readonly (readonly [name: string, row: unknown, param: string, code: string])[] = [
  ['a negative amount', { ...phone, amount: -1 }, '.amount', 'invalid_amount'],
  ['an amount of zero', { ...phone, amount: 0 }, '.amount', 'invalid_amount'],
  ['a fraction', { ...phone, amount: 1.5 }, '.amount', 'invalid_amount'],
  ['an amount as text', { ...phone, amount: '100' }, '.amount', 'invalid_amount'],
  ['an amount above 2^53 - 1', { ...phone, amount: 2 ** 53 }, '.amount', 'invalid_amount'],
  ['no amount', without('amount'), '.amount', 'parameter_missing'],
  ['an unknown currency', { ...phone, currency: 'ABC' }, '.currency', 'invalid_currency'],
  ['a currency of two letters', { ...phone, currency: 'EU' }, '.currency', 'invalid_currency'],
  ['no currency', without('currency'), '.currency', 'parameter_missing'],
  ['neither destination nor recipient', without('destination'), '.destination', 'parameter_missing'],
  ['a recipient that is unknown', { ...phone, recipient_id: 'rec_none' }, '.recipient_id', 'resource_missing'],
  ['a field that is unknown', { ...phone, memo: 'x' }, '.memo', 'parameter_unknown'],
  ['an unknown field of the destination', mobile({ iban: 'x' }), '.destination.iban', 'parameter_unknown'],
  ['another type of destination', mobile({ type: 'cash' }), '.destination.type', 'parameter_invalid'],
  ['wrong check digits', bank({ iban: 'DE88370400440532013000' }), '.destination.iban', 'invalid_iban'],
  [
    'a wrong routing number',
    bank({ routing: '021000022', account: '12345678' }),
    '.destination.routing',
    'invalid_routing_number',
  ],
  ['a number without its country', mobile({ number: '0772123456' }), '.destination.number', 'invalid_phone_number'],
  ['a provider that is unknown', mobile({ provider: 'carrier-pigeon' }), '.destination.provider', 'invalid_provider'],
  ['a wrong Stellar address', wallet({ address: 'GABC' }), '.destination.address', 'invalid_address'],
  [
    'an Ethereum address on Stellar',
    wallet({ address: '0x52908400098527886E0F7030069857D2E4169EE7' }),
    '.destination.address',
    'invalid_address',
  ],
  ['a chain that is unknown', wallet({ chain: 'dollarchain', address: 'x' }), '.destination.chain', 'invalid_chain'],
  [
    'a balance to convert that is not listed',
    { ...phone, source_currency: unlisted },
    '.source_currency',
    'asset_not_listed',
  ],
  [
    'an asset to convert into that is not listed',
    wallet({ address: unlisted.slice('FAKE:'.length), asset: unlisted }),
    '.destination.asset',
    'asset_not_listed',
  ],
  ['a balance that is unknown', { ...phone, source_currency: 'NOPE' }, '.source_currency', 'invalid_asset'],
  ['a blank reference', { ...phone, reference: '   ' }, '.reference', 'parameter_invalid'],
  ['a long reference', { ...phone, reference: 'r'.repeat(101) }, '.reference', 'parameter_invalid'],
  ['nested metadata', { ...phone, metadata: { a: { b: 1 } } }, '.metadata.a', 'invalid_metadata'],
  ['a number instead of a row', 7, '', 'parameter_invalid'],
  ['an array instead of a row', [phone], '', 'parameter_invalid'],
  ['null instead of a row', null, '', 'parameter_invalid'],
];

describe('a wrong row', () => {
  it.each(wrongRows)('of a bulk request is named: %s', async (_, row, param, code) => {
    const { status, body } = await lab.bulk([phone, row]);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code, param: `payouts[1]${param}` });
    expect(body.error.errors).toContainEqual({
      index: 1,
      param: `payouts[1]${param}`,
      code,
      message: expect.stringMatching(/\S.*\.$/),
    });
    expect(body.error.errors.every(({ index }: { index: number }) => index === 1)).toBe(true);
  });

  it('is left out with skip_invalid, and the others are accepted', async () => {
    const rows = wrongRows.flatMap(([, row]) => [row, phone]);
    const { status, body } = await lab.bulk(rows, { on_error: 'skip_invalid' });
    expect(status).toBe(202);
    const wrong = wrongRows.length;
    expect(body.counts).toMatchObject({ total: wrong * 2, accepted: wrong, rejected: wrong, pending: wrong });
    for (const [at, [name, , param, code]] of wrongRows.entries()) {
      const found = body.errors.filter(({ index }: { index: number }) => index === at * 2);
      expect(found, name).toContainEqual(expect.objectContaining({ param: `payouts[${at * 2}]${param}`, code }));
    }
    const { data } = (await lab.request(`GET /v1/payout-batches/${body.id}/payouts?limit=100`)).body;
    expect(data).toHaveLength(wrong);
  });

  it('is in the batch, and only the first 100 are in lists and events', async () => {
    const rows = [phone, ...phones(150).map(row => ({ ...row, amount: 0 }))];
    const { id } = await lab.accept(rows, { on_error: 'skip_invalid' });
    const { data } = (await lab.request('GET /v1/payout-batches?limit=100')).body;
    const listed = data.find((batch: { id: string }) => batch.id === id);
    const [event] = (await lab.request(`GET /v1/events?resource=${id}`)).body.data;
    const counts = [(await lab.request(`GET /v1/payout-batches/${id}`)).body, listed, event.data.object];
    expect(counts.map(({ errors, counts: { rejected } }) => [errors.length, rejected])).toEqual([
      ...[
        [150, 150],
        [100, 150],
        [100, 150],
      ],
    ]);
  });

  it('is named with each of its wrong fields', async () => {
    const row = { amount: -1, currency: 'EURO', destination: { type: 'mobile_money', provider: '' }, colour: 'red' };
    const { body } = await lab.bulk([row]);
    const params = body.error.errors.map((error: { param: string }) => error.param);
    expect(params).toEqual([
      ...['payouts[0].amount', 'payouts[0].currency', 'payouts[0].destination.provider'],
      ...['payouts[0].destination.number', 'payouts[0].colour'],
    ]);
  });
});

describe('references', () => {
  it.each([
    ['the same text', 'salary-1', 'salary-1'],
    ['another case', 'salary-2', 'SALARY-2'],
    ['another case beyond ASCII', 'gehälter-3', 'GEHÄLTER-3'],
    ['outer spaces', 'salary-4', '  salary-4 '],
  ])('are refused twice in a request: %s', async (_, first, second) => {
    const { status, body } = await lab.bulk([
      { ...phone, reference: first },
      { ...phone, reference: second },
    ]);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'duplicate_reference', param: 'payouts[1].reference' });
  });

  it.each([
    ['the same text', 'earlier-1', 'earlier-1'],
    ['another case', 'earlier-2', 'Earlier-2'],
    ['the same text beyond ASCII', 'Gehälter-ÄÖ', 'Gehälter-ÄÖ'],
    ['another case beyond ASCII', 'gehälter-äö-2', 'GEHÄLTER-ÄÖ-2'],
    ['outer spaces', 'earlier-4', '\u00a0earlier-4 '],
  ])('of earlier payouts are refused, and nothing is written: %s', async (_, first, second) => {
    await lab.accept([{ ...phone, reference: first }]);
    const before = await lab.written();
    const { status, body } = await lab.bulk([phone, { ...phone, reference: second }]);
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ type: 'conflict_error', code: 'duplicate_reference' });
    expect(body.error.errors).toMatchObject([{ index: 1, param: 'payouts[1].reference' }]);
    expect(await lab.written()).toEqual(before);
  });

  it('of earlier payouts are left out with skip_invalid', async () => {
    await lab.accept([{ ...phone, reference: 'skipped' }]);
    const rows = [phone, { ...phone, reference: 'skipped' }];
    const { status, body } = await lab.bulk(rows, { on_error: 'skip_invalid' });
    expect([status, body.counts.accepted, body.errors.length]).toEqual([202, 1, 1]);
    expect(body.errors[0]).toMatchObject({ index: 1, code: 'duplicate_reference' });
  });

  it('may repeat those of another merchant', async () => {
    await lab.accept([{ ...phone, reference: 'own' }]);
    const other = await lab.addMerchant();
    await lab.fund(1_000, 'EUR', other.secretKey);
    const answer = await lab.bulk([{ ...phone, reference: 'own' }], {}, { key: other.secretKey });
    expect(answer.status, answer.text).toBe(202);
  });

  it('are used by only one of two concurrent batches', async () => {
    const rows = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...phone, reference: `${prefix}-${index}` }));
    const before = await lab.written();
    const shared = rows('race', 20);
    const answers = await Promise.all([
      lab.bulk([...rows('a', 5), ...shared]),
      lab.bulk([...shared.toReversed(), ...rows('b', 5)]),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body.error.code).toBe('duplicate_reference');
    expect(lost?.body.error.errors).toHaveLength(20);
    const after = await lab.written();
    expect([after.batches - before.batches, after.payouts - before.payouts]).toEqual([1, 25]);
  });
});

describe('two batches with the same references, in another order and from another balance', () => {
  it('never wait for each other: one wins', async () => {
    await lab.fund(10_000_00, 'USD');
    const rows = Array.from({ length: 1_500 }, (_, index) => ({ ...phone, amount: 1, reference: `cross-${index}` }));
    const dollars = rows.toReversed().map(row => ({ ...row, currency: 'USD' }));
    const answers = await Promise.all([lab.bulk(rows), lab.bulk(dollars)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  });
});

describe('rows with a recipient', () => {
  const create = async (destinations?: unknown[]) => {
    const body = { name: 'Kwame', type: 'individual', ...(destinations && { destinations }) };
    return (await lab.request('POST /v1/recipients', { body })).body.id as string;
  };
  const { destination, ...bare } = phone;

  it('go to the default destination of the recipient, unless they name another', async () => {
    const recipient_id = await create([destination]);
    const other = { type: 'mobile_money', provider: 'wave', number: '+221771234567' };
    const { id } = await lab.accept([
      { ...bare, recipient_id },
      { ...bare, recipient_id, destination: other },
    ]);
    const { data } = (await lab.request(`GET /v1/payout-batches/${id}/payouts`)).body;
    expect(data).toMatchObject([
      { recipient_id, destination },
      { recipient_id, destination: other },
    ]);
  });

  it('are refused when the recipient has no destination, is deleted, or belongs to another merchant', async () => {
    const [bareRecipient, deleted] = [await create(), await create([destination])];
    await lab.request(`DELETE /v1/recipients/${deleted}`);
    const other = await lab.addMerchant();
    const body = { name: 'Ada', type: 'individual', destinations: [destination] };
    const foreign = (await lab.request('POST /v1/recipients', { body, key: other.secretKey })).body.id;
    const rows = [bareRecipient, deleted, foreign].map(recipient_id => ({ ...bare, recipient_id }));
    const { status, body: answer } = await lab.bulk(rows);
    expect(status).toBe(400);
    expect(answer.error.errors).toMatchObject([
      { index: 0, param: 'payouts[0].destination', code: 'parameter_missing' },
      { index: 1, param: 'payouts[1].recipient_id', code: 'resource_missing' },
      { index: 2, param: 'payouts[2].recipient_id', code: 'resource_missing' },
    ]);
  });
});

describe('a request of 10,000 rows', () => {
  it('is accepted at once', async () => {
    await lab.fund(10_000 * 100);
    const { id, counts } = await lab.accept(phones(10_000));
    expect(counts).toMatchObject({ total: 10_000, accepted: 10_000, pending: 10_000 });
    expect((await lab.request(`GET /v1/payout-batches/${id}`)).body.counts.pending).toBe(10_000);
    expect((await lab.request(`POST /v1/payout-batches/${id}/cancel`)).body).toMatchObject({ status: 'canceled' });
  }, 90_000);

  it('names every wrong row in one answer, and writes nothing', async () => {
    const before = await lab.written();
    const rows = phones(10_000).map((row, index) => (index % 2 === 1 ? { ...row, amount: -index } : row));
    const { status, body } = await lab.bulk(rows);
    expect(status).toBe(400);
    expect(body.error.errors).toHaveLength(5_000);
    expect(body.error.message).toContain('4999 more');
    const named = body.error.errors.map(({ index, param }: { index: number; param: string }) => [index, param]);
    expect(named).toEqual(Array.from({ length: 5_000 }, (_, at) => [2 * at + 1, `payouts[${2 * at + 1}].amount`]));
    expect(await lab.written()).toEqual(before);
  });

  it('names rows whose form is right as well as those whose form is wrong', async () => {
    const rows: object[] = phones(10_000);
    rows[5_000] = { ...phone, destination: { type: 'bank_account', iban: 'DE00' } };
    rows[9_999] = { ...phone, amount: 'x' };
    const { status, body } = await lab.bulk(rows);
    expect(status).toBe(400);
    expect(body.error.errors.map(({ index }: { index: number }) => index)).toEqual([5_000, 9_999]);
  });
});
