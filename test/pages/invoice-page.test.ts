import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invoice } from '../../src/api/invoice/invoice-view.ts';
import type { TestApp } from '../support/app.ts';
import { readPdf } from '../support/read-pdf.ts';
import { draftInvoice, sendInvoice } from './example-invoice.ts';
import { startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({
    name: 'Nordlys Supply',
    supportEmail: 'help@nordlys.example',
    allowedOrigins: ['https://shop.example'],
  });
}, 90_000);
afterAll(() => app?.close());

const pathOf = ({ hosted_invoice_url: url }: Pick<Invoice, 'hosted_invoice_url'>) => new URL(url ?? '').pathname;
const show = (path: string) => app.request(`GET /${path.slice(1)}`, { key: null });
const act = (id: string, what: string, body: object = {}) => app.request(`POST /v1/invoices/${id}/${what}`, { body });

/** The page's text, without its markup. */
const wordsOf = (markup: string) => markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('the page of an invoice', () => {
  it('contains the whole invoice without scripts', async () => {
    const invoice = await sendInvoice(app, {
      exchange: { currency: 'USD', rate: '1.1' },
      reference: 'PO-77',
      installments: [
        { due_date: '2031-01-10', percent: '40' },
        { due_date: '2031-02-10', percent: '60' },
      ],
      due_date: '2031-02-10',
    });
    const words = wordsOf((await show(pathOf(invoice))).text);
    for (const text of [
      ...['Nordlys Supply', `Invoice ${invoice.number}`, 'Ada Lovelace', '12 St James’s Square', 'Tax ID GB123456789'],
      ...['Your reference', 'PO-77', '3 day × €250.00', '400 × €0.55', 'Discount €22.00', 'Subtotal €1,015.00'],
      ...['Discounts on lines −€22.00', 'To pay'],
      ...['Discount −€50.00', 'VAT 20% on €754.97 €150.99', 'VAT 7% on €188.03 €13.16', 'Total €1,107.15'],
      ...['1 EUR = 1.1 USD', '$1,217.87', 'Installment 2', 'Due February 10, 2031', 'Thank you for your order.'],
      '€442.86 due January 10, 2031',
    ]) {
      expect(words).toContain(text);
    }
  });

  it('leaves the year out of a due date of this year', async () => {
    const words = async (due: string) => wordsOf((await show(pathOf(await sendInvoice(app, { due_date: due })))).text);
    const year = new Date().getUTCFullYear();
    expect(await words(`${year}-12-31`)).toContain('Due December 31 ');
    expect(await words(`${year + 1}-12-31`)).toContain(`Due December 31, ${year + 1}`);
  });

  it.each([
    ['overdue', async (id: string) => act(id, 'record-payment', { amount: 100 }), 'Overdue', 'Was due ', true],
    ['paid', async (id: string) => act(id, 'record-payment'), 'Paid, thank you', 'Nothing more is due', false],
    ['void', async (id: string) => act(id, 'void'), 'This invoice is canceled', 'There is nothing to pay', false],
    ['uncollectible', async (id: string) => act(id, 'mark-uncollectible'), 'This invoice is closed', 'contact', false],
  ] as const)(
    'shows that it is %s, and offers to pay payable amounts only',
    async (state, happen, title, text, isPayable) => {
      const invoice = await sendInvoice(app, { days_until_due: 5 });
      if (state === 'overdue') {
        await app.request('POST /v1/test_helpers/clock', { body: { advance: 'P7D' } });
        await app.sweep();
      }
      expect((await happen(invoice.id)).status).toBe(200);
      const { text: markup } = await show(pathOf(invoice));
      expect(wordsOf(markup)).toContain(title);
      expect(wordsOf(markup)).toContain(text);
      expect([markup.includes('<form'), markup.includes('pay-checkout.js')]).toEqual([isPayable, isPayable]);
    },
  );

  it('does not exist for a draft', async () => {
    const draft = await draftInvoice(app);
    expect([draft.hosted_invoice_url, draft.pdf_url]).toEqual([null, null]);
  });

  it.each([
    ['ar', 'rtl', 'خطة السداد', 'ar'],
    ['ja-JP', 'ltr', 'お支払い計画', 'ja'],
    ['fi', 'ltr', 'Payment plan', 'en'],
  ])('in %s has direction %s, in its own language', async (locale, dir, words, lang) => {
    const installments = [
      { due_date: '2031-01-10', percent: '40' },
      { due_date: '2031-02-10', percent: '60' },
    ];
    const page = await show(pathOf(await sendInvoice(app, { locale, installments, due_date: '2031-02-10' })));
    expect(page.text).toContain(`<html lang="${lang}" dir="${dir}">`);
    expect(page.text).toContain(words);
  });

  it('escapes user texts', async () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
    const invoice = await sendInvoice(app, {
      customer: { name: evil, email: 'ada@example.com', address: { line1: evil }, tax_id: evil.slice(0, 60) },
      lines: [{ description: evil, unit_amount: 100, unit: evil.slice(0, 20), tax: { name: evil, percent: '1' } }],
      discount: null,
      memo: evil,
      footer: evil,
      reference: evil,
    });
    const { text } = await show(pathOf(invoice));
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img src=x');
  });

  it('is not cached, may be framed by the merchant’s sites only, and runs only the service’s scripts', async () => {
    const { headers } = await show(pathOf(await sendInvoice(app)));
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    const policy = String(headers['content-security-policy']);
    for (const rule of ["default-src 'none'", "script-src 'self';", "style-src 'self';", "form-action 'none'"]) {
      expect(policy).toContain(rule);
    }
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'self' https://shop.example");
    expect(policy).not.toMatch(/unsafe|\*\./);
  });

  it('accepts calls from its own origin only', async () => {
    const path = pathOf(await sendInvoice(app));
    for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      for (const [end, body] of [
        ['payments', { amount: 100 }],
        ['views', { visitor: 'a-visitor-of-a-page' }],
      ] as const) {
        const answer = await app.request(`POST ${path}/${end}` as `POST /${string}`, { key: null, body, headers });
        expect([answer.status, answer.body.error.code]).toEqual([403, 'origin_not_allowed']);
      }
    }
  });

  it('limits requests of one address for each page separately, and for unknown pages together', async () => {
    const [rushed, calm] = [pathOf(await sendInvoice(app)), pathOf(await sendInvoice(app))];
    const press = async (path: string) => {
      const headers = { 'sec-fetch-site': 'same-origin' };
      return (
        await app.request(`POST /${path.slice(1)}/payments`, { key: null, headers, body: { amount: 99_999_999 } })
      ).status;
    };
    const presses = [];
    for (let time = 0; time < 31; time++) presses.push(await press(rushed));
    expect(presses).toEqual([...Array(30).fill(400), 429]);
    expect(await press(calm)).toBe(400);
    const guesses = [];
    for (let time = 0; time < 31; time++) guesses.push(await press(`/i/${String(time).padStart(66, 'a')}`));
    expect(guesses).toEqual([...Array(30).fill(404), 429]);
  });
});

const installments = [
  { due_date: '2031-01-10', percent: '40' },
  { due_date: '2031-02-10', percent: '60' },
];

/** The texts of the invoice's page and of its PDF. */
async function bothOf(invoice: Invoice): Promise<readonly string[]> {
  const pathname = pathOf(invoice);
  const page = await show(pathname);
  const pdf = await show(`${pathname}/pdf`);
  const { pages } = await readPdf(pdf.bytes);
  return [page.text, pages.join(' ')].map(wordsOf);
}

describe('the page of an invoice and its PDF', () => {
  it('use the same name for the subtotal', async () => {
    for (const text of await bothOf(await sendInvoice(app))) {
      expect(text).toMatch(/Subtotal €1,015\.00 Discounts on lines −€22\.00/);
    }
  });

  it.each([
    ['with tax on top', false],
    ['with tax included', true],
  ])('have lines that add up to the subtotal, with discounts and %s', async (_, inclusive) => {
    const tax = { name: 'VAT', percent: '19', inclusive };
    const lines = [
      { description: 'Mug', quantity: '3', unit_amount: 2_380, tax, discount: { percent: '10' } },
      { description: 'Merino base layer', quantity: '1', unit_amount: 11_900, tax },
    ];
    for (const text of await bothOf(await sendInvoice(app, { lines, discount: { percent: '5' } }))) {
      expect(text).toMatch(/Mug .*€71\.40 .*Merino .*€119\.00 Subtotal €190\.40 Discounts on lines [-−]€7\.14/);
    }
  });

  it('use one term for the unpaid amount, and one for “canceled”', async () => {
    const planned = await bothOf(await sendInvoice(app, { installments, due_date: '2031-02-10' }));
    for (const text of planned) {
      expect(text).toContain('To pay');
      expect(text).not.toMatch(/\bOpen\b/);
    }
    const invoice = await sendInvoice(app, { installments, due_date: '2031-02-10' });
    await app.request(`POST /v1/invoices/${invoice.id}/void`, { body: {} });
    for (const text of await bothOf(invoice)) {
      expect(text.match(/Canceled/g)).toHaveLength(1 + installments.length);
      expect(text).not.toContain('To pay');
      expect(text).not.toMatch(/\bVoid\b/i);
    }
  });

  const tokyo = {
    line1: '神宮前1-2-3',
    line2: 'さくらビル4階',
    city: '渋谷区',
    state: '東京都',
    postal_code: '150-0001',
  };
  const latin = { line1: '1-2-3 Jingumae', city: 'Shibuya-ku', state: 'Tokyo', postal_code: '150-0001', country: 'JP' };

  it.each([
    ['ja', { ...tokyo, country: 'JP' }, '〒150-0001 東京都渋谷区 神宮前1-2-3 さくらビル4階 日本'],
    ['en', { ...tokyo, country: 'JP' }, '〒150-0001 東京都渋谷区 神宮前1-2-3 さくらビル4階 Japan'],
    ['ja', latin, '〒150-0001 Tokyo Shibuya-ku 1-2-3 Jingumae 日本'],
    ['en', latin, '1-2-3 Jingumae 150-0001 Shibuya-ku Tokyo Japan'],
    ['ja', { line1: '12 St James’s Square', city: 'London', country: 'GB' }, '12 St James’s Square London イギリス'],
  ])('write an address in %s in the order of its country', async (locale, address, written) => {
    const invoice = await sendInvoice(app, {
      locale,
      customer: { name: 'Ada Lovelace', email: 'a@b.example', address },
    });
    const plain = (text: string) => text.replace(/\s+/g, '');
    for (const text of await bothOf(invoice)) expect(plain(text)).toContain(plain(written));
  });
});
