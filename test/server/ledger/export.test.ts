import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayClient } from '../../../src/api/client.ts';
import { readCsv } from '../../../src/server/platform/csv.ts';
import { listen } from '../../support/app.ts';
import { logStatements, type StatementLog } from '../../support/statements.ts';
import { touchedRows } from '../../support/touched-rows.ts';
import { type InvoiceLab, startInvoiceLab } from '../invoices/invoice-lab.ts';

let log: StatementLog;
let lab: InvoiceLab;
beforeAll(async () => {
  log = logStatements();
  lab = await startInvoiceLab();
});
afterAll(async () => {
  log.stop();
  await lab?.close();
});

type Row = Readonly<Record<string, string>>;

async function rowsIn(bytes: Uint8Array): Promise<Row[]> {
  const [names = ''] = new TextDecoder().decode(bytes).split('\r\n', 1);
  const source = (async function* () {
    yield bytes;
  })();
  const rows: Row[] = [];
  for await (const { cells } of readCsv(source, { required: names.split(','), optional: [] }, 10_000)) rows.push(cells);
  return rows;
}

async function readExport(query: Record<string, string> = {}, key = lab.merchant.secretKey) {
  const answer = await lab.request(`GET /v1/ledger.csv?${new URLSearchParams(query)}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return { answer, rows: await rowsIn(answer.bytes) };
}

/** Account, debit and credit of lines, oldest transaction first. */
const booked = (rows: readonly Row[]) =>
  rows.map(row => [row['account'], row['debit'] ?? '', row['credit'] ?? ''].join(' ')).toSorted();

describe('GET /v1/ledger.csv', () => {
  it('has every line of a payment and its invoice, and each transaction balances', async () => {
    const invoice = await lab.sent();
    const payment = await lab.start(invoice.id);
    await lab.payByCard(payment.id);
    const { answer, rows } = await readExport();
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="ledger-2026-11-02.csv"',
    });
    expect(booked(rows.filter(row => row['payment'] === payment.id))).toEqual([
      'clearing.sandbox_card 119.00 ',
      'invoices.receivable  119.00',
      'invoices.received 119.00 ',
      'merchant.pending  119.00',
    ]);
    const sent = rows.filter(row => row['kind'] === 'invoice_sent');
    expect(booked(sent)).toEqual(['invoices.receivable 119.00 ', 'invoices.revenue  100.00', 'invoices.tax  19.00']);
    expect(sent[0]).toMatchObject({ source: invoice.id, currency: 'EUR', created_at: '2026-11-02T09:00:00.000Z' });
    const sums = new Map<string, number>();
    for (const { transaction = '', currency = '', credit = '0', debit = '0' } of rows) {
      const key = `${transaction} ${currency}`;
      sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(credit) * 100) - Math.round(Number(debit) * 100));
    }
    expect([...sums.values()].filter(sum => sum !== 0)).toEqual([]);
  });

  it('takes filters, and shows assets', async () => {
    await lab.request('POST /v1/test_helpers/fund', { body: { asset: 'XLM', amount: '12.5' } });
    const { rows: funded } = await readExport({ account: 'funding' });
    expect(booked(funded)).toEqual(['funding 12.5000000 ']);
    expect(funded[0]?.['currency']).toBe('XLM');
    lab.clock.advance(60);
    const { id } = await lab.sent();
    const since = { 'created_at[gte]': lab.clock.now().toISOString() };
    expect(new Set((await readExport(since)).rows.map(row => row['source']))).toEqual(new Set([id]));
    expect((await readExport({ source: id })).rows).toHaveLength(3);
  });

  it('has every page of many rows; a page reads few of them, also after a line', async () => {
    const { secretKey: key, id: merchant } = await lab.addMerchant();
    await lab.database.pool.query(
      `with made as (
         insert into ledger_transactions (merchant_id, id, livemode, kind, created_at)
         select $1, 'txn_many' || at, false, 'test_funding', timestamptz '2026-11-01' + at / 4 * interval '1 second'
         from generate_series(1, 4000) at returning *
       )
       insert into ledger_entries (merchant_id, transaction_id, line, livemode, account, currency, amount, created_at)
       select merchant_id, id, side, false, case side when 1 then 'funding' else 'merchant.available' end, 'EUR',
         case side when 1 then -100 else 100 end, created_at
       from made cross join generate_series(1, 2) side`,
      [merchant],
    );
    await lab.database.pool.query('analyze ledger_entries, ledger_transactions');
    const page = async (query: string) => {
      const { status, body, text } = await lab.request(`GET /v1/balance/entries?limit=20${query}`, { key });
      expect(status, text).toBe(200);
      return body.data as { readonly id: string }[];
    };
    const first = await page('');
    const second = await page(`&starting_after=${first.at(-1)?.id}`);
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(40);
    expect(await page(`&ending_before=${second[0]?.id}`)).toEqual(first);
    for (const query of ['', `&starting_after=${second.at(-1)?.id}`, `&ending_before=${second[0]?.id}`]) {
      expect(await touchedRows(lab.database, log, () => page(query)), query).toBeLessThan(200);
    }
    const { rows } = await readExport({}, key);
    expect(new Set(rows.map(row => row['id'])).size).toBe(8000);
  });

  it('is read by the client, and refused for other filters, keys and merchants', async () => {
    const baseUrl = `http://127.0.0.1:${await listen(lab)}`;
    const client = createPayClient({ baseUrl, apiKey: lab.merchant.secretKey });
    expect(booked(await rowsIn(new Uint8Array(await client.balance.ledger({ account: 'funding' }))))).toEqual([
      'funding 12.5000000 ',
    ]);
    expect((await lab.request('GET /v1/ledger.csv?limit=5')).status).toBe(400);
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['payments:read'] });
    expect((await lab.request('GET /v1/ledger.csv', { key })).status).toBe(403);
    const other = await lab.addMerchant();
    const { text } = await lab.request('GET /v1/ledger.csv', { key: other.secretKey });
    expect(text.trim().split('\r\n')).toHaveLength(1);
  });
});
