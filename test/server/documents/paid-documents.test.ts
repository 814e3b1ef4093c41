import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentStrings } from '../../../src/core/locale/strings/en-document.ts';
import { browserDir } from '../../support/built.ts';
import { colorsOf, readPdf } from '../../support/read-pdf.ts';
import { eInvoiceCustomer, eInvoiceMerchant, startInvoiceLab } from '../invoices/invoice-lab.ts';
import { downloadFrom } from './download.ts';

let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir, merchant: eInvoiceMerchant });
});
afterAll(() => lab?.close());

/** 119.00 in three parts, on the test clock's November 2, 2026. */
const plan = {
  customer: eInvoiceCustomer,
  due_date: '2026-12-10',
  deposit: { amount: 3_000 },
  installments: [
    { due_date: '2026-11-10', amount: 4_000 },
    { due_date: '2026-12-10', amount: 4_900 },
  ],
};
const read = async (path: string) => {
  const { pages, attachments } = await readPdf(await downloadFrom(lab, path));
  return { lines: pages.join('\n').split('\n'), xml: attachments['factur-x.xml'] ?? '' };
};
const pdfOf = (id: string) => read(`/v1/invoices/${id}/pdf`);
const receiptOf = async (id: string) => {
  const { hosted_invoice_url: url } = await lab.readInvoice(id);
  return await read(`${new URL(url ?? '').pathname}/receipt`);
};

/** The sums at the head of the XML. */
function sumsOf(xml: string) {
  const sum = (name: string) => new RegExp(`<ram:${name}>([^<]*)<`).exec(xml)?.[1] ?? null;
  return [sum('GrandTotalAmount'), sum('TotalPrepaidAmount'), sum('DuePayableAmount')];
}

/** The content of the row that begins with the label. */
function rowOf(lines: readonly string[], label: string): string {
  return lines.filter(line => line.startsWith(label)).join(' | ');
}

describe('an invoice that is paid in parts', () => {
  it('has the same PDF as issued, whatever is viewed, paid, credited or overdue', async () => {
    const { id, hosted_invoice_url: url } = await lab.sent(plan);
    const { pathname } = new URL(url ?? '');
    const file = () => downloadFrom(lab, `/v1/invoices/${id}/pdf`);
    const issued = await file();
    const { lines, xml } = await pdfOf(id);
    expect(sumsOf(xml)).toEqual(['119.00', null, '119.00']);
    expect(rowOf(lines, 'Remaining balance')).toBe('');
    const steps: [string, () => Promise<unknown>][] = [
      ['a view', () => lab.request(`GET ${pathname}` as 'GET /i', { key: '' })],
      ['a part', () => lab.payInvoice(id, 3_000)],
      ['a credit note', () => lab.invoice(id, 'credit-notes', { amount: 900 })],
      ['an overdue part', () => lab.request('POST /v1/test_helpers/clock', { body: { advance: 'P30D' } })],
      ['the rest', () => lab.payInvoice(id, 8_000)],
    ];
    for (const [name, step] of steps) {
      await step();
      expect((await file()).equals(issued), name).toBe(true);
      expect((await downloadFrom(lab, `${pathname}/pdf`)).equals(issued), name).toBe(true);
    }
    expect((await lab.readInvoice(id)).status).toBe('paid');
  });

  it('counts credit of the customer that was used at sending as paid before', async () => {
    const customer = { ...eInvoiceCustomer, email: 'rich@example.com' };
    const { id: earlier } = await lab.sent({ customer });
    await lab.invoice(earlier, 'record-payment', { amount: 13_900 });
    const { id } = await lab.sent({ customer });
    const { xml, lines } = await pdfOf(id);
    expect(sumsOf(xml)).toEqual(['119.00', '20.00', '99.00']);
    expect(rowOf(lines, 'Remaining balance (EUR)')).toContain('€99.00');
  });

  it('says Cancelled in the PDF of a void invoice, which is no e-invoice; the issued XML stays', async () => {
    const { id, hosted_invoice_url: url } = await lab.sent({ customer: eInvoiceCustomer });
    const { xml: issued, lines: before } = await pdfOf(id);
    expect((await lab.invoice(id, 'void')).status).toBe(200);
    for (const path of [`/v1/invoices/${id}/pdf`, `${new URL(url ?? '').pathname}/pdf`]) {
      const { lines, xml } = await read(path);
      expect([xml, before.includes(documentStrings.void), lines.includes(documentStrings.void)]).toEqual([
        '',
        false,
        true,
      ]);
    }
    expect((await lab.request(`GET /v1/invoices/${id}/xml`)).text).toBe(issued);
  });

  it('has a receipt for each part', async () => {
    const { id } = await lab.sent(plan);
    await lab.payInvoice(id, 3_000);
    const first = await receiptOf(id);
    expect(first.lines).toContain('€30.00');
    lab.clock.advance(60);
    await lab.payInvoice(id, 4_000);
    const { lines } = await receiptOf(id);
    const label = lines.indexOf('Amount received');
    expect(lines.slice(label, label + 2)).toEqual(['Amount received', '€40.00']);
    const labels = ['Invoice total', 'Paid', 'Remaining balance'];
    expect(labels.map(part => rowOf(lines, `${part} €`))).toEqual([
      'Invoice total €119.00',
      'Paid €70.00',
      'Remaining balance €49.00',
    ]);
  });
});

it('the logo of the account is on pages, invoices and posters', async () => {
  const image = await sharp({ create: { width: 200, height: 60, channels: 3, background: '#c81e5a' } })
    .png()
    .toBuffer();
  const logo = `data:image/png;base64,${image.toString('base64')}`;
  expect((await lab.request('PATCH /v1/account', { body: { branding: { logo } } })).status).toBe(200);
  const { id, hosted_invoice_url: url } = await lab.sent();
  const page = new URL(url ?? '').pathname as `/${string}`;
  expect((await lab.request(`GET ${page}`, { key: null })).text).toContain(`src="${logo}"`);
  expect(await colorsOf(await downloadFrom(lab, `/v1/invoices/${id}/pdf`))).toContain('#c81e5a');
  const { body: link } = await lab.request('POST /v1/payment-links', { body: { amount: 500, currency: 'EUR' } });
  const poster = new URL(link.qr_code_url.replace(/qr\.svg$/, 'poster.pdf')).pathname;
  expect(await colorsOf(await downloadFrom(lab, poster))).toContain('#c81e5a');
});
