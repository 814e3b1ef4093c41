import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { find, findAll, readXml, textAt } from '../../../src/core/xml.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

const schemaPath = join(import.meta.dirname, '../../../../shared/vectors/iso20022/camt.053.001.08.xsd');

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab({
    merchant: { name: 'Tea & <Coffee>', timezone: 'Europe/Berlin', settlementSchedule: 'manual' },
  });
  const fund = (amount: number) => lab.request('POST /v1/test_helpers/fund', { body: { currency: 'EUR', amount } });
  await fund(10_000);
  lab.clock.advance(86_400);
  const { id } = await lab.createPaid({ amount: 2_500 });
  await lab.sweep('payments.make_available');
  lab.clock.advance(1);
  await lab.refund(id, { amount: 400 });
  lab.clock.advance(86_400);
  await fund(5_000);
});
afterAll(() => lab.close());

const get = (kind: 'csv' | 'xml', query: Record<string, string>) =>
  lab.request(`GET /v1/balance/statement.${kind}?${new URLSearchParams(query)}`);

describe('a statement of payments by phone', () => {
  it.each(['pending', 'available'])('adds up to the balance (%s), and says what each booking was', async account => {
    const { id } = await lab.create({ amount: 90_000, currency: 'UGX', payment_methods: ['mobile_money'] });
    await lab.act(id, 'confirm', { method: 'mobile_money', provider: 'mtn', number: '+256772127139' });
    await lab.request('POST /v1/test_helpers/mobile_money', { body: { payment: id, outcome: 'approve' } });
    lab.clock.advance(5);
    await lab.sweep('payments.attempts');
    await lab.sweep('payments.make_available');
    await lab.refund(id, { amount: 30_000 });
    lab.clock.advance(5);
    await lab.sweep('outbound.send', 'payouts.returns', 'payments.make_available');
    const query = { from: '2026-11-01', currency: 'UGX', account };
    const lines = (await get('csv', query)).text
      .trim()
      .split('\r\n')
      .slice(1)
      .map(line => line.split(','));
    const last = lines.at(-1)?.[5];
    expect(Number(last)).toBe((await lab.balance())[`${account} UGX`] ?? 0);
    const texts = lines.map(line => line.at(-1) ?? '');
    expect(texts).toContain(
      account === 'pending' ? 'Payment by mobile money' : 'Payment moved to the available balance',
    );
    expect(texts).toContain(account === 'pending' ? 'Refund returned by the operator' : 'Refund reserved');
    const statement = find(readXml((await get('xml', query)).text), 'BkToCstmrStmt/Stmt');
    const closing = statement === null ? [] : findAll(statement, 'Bal').map(each => textAt(each, 'Amt'));
    expect(closing.at(-1)).toBe(last);
  });
});

describe('GET /v1/balance/statement.csv', () => {
  it('has the entries of the period between two balances', async () => {
    const { status, headers, text } = await get('csv', { from: '2026-11-03', to: '2026-11-03', currency: 'eur' });
    expect([status, headers['content-type'], text[0]]).toEqual([200, 'text/csv; charset=utf-8', '\ufeff']);
    const [names, ...lines] = text
      .trim()
      .split('\r\n')
      .map(line => line.split(','));
    expect(names?.slice(2, 7)).toEqual(['kind', 'debit', 'credit', 'balance', 'currency']);
    expect(lines[0]?.slice(2, 7)).toEqual(['opening_balance', '', '', '100.00', 'EUR']);
    expect(lines.slice(1).map(line => line.slice(3, 6))).toEqual([
      ['', '25.00', '125.00'],
      ['4.00', '', '121.00'],
    ]);
  });

  it.each<[Record<string, string>, string]>([
    [{ currency: 'EUR' }, 'from'],
    [{ from: '2026-11-03' }, 'currency'],
    [{ from: '2026-02-30', currency: 'EUR' }, 'from'],
    [{ from: '2026-11-03', to: '2026-11-02', currency: 'EUR' }, 'from'],
    [{ from: '2026-11-03', currency: 'EUR', account: 'treasury' }, 'account'],
  ])('refuses %j', async (query, param) => {
    const { status, body } = await get('csv', query);
    expect([status, body.error.param]).toEqual([400, param]);
  });
});

describe('GET /v1/balance/statement.xml', () => {
  const read = async (query: Record<string, string>) => {
    const { status, text } = await get('xml', { currency: 'EUR', ...query });
    expect(status, text).toBe(200);
    return text;
  };

  it('is a camt.053 with opening balance, entries and closing balance', async () => {
    const statement = find(readXml(await read({ from: '2026-11-03', to: '2026-11-04' })), 'BkToCstmrStmt/Stmt');
    if (statement === null) throw new Error('there is no statement');
    const amounts = (path: string) =>
      findAll(statement, path).map(each => `${textAt(each, 'CdtDbtInd')} ${textAt(each, 'Amt')}`);
    expect(amounts('Bal')).toEqual(['CRDT 100.00', 'CRDT 171.00']);
    expect(amounts('Ntry')).toEqual(['CRDT 25.00', 'DBIT 4.00', 'CRDT 50.00']);
    const texts = findAll(statement, 'Ntry').map(each => textAt(each, 'AddtlNtryInf'));
    expect(texts).toEqual(['Payment moved to the available balance', 'Refund reserved', 'Test money']);
    expect(textAt(statement, 'Acct/Ownr/Nm')).toBe('Tea & <Coffee>');
    expect(textAt(statement, 'FrToDt/FrDtTm')).toBe('2026-11-02T23:00:00Z');
  });

  it('is for currencies only', async () => {
    const { status, body } = await get('xml', { from: '2026-11-03', asset: 'USDC' });
    expect([status, body.error.param]).toEqual([400, 'asset']);
  });

  it.skipIf(!existsSync(schemaPath)).each(['2026-11-03', '2026-12-01'])(
    'is valid by its schema from %s',
    async from => {
      const xml = [{ fileName: 'statement.xml', contents: await read({ from, to: '2026-12-02' }) }];
      const result = await validateXML({ xml, schema: [readFileSync(schemaPath, 'utf8')] });
      expect(result.errors).toEqual([]);
    },
  );
});
