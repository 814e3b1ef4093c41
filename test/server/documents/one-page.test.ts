import { describe, expect, it } from 'vitest';
import { epcPayload } from '../../../src/core/bank/epc-qr.ts';
import type { InstallmentStatus } from '../../../src/core/invoice/invoice-document.ts';
import { drawInvoice } from '../../../src/server/documents/documents.ts';
import { codesIn, readPdf } from '../../support/read-pdf.ts';
import { type SampleChanges, sampleInvoice } from './sample-invoice.ts';

const standard = { name: 'VAT', percent: '20' };
const part = (amount: bigint, dueDate: string, status: InstallmentStatus = 'open', amountPaid = 0n) =>
  ({ kind: 'installment', dueDate, amount, amountPaid, amountCredited: 0n, status }) as const;
const order: SampleChanges = {
  lines: [
    { description: 'Analytical engine, hire', quantity: '3', unitAmount: 25_000n, taxes: [standard] },
    {
      description: 'Punched cards',
      quantity: '400',
      unitAmount: 55n,
      discountPercent: '10',
      taxes: [{ name: 'VAT', percent: '7' }],
    },
    { description: 'Delivery', unitAmount: 4_500n, taxes: [standard] },
  ],
  discountPercent: '5',
  installments: [part(44_294n, '2026-12-02'), part(33_220n, '2027-01-01'), part(33_220n, '2027-01-31')],
  asked: 44_294n,
  dueDate: '2027-01-31',
  payUrl: 'https://pay.example.com/i/whrhXsXhtWhjxmLjA1ZwLrLy2HAvoeYFfBpFmptlBn0UdDPUMvs53H41lQD8iIekzk',
};
const bank = { iban: 'DE71110220330123456789', bic: 'BHBLDEHHXXX' };
const code = epcPayload({ ...bank, name: 'Kopernikus', amount: 44_294n, text: 'INV-0001' }) ?? '';
const withBank: SampleChanges = {
  bankQr: { format: 'epc', payload: code },
  reference: null,
  seller: { ...bank, addressLines: [], taxId: null },
  buyer: { name: 'Ada Lovelace', email: 'ada@example.com', addressLines: [], country: null, taxId: 'GB123456789' },
};
const withoutBank: SampleChanges = { seller: { iban: null, bic: null } };

describe('an invoice with three lines, three instalments and a short note', () => {
  it.each([
    ['en', 'Thank you for your order.', withoutBank],
    ['ar', 'شكرًا لطلبكم.', withoutBank],
    ['ja', 'ご注文ありがとうございます。', withoutBank],
    ['en', 'Thank you for your order.', withBank],
    ['ar', 'شكرًا لطلبكم.', withBank],
    ['ja', 'ご注文ありがとうございます。', withBank],
  ])('fits on one page in %s, with its QR codes', async (locale, memo, changes) => {
    const invoice = sampleInvoice({ ...order, locale, memo, ...changes });
    const bytes = await drawInvoice(invoice);
    expect((await readPdf(bytes)).pages).toHaveLength(1);
    const codes = await codesIn(bytes, `invoice-plan-${changes === withBank ? 'bank-' : ''}${locale}`);
    expect(codes.toSorted()).toEqual([...(changes === withBank ? [code] : []), invoice.payUrl]);
  });
});

describe('the due dates of the amount', () => {
  it.each<[string, SampleChanges, string]>([
    ['one day', { installments: [], asked: 110_734n }, 'due January 31, 2027'],
    ['the first part', {}, '€442.94 due December 2, 2026'],
    [
      'the rest of a part',
      {
        asked: 40_000n,
        installments: [part(44_294n, '2026-12-02', 'partially_paid', 4_294n), part(66_440n, '2027-01-31')],
      },
      '€400.00 due December 2, 2026',
    ],
    [
      'the next part',
      {
        asked: 33_220n,
        installments: [
          part(44_294n, '2026-12-02', 'paid', 44_294n),
          part(33_220n, '2027-01-01'),
          part(33_220n, '2027-01-31'),
        ],
      },
      '€332.20 due January 1, 2027',
    ],
    [
      'a part that is late',
      { installments: [part(44_294n, '2026-12-02', 'overdue'), part(66_440n, '2027-01-31')] },
      '€442.94 was due December 2, 2026',
    ],
    [
      'the last part',
      {
        installments: [part(77_514n, '2026-12-02', 'paid', 77_514n), part(33_220n, '2027-01-30')],
        asked: 33_220n,
        amountPaid: 77_514n,
        amountRemaining: 33_220n,
        status: 'partially_paid',
      },
      'due January 30, 2027',
    ],
  ])('%s', async (_, changes, text) => {
    const { pages } = await readPdf(await drawInvoice(sampleInvoice({ ...order, ...changes })));
    expect(pages.join('\n').split('\n')).toContain(text);
  });
});
