import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payout } from '../../../src/api/payout.ts';
import type { TestAnswer } from '../../support/app.ts';
import { refusal } from '../payments/payment-lab.ts';
import { allOf, type BulkLab, phone, phones, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
beforeAll(async () => {
  lab = await startBulkLab();
  await lab.fund(100_000_00);
});
afterAll(() => lab.close());

const csv = { 'content-type': 'text/csv' };
const upload = (lines: readonly string[], query = '', headers = {}): Promise<TestAnswer> =>
  lab.request(`POST /v1/payouts/bulk${query}`, { body: lines.join('\r\n'), headers: { ...csv, ...headers } });

const columns = 'amount,currency,reference,type,provider,number';
const line = (reference = '', amount: string | number = 100) =>
  `${amount},EUR,${reference},mobile_money,mtn,+256772123456`;

describe('payouts in CSV', () => {
  it('are accepted as those in JSON are', async () => {
    const destination = { type: 'crypto_wallet', chain: 'ethereum', asset: 'USDC' };
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    const { status, body } = await upload([
      'amount;currency;source_currency;reference;description;type;provider;number;chain;address;asset;metadata.team',
      '100;eur;;csv-1;Lunch, and more;mobile_money;MTN;+256 772 123456;;;;kitchen',
      `250;USD;EUR;;;crypto_wallet;;;ethereum;${address};USDC;`,
    ]);
    expect([status, body.counts.accepted]).toEqual([202, 2]);
    const { data } = (await lab.request(`GET /v1/payout-batches/${body.id}/payouts`)).body;
    expect(data).toMatchObject([
      {
        amount: 100,
        currency: 'EUR',
        reference: 'csv-1',
        description: 'Lunch, and more',
        destination: phone.destination,
        metadata: { team: 'kitchen' },
      },
      { amount: 250, currency: 'USD', reference: null, destination: { ...destination, address }, metadata: {} },
    ]);
  });

  it('take the column names of recipient files', async () => {
    const names = 'amount,currency,destination.type,destination.provider,destination.number';
    const { status, body } = await upload([names, '100,EUR,mobile_money,mtn,+256772123456']);
    expect([status, body.counts?.accepted]).toEqual([202, 1]);
  });

  it('take options from the query', async () => {
    const at = '2026-12-01T09:00:00Z';
    const query = `?on_error=skip_invalid&description=Wages&scheduled_at=${at}&approval=true`;
    const { status, body } = await upload([columns, line('', -5), line('optional')], query);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'awaiting_approval',
      description: 'Wages',
      schedule: { type: 'scheduled', at },
      counts: { total: 2, accepted: 1, rejected: 1 },
      errors: [{ index: 0, code: 'invalid_amount' }],
    });
    const dry = await upload([columns, line('dry')], '?dry_run=true');
    expect([dry.status, dry.body.id]).toEqual([200, null]);
  });

  it.each([
    ['a negative amount', line('', -1), '.amount', 'invalid_amount'],
    ['a decimal amount', line('', '1.50'), '.amount', 'invalid_amount'],
    ['an amount above 2^53 - 1', line('', '9007199254740993'), '.amount', 'invalid_amount'],
    ['an amount as formula', line('', '=1+1'), '.amount', 'invalid_amount'],
    ['no amount', line('', ''), '.amount', 'parameter_missing'],
    ['a reference that repeats', line('first'), '.reference', 'duplicate_reference'],
    [
      'a number without its country',
      '100,EUR,,mobile_money,mtn,0772123456',
      '.destination.number',
      'invalid_phone_number',
    ],
    ['no destination', '100,EUR,,,,', '.destination', 'parameter_missing'],
    ['a cell too many', `${line()},x`, '', 'malformed_request'],
  ])('name a wrong row by index and field: %s', async (_, row, param, code) => {
    const before = await lab.written();
    const { status, body } = await upload([columns, line('first'), row, line('last')]);
    expect(status).toBe(400);
    expect(body.error.errors).toMatchObject([{ index: 1, param: `payouts[1]${param}`, code }]);
    expect(await lab.written()).toEqual(before);
  });

  it.each([
    ['an unknown column', ['amount,currency,colour', '1,EUR,red'], 'parameter_unknown', 'colour'],
    ['a missing column', ['amount,reference', '1,x'], 'parameter_missing', 'currency'],
    ['no row', [columns], 'batch_size', 'payouts'],
    ['10,001 rows', [columns, ...Array.from({ length: 10_001 }, () => line())], 'batch_size', null],
    ['a quote that stays open', [columns, '"100,EUR'], 'malformed_request', null],
    ['nothing', [], 'malformed_request', null],
  ])('are refused with %s', async (_, lines, code, param) => {
    expect(refusal(await upload(lines))).toEqual([400, code, param]);
  });

  it('are refused with an unknown option, and above 16 MiB', async () => {
    expect(refusal(await upload([columns, line()], '?when=now'))).toEqual([400, 'parameter_unknown', 'when']);
    const long = Array.from({ length: 9_000 }, (_, at) => `${line(`long-${at}`)}${' '.repeat(2_000)}`);
    expect(refusal(await upload([columns, ...long])).slice(0, 2)).toEqual([413, 'body_too_large']);
    const inJson = await lab.request('POST /v1/payouts/bulk?dry_run=true', { body: { payouts: [phone] } });
    expect(refusal(inJson)).toEqual([400, 'parameter_unknown', 'dry_run']);
  });

  it('are paid once for an Idempotency-Key, whose options count', async () => {
    const headers = { 'idempotency-key': 'csv-once' };
    const [first, second] = [
      await upload([columns, line()], '', headers),
      await upload([columns, line()], '', headers),
    ];
    expect([first.status, second.text, second.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
    const other = await upload([columns, line()], '?on_error=skip_invalid', headers);
    expect(refusal(other).slice(0, 2)).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('the results of a batch', () => {
  const read = async (id: string, key = lab.merchant.secretKey) => {
    const answer = await lab.request(`GET /v1/payout-batches/${id}/results.csv`, { key });
    return { ...answer, lines: answer.text.split('\r\n').slice(0, -1) };
  };

  it('have one line for each row, in their order, refused rows included', async () => {
    const rows = [
      { ...phone, amount: 0 },
      { ...phone, reference: '=HYPERLINK("x")', description: 'a' },
      { ...phone, currency: 'ABC' },
      {
        ...phone,
        currency: 'USD',
        source_currency: 'EUR',
        destination: { ...phone.destination, number: '+256772123089' },
      },
      { ...phone, destination: { type: 'mobile_money', provider: 'pigeon', number: '1' } },
    ];
    const { id } = await lab.accept(rows, { on_error: 'skip_invalid' });
    await lab.arrive();
    const { status, headers, lines } = await read(id);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${id}.csv"`,
    });
    expect(lines[0]).toBe(
      '\ufeffindex,id,reference,recipient_id,status,amount,currency,source_amount,source_currency,destination,paid_amount,' +
        'paid_currency,rate,fee,rail,trace,failure_code,failure_message,created_at,completed_at',
    );
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^0,,,,rejected,.*,invalid_amount,payouts\[0\]/),
      expect.stringMatching(
        /^1,po_\w+,"'=HYPERLINK\(""x""\)",,completed,100,EUR,100,EUR,mtn \+256772123456,1\.00,EUR,,0,mtn,/,
      ),
      expect.stringMatching(/^2,,,,rejected,.*,invalid_currency,/),
      expect.stringMatching(
        /^3,po_\w+,,,failed,100,USD,\d+,EUR,mtn \+256772123089,,,1\.08\d*,0,mtn,.*,recipient_not_found,/,
      ),
      expect.stringMatching(/^4,,,,rejected,.*,invalid_provider,.*phone number/),
    ]);
    const failed = await lab.request(`GET /v1/payout-batches/${id}/results.csv?status=failed`);
    expect(failed.text.split('\r\n').map(text => text.split(',')[0])).toEqual(['\ufeffindex', '3', '']);
    const batch = (await lab.request(`GET /v1/payout-batches/${id}`)).body;
    expect(batch.statuses).toEqual({ completed: 1, failed: 1 });
  });

  it('are closed to other merchants and to keys without the scope', async () => {
    const { id } = await lab.accept([phone]);
    const other = await lab.addMerchant();
    expect((await read(id, other.secretKey)).status).toBe(404);
    const narrow = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['recipients:read'] });
    expect((await read(id, narrow)).status).toBe(403);
  });

  it('and the list of payouts follow the rows of a long batch', async () => {
    const rows = phones(2_345).map((row, index) => ({ ...row, amount: index + 1 }));
    const { id } = await lab.accept(rows);
    const { lines } = await read(id);
    expect(lines.slice(1).map(text => Number(text.split(',')[0]))).toEqual(rows.map((_, index) => index));
    const all = await allOf<Payout>(lab, `/v1/payout-batches/${id}/payouts`);
    expect(all.map(({ amount }) => amount)).toEqual(rows.map(({ amount }) => amount));
    const third = all[300]?.id;
    const back = await lab.request(`GET /v1/payout-batches/${id}/payouts?limit=3&ending_before=${third}`);
    expect(back.body.data.map((payout: Payout) => payout.amount)).toEqual([298, 299, 300]);
  });
});

describe('GET /v1/payouts.csv', () => {
  it('has a line for each payout of the filters, newest first', async () => {
    lab.clock.advance(1);
    await lab.accept([{ ...phone, reference: '=1+1' }]);
    lab.clock.advance(1);
    await lab.accept([{ ...phone, amount: 250, reference: 'export-2' }]);
    const { status, headers, text } = await lab.request('GET /v1/payouts.csv?currency=eur');
    const [names, first, second] = text.split('\r\n');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(names).toMatch(/^\ufeffid,reference,recipient_id,status,amount,currency,/);
    expect(first).toMatch(/^po_\w+,export-2,,queued,250,EUR,/);
    expect(second).toMatch(/^po_\w+,'=1\+1,,queued,100,EUR,/);
    const { text: one } = await lab.request(`GET /v1/payouts.csv?id=${first?.split(',')[0]}`);
    expect(one).toBe(`${names}\r\n${first}\r\n`);
    const { text: none } = await lab.request('GET /v1/payouts.csv?status=failed&created_at[gt]=2027-01-01T00:00:00Z');
    expect(none.trim().split('\r\n')).toHaveLength(1);
    expect((await lab.request('GET /v1/payouts.csv?limit=5')).status).toBe(400);
  });

  it('shows the entries of one payout or batch', async () => {
    const { id } = await lab.accept([phone]);
    const { body } = await lab.request(`GET /v1/balance/entries?source=${id}`);
    expect(body.data).toMatchObject([
      { kind: 'payouts_reserved', account: 'reserved', amount: 100, source: id },
      { kind: 'payouts_reserved', account: 'available', amount: -100, source: id },
    ]);
  });
});
