import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreditNote } from '../../../src/api/invoice/invoice-money.ts';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { TaxReportLine } from '../../../src/api/invoice/tax-report.ts';
import { oracle } from '../../core/invoice-oracle.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab?.close());

const read = async (path: string) => await lab.request(`GET ${path as `/${string}`}`);
const line = (unit_amount: number, percent?: number) => ({
  description: 'Work',
  unit_amount,
  ...(percent !== undefined && { tax: { name: 'VAT', percent } }),
});

/** The rows of a CSV file, by column. */
function rowsOf(text: string): Record<string, string | undefined>[] {
  const [head = '', ...rows] = text.trim().split('\r\n');
  const names = head.split(',');
  return rows.map(row => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])));
}

describe('GET /v1/invoices.csv', () => {
  it('has each invoice of the filters with its stand, and no formula', async () => {
    const draft = await lab.draft();
    const paid = await lab.sent({ customer: { name: '=1+2', email: 'evil@example.com' }, reference: '@SUM(A1)' });
    await lab.payInvoice(paid.id, 1_900);
    const answer = await read('/v1/invoices.csv');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="invoices-.*\.csv"$/);
    const rows = rowsOf(answer.text);
    const [first, second] = [draft, paid].map(({ id }) => rows.find(row => row['id'] === id));
    expect(first).toMatchObject({ id: draft.id, number: '', status: 'draft', total: '119.00' });
    expect(second).toMatchObject({
      number: paid.number,
      status: 'partially_paid',
      customer_name: "'=1+2",
      reference: "'@SUM(A1)",
      currency: 'EUR',
      tax_total: '19.00',
      amount_paid: '19.00',
      amount_remaining: '100.00',
    });
    expect(rowsOf((await read('/v1/invoices.csv?status=draft')).text).map(({ id }) => id)).toEqual([draft.id]);
    expect((await read('/v1/invoices.csv?customer=nobody@example.com')).text.trim().split('\r\n')).toHaveLength(1);
  });

  it('is refused for other filters and other keys', async () => {
    expect((await read('/v1/invoices.csv?status=lost')).status).toBe(400);
    expect((await read('/v1/invoices.csv?limit=5')).status).toBe(400);
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['payments:read'] });
    expect((await lab.request('GET /v1/invoices.csv', { key })).status).toBe(403);
    const other = await lab.addMerchant();
    expect(rowsOf((await lab.request('GET /v1/invoices.csv', { key: other.secretKey })).text)).toEqual([]);
  });
});

describe('the taxes of a period', () => {
  /** Takes the money of the invoice's card payment back. */
  const dispute = async (id: string) => {
    const [{ id: payment, amount }] = (await read(`/v1/payments?invoice=${id}`)).body.data;
    const { status } = await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment, amount } });
    expect(status).toBe(201);
  };

  it('are what was issued less what was credited, by currency and rate', async () => {
    const shop = await lab.addMerchant();
    const call = (path: string, body?: object) =>
      lab.request(path as 'POST /', { key: shop.secretKey, ...(body !== undefined && { body }) });
    const issue = async (changes: object) => {
      const { body } = await call('POST /v1/invoices', { ...order, ...changes });
      await call(`POST /v1/invoices/${body.id}/send`);
      return body;
    };
    const { id } = await issue({ lines: [line(10_000, 19), line(20_000, 7), line(5_000, 19)] });
    await issue({ lines: [line(3_000)], currency: 'USD' });
    await issue({ lines: [line(100, 19)] });
    const gone = await issue({ lines: [line(77_700, 19)] });
    await call(`POST /v1/invoices/${gone.id}/void`);
    await call('POST /v1/invoices', { ...order, lines: [line(99_900, 19)] });
    const note = await call(`POST /v1/invoices/${id}/credit-notes`, { amount: 3_925 });
    expect(note.status, note.text).toBe(201);
    const today = lab.clock.now().toISOString().slice(0, 10);
    const { status, body } = await call(`GET /v1/reports/taxes?from=${today}&to=${today}`);
    expect([status, body.object, body.from, body.to]).toEqual([200, 'tax_report', today, today]);
    const [high, low, none] = body.data;
    expect(high).toMatchObject({
      currency: 'EUR',
      name: 'VAT',
      percent: '19',
      invoiced: { base: 15_100, amount: 2_869 },
    });
    expect(low).toMatchObject({ currency: 'EUR', percent: '7', invoiced: { base: 20_000, amount: 1_400 } });
    expect(none).toEqual({
      currency: 'USD',
      name: '',
      percent: '0',
      category: 'outside_scope',
      base: 3_000,
      amount: 0,
      invoiced: { base: 3_000, amount: 0 },
      credited: { base: 0, amount: 0 },
    });
    const credited = note.body.taxes as { percent: string; base: number; amount: number }[];
    for (const rate of [high, low]) {
      const part = credited.find(({ percent }) => percent === rate.percent);
      expect(rate.credited).toEqual({ base: part?.base, amount: part?.amount });
      expect([rate.base, rate.amount]).toEqual([
        rate.invoiced.base - rate.credited.base,
        rate.invoiced.amount - rate.credited.amount,
      ]);
    }
    const csv = await call(`GET /v1/reports/taxes.csv?from=${today}&to=${today}`);
    expect(rowsOf(csv.text)[2]).toMatchObject({ currency: 'USD', percent: '0', base: '30.00', amount: '0.00' });
    expect((await call('GET /v1/reports/taxes?from=2020-01-01&to=2020-12-31')).body.data).toEqual([]);
  });

  it.each([
    ['voided without a credit note', { isPaid: false, credits: [], expected: [] }],
    ['credited in full', { isPaid: false, credits: [11_900], expected: [[10_000, 1_900]] }],
    ['credited in parts', { isPaid: false, credits: [5_000, 6_900], expected: [[10_000, 1_900]] }],
    ['voided after a dispute and a partial credit', { isPaid: true, credits: [2_380], expected: [[2_000, 380]] }],
  ])('count an invoice that was %s as far as it was credited', async (_, { isPaid, credits, expected }) => {
    const nextMonth = () => {
      lab.clock.advance(40 * 86_400);
      return lab.clock.now().toISOString().slice(0, 10);
    };
    const issued = nextMonth();
    const { id } = await lab.sent({ due_date: null });
    if (isPaid) await lab.payInvoice(id);
    const credited = nextMonth();
    for (const amount of credits) expect((await lab.invoice(id, 'credit-notes', { amount })).status).toBe(201);
    if (isPaid) {
      // The customer spends the credit first, so the dispute takes the whole amount back.
      nextMonth();
      await lab.sent({ lines: [line(2_380)], due_date: null });
      await dispute(id);
    }
    await lab.invoice(id, 'void');
    expect((await lab.readInvoice(id)).status).toBe('void');
    const sumsOf = async (day: string, part: 'invoiced' | 'credited') => {
      const { data } = (await read(`/v1/reports/taxes?from=${day}&to=${day}`)).body;
      return data.map((rate: TaxReportLine) => [rate[part].base, rate[part].amount]);
    };
    expect(await sumsOf(issued, 'invoiced')).toEqual(expected);
    expect(await sumsOf(credited, 'credited')).toEqual(expected);
    const csv = rowsOf((await read(`/v1/reports/taxes.csv?from=${issued}&to=${credited}`)).text);
    expect(csv.map(({ base, amount }) => [base, amount])).toEqual(expected.map(() => ['0.00', '0.00']));
  });

  /** The taxes of a new day, as rows with the category, the rate and a part of the sums. */
  const newDay = () => {
    lab.clock.advance(86_400);
    const today = lab.clock.now().toISOString().slice(0, 10);
    const reportOf = async (): Promise<TaxReportLine[]> =>
      (await read(`/v1/reports/taxes?from=${today}&to=${today}`)).body.data;
    const csv = async () => rowsOf((await read(`/v1/reports/taxes.csv?from=${today}&to=${today}`)).text);
    return { reportOf, csv };
  };
  const untaxed = (unit_amount: number, category?: string) => ({
    ...line(unit_amount),
    ...(category !== undefined && { vat: { category } }),
  });

  it('have untaxed lines by their VAT category, also in credit notes and beside taxed lines', async () => {
    const { reportOf, csv } = newDay();
    const { id } = await lab.sent({ lines: [line(20_000, 7), untaxed(5_000, 'exempt'), untaxed(1_000)] });
    for (const [category, amount] of [
      ['reverse_charge', 3_000],
      ['export', 4_000],
      ['intra_eu', 500],
      [undefined, 700],
    ] as const) {
      await lab.sent({ lines: [untaxed(amount, category)] });
    }
    await lab.sent({ lines: [line(900, 0), { ...line(800, 0), vat: { category: 'export' } }] });
    for (const lines of [[{ line: 1, amount: 2_000 }], [{ line: 0 }]]) {
      expect((await lab.invoice(id, 'credit-notes', { lines })).status).toBe(201);
    }
    const rows = (await reportOf()).map(({ name, percent, category, invoiced, credited }) => [
      ...[name, percent, category, invoiced.base, credited.base, credited.amount],
    ]);
    expect(rows).toEqual([
      ['VAT', '7', 'standard', 20_000, 20_000, 1_400],
      ['', '0', 'exempt', 6_000, 2_000, 0],
      ['', '0', 'export', 4_000, 0, 0],
      ['', '0', 'intra_eu', 500, 0, 0],
      ['', '0', 'outside_scope', 700, 0, 0],
      ['', '0', 'reverse_charge', 3_000, 0, 0],
      ['VAT', '0', 'export', 800, 0, 0],
      ['VAT', '0', 'zero', 900, 0, 0],
    ]);
    expect((await csv()).map(({ category, base }) => [category, base])).toContainEqual(['exempt', '40.00']);
  });

  const percents = fc.constantFrom('5', '12.5', '33.33');
  const randomLine = fc
    .record({
      quantity: fc.constantFrom('1', '3', '0.7', '12.345'),
      unitAmount: fc.bigInt({ min: 1n, max: 100_000n }),
      discount: fc.option(
        percents.map(percent => ({ percent })),
        { nil: null },
      ),
      tax: fc.constantFrom('19', '7', '0', null),
      inclusive: fc.boolean(),
      category: fc.constantFrom('zero', 'exempt', 'reverse_charge', 'export', 'outside_scope', null),
    })
    .map(({ tax, inclusive, category, ...terms }) => ({
      ...terms,
      taxes: tax === null ? [] : [{ name: 'VAT', percent: tax, inclusive, compound: false }],
      category: tax === '19' || tax === '7' ? null : category,
    }));
  const randomCredit = fc.oneof(
    fc.record({ percent: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ line: fc.nat(5), percent: fc.integer({ min: 1, max: 100 }) }),
  );
  const randomInvoice = fc.record({
    lines: fc.array(randomLine, { minLength: 1, maxLength: 6 }),
    discount: fc.option(
      percents.map(percent => ({ percent })),
      { nil: null },
    ),
    credits: fc.array(randomCredit, { maxLength: 3 }),
  });

  it('have the net total of every document, for random invoices and credit notes', async () => {
    const baseOf = (rows: readonly TaxReportLine[]) => rows.reduce((sum, { base }) => sum + base, 0);
    await fc.assert(
      fc.asyncProperty(fc.array(randomInvoice, { minLength: 1, maxLength: 3 }), async invoices => {
        const { reportOf } = newDay();
        let net = 0n;
        const open: Invoice[] = [];
        for (const { lines, discount, credits } of invoices) {
          const wanted = oracle(lines, discount);
          const sent = await lab.sent({
            lines: lines.map(({ quantity, unitAmount, taxes, ...terms }) => ({
              description: 'x',
              quantity,
              unit_amount: Number(unitAmount),
              taxes,
              ...(terms.discount !== null && { discount: terms.discount }),
              ...(terms.category !== null && { vat: { category: terms.category } }),
            })),
            ...(discount !== null && { discount }),
          });
          net += wanted.total - wanted.taxTotal;
          for (const credit of credits) {
            const of = 'line' in credit ? sent.lines[credit.line] : sent;
            const amount = Math.floor(((of?.total ?? 0) * credit.percent) / 100);
            const body = 'line' in credit ? { lines: [{ line: credit.line, amount }] } : { amount };
            const note: CreditNote = (await lab.invoice(sent.id, 'credit-notes', body)).body;
            // The service refuses what the earlier notes leave no room for.
            if (note.id !== undefined) net -= BigInt(note.amount - note.tax_total);
          }
          if ((await lab.readInvoice(sent.id)).amount_remaining > 0) open.push(sent);
        }
        expect(baseOf(await reportOf())).toBe(Number(net));
        for (const { id } of open) expect((await lab.invoice(id, 'credit-notes', {})).status).toBe(201);
        for (const { base, amount } of await reportOf()) expect([base, amount]).toEqual([0, 0]);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it.each([
    ['from=2026-11-02&to=2026-11-01', 'to'],
    ['from=2026-02-30&to=2026-11-01', 'from'],
    ['from=2026-11-01', 'to'],
  ])('are refused for %s', async (query, param) => {
    const { status, body } = await read(`/v1/reports/taxes?${query}`);
    expect([status, body.error.param]).toEqual([400, param]);
  });
});
