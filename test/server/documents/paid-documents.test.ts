import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentStrings } from '../../../src/core/locale/strings/en-document.ts';
import { browserDir } from '../../support/built.ts';
import { readPdf } from '../../support/read-pdf.ts';
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

const { open, paid, overdue } = documentStrings.installmentStatus;

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
  it('requests the remaining amount in its PDF, while the XML stays as issued', async () => {
    const { id } = await lab.sent(plan);
    expect(sumsOf((await pdfOf(id)).xml)).toEqual(['119.00', null, '119.00']);
    await lab.payInvoice(id, 3_000);
    const { xml, lines } = await pdfOf(id);
    expect(sumsOf(xml)).toEqual(['119.00', null, '119.00']);
    expect(rowOf(lines, 'Remaining balance (EUR)')).toContain('€89.00');
    await lab.payInvoice(id, 8_900);
    const settled = await pdfOf(id);
    expect(sumsOf(settled.xml)).toEqual(['119.00', null, '119.00']);
    expect(rowOf(settled.lines, 'Remaining balance (EUR)')).toContain('€0.00');
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

  it('shows the state of each instalment as its due date passes', async () => {
    const { id } = await lab.sent(plan);
    await lab.payInvoice(id, 3_000);
    const before = (await pdfOf(id)).lines;
    expect(['Deposit', 'Installment 1', 'Installment 2'].map(part => rowOf(before, part))).toEqual([
      expect.stringContaining(` ${paid} `),
      expect.stringContaining(` ${open} `),
      expect.stringContaining(` ${open} `),
    ]);
    await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'P9D' } });
    const { lines } = await pdfOf(id);
    expect(['Installment 1', 'Installment 2'].map(part => rowOf(lines, part))).toEqual([
      expect.stringContaining(`November 10, 2026 ${overdue} `),
      expect.stringContaining(`December 10, 2026 ${open} `),
    ]);
  });
});
