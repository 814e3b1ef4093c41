import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../support/read-pdf.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab.close());

describe('a draft', () => {
  it('has totals for each line and for the invoice', async () => {
    const invoice = await lab.draft({
      lines: [
        {
          description: 'Hours',
          quantity: 2.5,
          unit: 'h',
          unit_amount: 8000,
          discount: { percent: 10 },
          taxes: [
            { name: 'GST', percent: '5' },
            { name: 'QST', percent: 9.975 },
          ],
        },
        { description: 'Book', unit_amount: 10_700, tax: { name: 'VAT', percent: 7, inclusive: true } },
      ],
      discount: { amount: 2000 },
    });
    expect(invoice).toMatchObject({
      object: 'invoice',
      status: 'draft',
      number: null,
      subtotal: 30_700,
      discount_total: 4000,
      tax_total: 3158,
      tax_included: 651,
      total: 29_207,
      amount_paid: 0,
      amount_remaining: 29_207,
      discount: { percent: null, amount: 2000 },
      taxes: [
        { name: 'GST', percent: '5', inclusive: false, base: 16_746, amount: 837 },
        { name: 'QST', percent: '9.975', inclusive: false, base: 16_746, amount: 1670 },
        { name: 'VAT', percent: '7', inclusive: true, base: 9303, amount: 651 },
      ],
      hosted_invoice_url: null,
      pdf_url: null,
    });
    const sumOf = (name: 'subtotal' | 'discount_total' | 'tax_total' | 'total') =>
      invoice.lines.reduce((sum, line) => sum + line[name], 0);
    for (const name of ['subtotal', 'discount_total', 'tax_total', 'total'] as const) {
      expect(sumOf(name), name).toBe(invoice[name]);
    }
    expect(invoice.lines[0]).toMatchObject({ quantity: '2.5', unit: 'h', subtotal: 20_000 });
    expect(invoice.lines[0]?.discount).toEqual({ percent: '10', amount: 2000 });
  });

  it('has the account’s defaults for missing values', async () => {
    const { due_date: _due, ...plain } = order;
    const { body } = await lab.request('POST /v1/invoices', { body: plain });
    expect(body).toMatchObject({
      due_date: null,
      days_until_due: 30,
      number_prefix: 'INV-',
      locale: 'en',
      settlement_asset: 'USDC',
      payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
      reminders: { enabled: true, offsets_days: [-3, 0, 3] },
      allow_partial: false,
      installments: [],
      metadata: {},
    });
  });

  it('is created once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'draft-1' };
    const first = await lab.request('POST /v1/invoices', { body: order, headers });
    const again = await lab.request('POST /v1/invoices', { body: order, headers });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['location']).toBe(`/v1/invoices/${first.body.id}`);
  });

  it('uses whole units of currencies without decimals, and thousandths of those with three', async () => {
    const lines = [{ description: 'x', quantity: '3', unit_amount: 333, tax: { name: 'Tax', percent: 10 } }];
    expect(await lab.draft({ currency: 'jpy', lines })).toMatchObject({
      currency: 'JPY',
      subtotal: 999,
      tax_total: 100,
      total: 1099,
    });
    const kwd = [{ description: 'x', quantity: '0.333', unit_amount: 1000, tax: { name: 'Tax', percent: 5 } }];
    expect(await lab.draft({ currency: 'KWD', lines: kwd })).toMatchObject({
      subtotal: 333,
      tax_total: 17,
      total: 350,
    });
  });

  it('divides the rest of its total after the deposit into instalments', async () => {
    const { installments } = await lab.draft({
      deposit: { percent: 20 },
      installments: [
        { due_date: '2026-12-01', percent: '33.3333' },
        { due_date: '2027-01-01', percent: '33.3333' },
        { due_date: '2027-02-01', percent: '33.3334' },
      ],
      due_date: undefined,
    });
    expect(installments).toMatchObject([
      { kind: 'deposit', due_date: null, percent: '20', amount: 2380, amount_paid: 0, status: 'open' },
      { kind: 'installment', due_date: '2026-12-01', percent: '33.3333', amount: 3173 },
      { due_date: '2027-01-01', amount: 3173 },
      { due_date: '2027-02-01', amount: 3174 },
    ]);
  });

  it('can be changed field by field, and is recalculated', async () => {
    const { id } = await lab.draft({ discount: { percent: 10 }, metadata: { a: 1 } });
    const change = (body: object) => lab.request(`PATCH /v1/invoices/${id}`, { body });
    expect((await change({ discount: null, memo: 'Thank you' })).body).toMatchObject({
      total: 11_900,
      memo: 'Thank you',
    });
    const lines = [{ description: 'Consulting', quantity: 3, unit_amount: 5000 }];
    expect((await change({ lines })).body).toMatchObject({ total: 15_000, memo: 'Thank you', metadata: { a: 1 } });
    expect((await change({ days_until_due: 14 })).body).toMatchObject({ due_date: null, days_until_due: 14 });
    expect((await change({ due_date: '2026-12-24' })).body).toMatchObject({
      due_date: '2026-12-24',
      days_until_due: null,
    });
    const installments = [
      { due_date: '2026-12-01', percent: 50 },
      { due_date: '2027-01-15', percent: 50 },
    ];
    const byParts = (await change({ due_date: null, installments })).body;
    expect(byParts).toMatchObject({ due_date: '2027-01-15', days_until_due: null });
    const later = [{ due_date: '2027-03-01', percent: 100 }];
    expect((await change({ installments: later })).body).toMatchObject({
      due_date: '2027-03-01',
      days_until_due: null,
    });
    expect((await change({ installments: [] })).body).toMatchObject({ due_date: null, days_until_due: 30 });
    expect(await lab.eventsOf(id)).toEqual(['invoice.created']);
  });

  it('keeps each text as it was written, and refuses texts with invalid characters', async () => {
    const texts = [
      '</text><script>',
      '=HYPERLINK("x")',
      '{{7*7}} #{1}',
      '\u202eevil',
      '👩‍👩‍👧 مرحبا 日本語',
      "'; drop table invoices; --",
    ];
    const lines = texts.map(description => ({ description, unit_amount: 1 }));
    const draft = await lab.draft({ lines, memo: texts.join('\n'), metadata: { constructor: 'x' } });
    expect((await lab.readInvoice(draft.id)).lines.map(({ description }) => description)).toEqual(texts);
    const nul = await lab.request('POST /v1/invoices', { body: { ...order, memo: 'a\u0000b' } });
    expect(nul.status).toBe(400);
    const huge = await lab.request('POST /v1/invoices', { body: { ...order, memo: 'x'.repeat(1_100_000) } });
    expect(huge.status).toBe(413);
  });

  it('has a PDF before it is sent', async () => {
    const pdf = await lab.request(`GET /v1/invoices/${(await lab.draft()).id}/pdf`);
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
  });

  it('has its calculation documented in the API description', async () => {
    const { text } = await lab.request('GET /openapi.json', { key: null });
    expect(text).toContain('rounded to the smallest unit of the currency, half away from zero');
    const { paths } = JSON.parse(text);
    expect(Object.keys(paths['/v1/invoices/{id}/pdf'].get.responses['200'].content)).toEqual(['application/pdf']);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/v1/invoices', '/v1/invoices/{id}/send', '/v1/invoices/{id}/record-payment']),
    );
  });

  it('can be deleted, and does not exist afterwards', async () => {
    const { id } = await lab.draft();
    expect((await lab.request(`DELETE /v1/invoices/${id}`)).body).toEqual({ id, object: 'invoice', deleted: true });
    expect(refusal(await lab.request(`GET /v1/invoices/${id}`))).toEqual([404, 'resource_missing', 'id']);
  });

  const line = { description: 'x', unit_amount: 100 };
  it.each<[string, object, string, string]>([
    ['no lines', { lines: [] }, 'parameter_invalid', 'lines'],
    ['an unknown field', { colour: 'red' }, 'parameter_unknown', 'colour'],
    ['a quantity of zero', { lines: [{ ...line, quantity: 0 }] }, 'parameter_invalid', 'lines[0].quantity'],
    ['0.1 + 0.2 as a float', { lines: [{ ...line, quantity: 0.1 + 0.2 }] }, 'parameter_invalid', 'lines[0].quantity'],
    [
      'a quantity in full-width digits',
      { lines: [{ ...line, quantity: '１２' }] },
      'parameter_invalid',
      'lines[0].quantity',
    ],
    [
      'a discount of both kinds',
      { lines: [{ ...line, discount: { percent: 5, amount: 5 } }] },
      'parameter_invalid',
      'lines[0].discount',
    ],
    [
      'a discount above its line',
      { lines: [{ ...line, discount: { amount: 101 } }] },
      'parameter_invalid',
      'lines[0].discount.amount',
    ],
    [
      'a discount above what the lines’ discounts leave',
      { lines: [{ ...line, discount: { amount: 40 } }], discount: { amount: 61 } },
      'parameter_invalid',
      'discount.amount',
    ],
    ['a discount of 101 %', { discount: { percent: 101 } }, 'parameter_invalid', 'discount.percent'],
    [
      'a tax with five decimals',
      { lines: [{ ...line, tax: { name: 'VAT', percent: 1.00001 } }] },
      'parameter_invalid',
      'lines[0].tax.percent',
    ],
    [
      'the same tax twice',
      {
        lines: [
          {
            ...line,
            taxes: [
              { name: 'VAT', percent: 19 },
              { name: 'VAT', percent: '19' },
            ],
          },
        ],
      },
      'parameter_invalid',
      'lines[0].taxes[1]',
    ],
    [
      'more than can be carried',
      { lines: [{ ...line, quantity: 2, unit_amount: 2 ** 53 - 1 }] },
      'invalid_amount',
      'lines',
    ],
    ['an unknown currency', { currency: 'EUX' }, 'invalid_currency', 'currency'],
    ['an invalid e-mail address', { customer: { email: 'a\r\nBcc: x@y.example' } }, 'invalid_email', 'customer.email'],
    ['a quoted e-mail address', { customer: { email: '"x@evil x"@ok.example' } }, 'invalid_email', 'customer.email'],
    ['an invalid date', { due_date: '2026-02-30' }, 'parameter_invalid', 'due_date'],
    ['an unknown asset', { settlement_asset: 'DOGE' }, 'invalid_asset', 'settlement_asset'],
    ['a rate of its own currency', { exchange: { currency: 'EUR' } }, 'parameter_invalid', 'exchange.currency'],
    ['a rate of zero', { exchange: { currency: 'USD', rate: 0 } }, 'parameter_invalid', 'exchange.rate'],
    [
      'instalments that fall short',
      { installments: [{ due_date: '2026-11-30', percent: 99 }] },
      'parameter_invalid',
      'installments',
    ],
    [
      'instalments in no order',
      {
        due_date: '2027-01-01',
        installments: [
          { due_date: '2026-12-01', percent: 50 },
          { due_date: '2026-11-01', percent: 50 },
        ],
      },
      'parameter_invalid',
      'installments[1].due_date',
    ],
    [
      'a due date before its last instalment',
      { installments: [{ due_date: '2026-12-01', percent: 100 }] },
      'parameter_invalid',
      'due_date',
    ],
    ['a deposit of 100 %', { deposit: { percent: 100 } }, 'invalid_amount', 'deposit'],
  ])('is refused with %s', async (_, change, code, param) => {
    expect(refusal(await lab.request('POST /v1/invoices', { body: { ...order, ...change } }))).toEqual([
      400,
      code,
      param,
    ]);
  });

  it('does not exist for another merchant, in any call', async () => {
    const { id } = await lab.sent();
    const stranger = await lab.addMerchant();
    for (const call of [
      `GET /v1/invoices/${id}`,
      `GET /v1/invoices/${id}/pdf`,
      `GET /v1/invoices/${id}/payments`,
      `GET /v1/invoices/${id}/transactions`,
      `POST /v1/invoices/${id}/send`,
      `POST /v1/invoices/${id}/void`,
      `POST /v1/invoices/${id}/payments`,
      `POST /v1/invoices/${id}/record-payment`,
      `POST /v1/invoices/${id}/credit-notes`,
      `POST /v1/invoices/${id}/mark-uncollectible`,
      `POST /v1/invoices/${id}/duplicate`,
    ] as const) {
      const answer = await lab.request(call, { key: stranger.secretKey });
      expect([call, ...refusal(answer)]).toEqual([call, 404, 'resource_missing', 'id']);
    }
    expect((await lab.request('GET /v1/invoices', { key: stranger.secretKey })).body.data).toEqual([]);
    const pk = await lab.request(`GET /v1/invoices/${id}`, { key: lab.merchant.publishableKey });
    expect(refusal(pk)).toEqual([403, 'secret_key_required', null]);
  });

  it('is listed newest first, by status, number, customer and reference', async () => {
    const email = 'list@example.com';
    const customer = { name: 'Lister', email };
    const sent = await lab.sent({ customer, reference: 'PO-7' });
    lab.clock.advance(1);
    const draft = await lab.draft({ customer });
    const ids = async (query: string) =>
      (await lab.request(`GET /v1/invoices?${query}`)).body.data.map((invoice: { id: string }) => invoice.id);
    expect(await ids(`customer=${email}`)).toEqual([draft.id, sent.id]);
    expect(await ids(`customer=${sent.customer.id}&status=draft`)).toEqual([draft.id]);
    expect(await ids(`number=${sent.number}`)).toEqual([sent.id]);
    expect(await ids('reference=PO-7')).toEqual([sent.id]);
    expect(await ids(`customer=${email}&starting_after=${draft.id}`)).toEqual([sent.id]);
  });

  it('is listed by currency, total and metadata', async () => {
    const of = async (unit_amount: number, changes: object) => {
      lab.clock.advance(1);
      return (await lab.draft({ lines: [{ description: 'Hours', unit_amount }], ...changes })).id;
    };
    const small = await of(41_001, { metadata: { project: 'Tower', phase: 2 } });
    const large = await of(41_003, { currency: 'CHF', metadata: { project: 'Tower' } });
    const list = (query: string) => lab.request(`GET /v1/invoices?total[gte]=41001&total[lt]=41004&${query}`);
    const ids = async (query: string) => (await list(query)).body.data.map((invoice: { id: string }) => invoice.id);
    expect(await ids('')).toEqual([large, small]);
    expect(await ids('total[lte]=41001')).toEqual([small]);
    expect(await ids('currency=chf')).toEqual([large]);
    expect(await ids('metadata[project]=Tower')).toEqual([large, small]);
    expect(await ids('metadata[project]=Tower&metadata[phase]=2')).toEqual([small]);
    expect(refusal(await list('currency=EURO'))).toEqual([400, 'invalid_currency', 'currency']);
    expect(refusal(await list('total[gt]=1.5'))).toEqual([400, 'parameter_invalid', 'total[gt]']);
  });

  it('is listed by due date', async () => {
    const customer = { name: 'Lister', email: 'due@example.com' };
    const dueOn = async (due_date: string) => {
      lab.clock.advance(1);
      return (await lab.draft({ customer, due_date })).id;
    };
    const [first, second, third] = [await dueOn('2027-01-31'), await dueOn('2027-02-01'), await dueOn('2027-03-01')];
    const list = (query: string) => lab.request(`GET /v1/invoices?customer=${customer.email}&${query}`);
    const ids = async (query: string) => (await list(query)).body.data.map((invoice: { id: string }) => invoice.id);
    expect(await ids('due_date[gte]=2027-02-01')).toEqual([third, second]);
    expect(await ids('due_date[gt]=2027-02-01')).toEqual([third]);
    expect(await ids('due_date[gte]=2027-01-31&due_date[lt]=2027-02-01')).toEqual([first]);
    expect(await ids('due_date[lte]=2027-02-01')).toEqual([second, first]);
    for (const day of ['2027-02-30', 'soon']) {
      expect(refusal(await list(`due_date[lte]=${day}`))).toEqual([400, 'parameter_invalid', 'due_date[lte]']);
    }
  });
});

describe('the preview of an invoice', () => {
  const lines = [{ description: 'Hours', quantity: 3, unit_amount: 3333, tax: { name: 'VAT', percent: 19 } }];

  it('answers the amounts that the draft then has, and writes nothing', async () => {
    const before = (await lab.request('GET /v1/invoices?limit=1')).body.data;
    const { status, body } = await lab.request('POST /v1/invoices/preview', { body: { ...order, lines } });
    expect([status, body.object, body.id]).toEqual([200, 'invoice_preview', undefined]);
    expect((await lab.request('GET /v1/invoices?limit=1')).body.data).toEqual(before);
    const { id, object, created_at, ...draft } = await lab.draft({ lines });
    const { warnings } = body;
    expect({ ...body, object, created_at }).toEqual({ object, created_at, warnings, ...draft });
    const changes = { lines: [...lines, ...lines], discount: { percent: 10 } };
    const changed = await lab.request(`POST /v1/invoices/${id}/preview`, { body: changes });
    expect(await lab.readInvoice(id)).toMatchObject({ total: draft.total });
    const { id: _id, ...patched } = (await lab.request(`PATCH /v1/invoices/${id}`, { body: changes })).body;
    expect({ ...changed.body, object }).toEqual({ ...patched, warnings });
  });

  it('has a PDF that says it is a draft', async () => {
    const { id } = await lab.draft();
    for (const [path, body] of [
      ['/v1/invoices/preview/pdf', { ...order, lines }],
      [`/v1/invoices/${id}/preview/pdf`, { lines }],
    ] as const) {
      const { status, bytes } = await lab.request(`POST ${path}`, { body });
      const { pages, attachments } = await readPdf(bytes);
      expect([status, pages.join().includes('Hours'), pages.join().includes('Draft')]).toEqual([200, true, true]);
      expect(attachments).toEqual({});
    }
  });

  it('has a PDF with branding to try, which is not stored', async () => {
    const draw = (branding?: object) =>
      lab.request('POST /v1/invoices/preview/pdf', { body: { ...order, lines, ...(branding && { branding }) } });
    const accents = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const [usual, red] = [await draw(), await draw({ primary_color: '#c01818' })];
    expect([usual.status, red.status, accents(red.bytes) === accents(usual.bytes)]).toEqual([200, 200, false]);
    expect((await lab.request('GET /v1/account')).body.branding.primary_color).not.toBe('#c01818');
    const refused = await draw({ primary_color: 'red' });
    expect(refusal(refused)).toEqual([400, 'invalid_color', 'branding.primary_color']);
  });

  it('refuses what creation refuses, at the same field, and a sent invoice', async () => {
    const body = { ...order, lines: [{ ...lines[0], quantity: 'many' }] };
    for (const path of ['preview', 'preview/pdf']) {
      const answer = await lab.request(`POST /v1/invoices/${path}`, { body });
      expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'lines[0].quantity']);
    }
    const { id } = await lab.sent();
    expect(refusal(await lab.invoice(id, 'preview', { lines }))).toEqual([409, 'illegal_state', null]);
  });
});
