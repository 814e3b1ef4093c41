import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { TestAnswer } from '../../support/app.ts';
import { createTestDatabase, urlOf } from '../../support/database.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({
    now: new Date('2026-11-02T23:30:00Z'),
    merchant: {
      name: 'Blau GmbH',
      timezone: 'Europe/Berlin',
      supportEmail: 'rechnung@blau.example',
      invoicePrefix: 'RE-2026',
      address: { line1: 'Hauptstr. 1', postal_code: '10115', city: 'Berlin', country: 'DE' },
      taxId: 'DE123456789',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFF',
    },
  });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

describe('sending', () => {
  it('sets number and date by the merchant’s day, and emits an event', async () => {
    const draft = await lab.draft({ due_date: undefined, days_until_due: 14 });
    const { status, body } = await lab.invoice(draft.id, 'send');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'sent',
      number: 'RE-2026-0001',
      issue_date: '2026-11-03',
      due_date: '2026-11-17',
      sent_at: '2026-11-02T23:30:00.000Z',
    });
    expect(body.hosted_invoice_url).toMatch(/\/i\/[0-9A-Za-z]{66}$/);
    expect(body.pdf_url).toBe(`${body.hosted_invoice_url}/pdf`);
    expect(await lab.eventsOf(draft.id)).toEqual(['invoice.created', 'invoice.sent']);
    const { data } = (await lab.request(`GET /v1/events?resource=${draft.id}`)).body;
    expect(data.find((event: { type: string }) => event.type === 'invoice.sent')).toMatchObject({
      data: { object: { number: 'RE-2026-0001' }, previous: { status: 'draft', number: null } },
    });
  });

  it('makes it immutable', async () => {
    const { id } = await lab.sent();
    const change = await lab.request(`PATCH /v1/invoices/${id}`, { body: { memo: 'later' } });
    expect(refusal(change)).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.request(`DELETE /v1/invoices/${id}`))).toEqual([409, 'illegal_state', null]);
    expect((await lab.readInvoice(id)).memo).toBeNull();
  });

  const line = { description: 'x', unit_amount: 100 };
  it.each<[string, object, RegExp]>([
    ['memo', { memo: 'Thanks 𓀀' }, /U\+13000.*Write it in another script\.$/],
    ['customer.name', { customer: { name: 'ខ្មែរ' } }, /install @expo-google-fonts\/noto-sans-khmer beside the server/],
    ['customer.email', { customer: { email: 'ᚠ@example.com' } }, /U\+16A0/],
    ['customer.address.city', { customer: { address: { city: '\u2d30' } } }, /U\+2D30/],
    ['lines[1].description', { lines: [line, { ...line, description: '\u{10330}' }] }, /U\+10330/],
    ['reference', { reference: 'M\ufffdller' }, /U\+FFFD.*stands for a lost character/],
    ['footer', { footer: 'private \ue000' }, /U\+E000/],
    ['lines[0].unit', { lines: [{ ...line, unit: '\u0378' }] }, /U\+0378/],
    ['lines[0].taxes[0].name', { lines: [{ ...line, tax: { name: 'ᚠ', percent: 5 } }] }, /U\+16A0/],
  ])('is refused when no font has a character of %s, as are preview and PDF', async (param, changes, message) => {
    const { id } = await lab.draft(changes);
    const before = (await lab.sent()).number;
    const preview = await lab.request('POST /v1/invoices/preview/pdf', { body: { ...order, ...changes } });
    const file = await lab.request(`GET /v1/invoices/${id}/pdf`);
    for (const answer of [await lab.invoice(id, 'send'), preview, file]) {
      expect(refusal(answer)).toEqual([400, 'parameter_invalid', param]);
      expect(answer.body.error.message).toMatch(message);
    }
    expect(Number((await lab.sent()).number?.slice(-4))).toBe(Number(before?.slice(-4)) + 1);
  });

  it.each([
    ['credit-notes', 'memo'],
    ['record-payment', 'reference'],
    ['send', 'email'],
  ])('is followed by no %s when no font has a character of the %s', async (action, param) => {
    const { id } = await lab.sent({ customer: { name: 'Ada' } });
    const text = param === 'email' ? 'ᚠ@example.com' : 'ᚠ';
    expect(refusal(await lab.invoice(id, action, { [param]: text }))).toEqual([400, 'parameter_invalid', param]);
  });

  it('takes texts in many scripts', async () => {
    const memo = 'שלום ไทย हिन्दी বাংলা தமிழ் Հայերեն ქართული 👩‍👩‍👧 🇨🇭 العربية 日本語 한국어 简体 Ελληνικά Русский ẹ̀';
    expect((await lab.sent({ memo, footer: 'a\nb\u200d\u00ad\ufe0f' })).status).toBe('sent');
  });

  it('is enforced by the database, too', async () => {
    const { id } = await lab.sent();
    await lab.invoice(id, 'credit-notes', { amount: 100 });
    for (const statement of [
      `update invoices set total = total + 1, subtotal = subtotal + 1 where id = '${id}'`,
      `update invoices set number = 'X-1' where id = '${id}'`,
      `update invoices set status = 'draft', number = null where id = '${id}'`,
      `update invoices set memo = 'later' where id = '${id}'`,
      `delete from invoices where id = '${id}'`,
      `update credit_notes set amount = 1 where invoice_id = '${id}'`,
    ]) {
      await expect(lab.database.pool.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', total: 11_900 });
  });

  it('keeps the merchant’s details after the account changes', async () => {
    const { id } = await lab.sent();
    const before = await lab.request(`GET /v1/invoices/${id}/pdf`);
    expect(before.headers['content-type']).toBe('application/pdf');
    expect(before.text.slice(0, 5)).toBe('%PDF-');
  });

  it('is done once: a repetition mails the same number again', async () => {
    const first = await lab.sent();
    const again = await lab.invoice(first.id, 'send', { email: 'office@example.com' });
    expect(again.body).toMatchObject({ number: first.number, status: 'sent' });
    expect(await lab.eventsOf(first.id)).toEqual(['invoice.created', 'invoice.sent']);
    const { data } = (await lab.request('GET /v1/events?limit=100')).body;
    const sent = data.filter((event: { type: string; data: { object: Invoice } }) => event.data.object.id === first.id);
    expect(sent).toHaveLength(2);
  });

  it('refuses an invalid address', async () => {
    const { id } = await lab.draft();
    const answer = await lab.invoice(id, 'send', { email: 'a\r\nBcc: x@y.example' });
    expect(refusal(answer)).toEqual([400, 'invalid_email', 'email']);
    expect((await lab.readInvoice(id)).number).toBeNull();
  });

  it('counts each prefix separately, and treats INV and INV- as one', async () => {
    const numbers = [];
    for (const number_prefix of ['A', 'A-', 'B/', 'A']) numbers.push((await lab.sent({ number_prefix })).number);
    expect(numbers).toEqual(['A-0001', 'A-0002', 'B/0001', 'A-0003']);
  });

  it.each(['CN', 'CN-', 'cn'])('refuses the prefix of credit notes: %s', async number_prefix => {
    const answer = await lab.request('POST /v1/invoices', { body: { ...order, number_prefix } });
    expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'number_prefix']);
    expect((await lab.sent({ number_prefix: `${number_prefix}X` })).number).toMatch(/X-?0001$/);
  });

  it('pays an invoice of zero at once', async () => {
    const free = await lab.sent({ discount: { percent: 100 } });
    expect(free).toMatchObject({ status: 'paid', total: 0, amount_remaining: 0 });
    expect(await lab.eventsOf(free.id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.paid']);
  });

  it('shows the total in another currency at the given rate, or at the market rate', async () => {
    const given = await lab.sent({ exchange: { currency: 'JPY', rate: '162.345' } });
    expect(given.exchange).toEqual({
      currency: 'JPY',
      rate: '162.345',
      date: '2026-11-03',
      total: 19_319,
      tax_total: 3085,
    });
    const { exchange } = await lab.sent({ exchange: { currency: 'USD' } });
    const market = (await lab.request('GET /v1/rates?from=EUR&to=USD')).body;
    expect(exchange).toMatchObject({ currency: 'USD', rate: market.rate });
    expect(exchange?.total).toBe(Math.round(119 * Number(market.rate) * 100));
  });

  it('is refused when the amount in the other currency is too large', async () => {
    const { id } = await lab.draft({ exchange: { currency: 'VND', rate: '10000000000000000' } });
    expect(refusal(await lab.invoice(id, 'send'))).toEqual([400, 'invalid_amount', 'exchange.rate']);
    expect((await lab.readInvoice(id)).status).toBe('draft');
  });

  it('sets the due dates of instalments', async () => {
    const { installments } = await lab.sent({ deposit: { amount: 1900 }, due_date: '2026-12-24' });
    expect(installments).toMatchObject([
      { kind: 'deposit', due_date: '2026-11-03', amount: 1900, status: 'open' },
      { kind: 'installment', due_date: '2026-12-24', amount: 10_000, status: 'open' },
    ]);
  });

  it('creates a duplicate draft, with moved dates', async () => {
    const first = await lab.sent({
      installments: [
        { due_date: '2026-11-20', percent: 50 },
        { due_date: '2026-11-30', percent: 50 },
      ],
      delivery_date: '2026-10-30',
      period: { starts_on: '2026-10-01', ends_on: '2026-10-31' },
    });
    lab.clock.advance(10 * 86_400);
    const { status, body } = await lab.invoice(first.id, 'duplicate');
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'draft', number: null, total: first.total, due_date: '2026-12-10' });
    expect(body.installments).toMatchObject([{ due_date: '2026-11-30' }, { due_date: '2026-12-10' }]);
    expect(body.delivery_date).toBe('2026-11-09');
    expect(body.period).toEqual({ starts_on: '2026-10-11', ends_on: '2026-11-10' });
    expect(body.id).not.toBe(first.id);
  });
});

describe('numbers', () => {
  const sortedNumbers = (invoices: readonly Invoice[]) => invoices.map(({ number }) => number ?? '').sort();
  const expected = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(4, '0')}`);

  it('have no gap and no duplicate when 50 are sent concurrently, some twice and some with errors', async () => {
    const merchant = await lab.addMerchant();
    const call = (path: `${string} /${string}`, body?: unknown) => lab.request(path, { key: merchant.secretKey, body });
    const drafts = await Promise.all(
      Array.from({ length: 50 }, async () => (await call('POST /v1/invoices', order)).body as Invoice),
    );
    // A busy service answers 503, and callers try again.
    const send = async (id: string, body: object): Promise<TestAnswer> => {
      const answer = await call(`POST /v1/invoices/${id}/send`, body);
      return answer.status === 503 ? send(id, body) : answer;
    };
    const answers = await Promise.all(
      drafts.flatMap(({ id }, index) => [
        send(id, {}),
        ...(index % 5 === 0 ? [send(id, {})] : []),
        ...(index % 7 === 0 ? [send(id, { email: 'nobody' })] : []),
      ]),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const sent = await Promise.all(
      drafts.map(async ({ id }) => (await call(`GET /v1/invoices/${id}`)).body as Invoice),
    );
    expect(sortedNumbers(sent)).toEqual(expected('INV-', 50));
  });

  it('have no gap and no duplicate across several servers', async () => {
    const database = await createTestDatabase('empty');
    const key = `sk_test_${'k'.repeat(44)}`;
    const settings = { DATABASE_URL: urlOf(database), PAY_SECRET_KEY: key, PAY_ROLE: 'api' };
    const servers = await Promise.all(Array.from({ length: 2 }, () => startServerProcess(settings)));
    try {
      const call = async (index: number, path: string, body: unknown): Promise<Invoice> => {
        const answer = await fetch(`${servers[index % servers.length]?.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const text = await answer.text();
        if (answer.status === 503) return call(index, path, body);
        expect(answer.ok, text).toBe(true);
        return JSON.parse(text) as Invoice;
      };
      const drafts = await Promise.all(Array.from({ length: 30 }, (_, index) => call(index, '/v1/invoices', order)));
      const sent = await Promise.all(drafts.map(({ id }, index) => call(index + 1, `/v1/invoices/${id}/send`, {})));
      expect(sortedNumbers(sent)).toEqual(expected('INV-', 30));
    } finally {
      await Promise.all(servers.map(server => server.stop()));
      await database.drop();
    }
  }, 120_000);
});
