import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreditNote } from '../../../src/api/invoice/invoice-money.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { refusal } from '../payments/payment-lab.ts';
import { eInvoiceCustomer, eInvoiceMerchant, type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({ merchant: eInvoiceMerchant });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const vat = (percent: number, more: object = {}) => ({ name: 'VAT', percent, ...more });
/** 119.00 at 19 %, 21.40 at 7 % and 10.00 untaxed. */
const mixed = {
  customer: eInvoiceCustomer,
  lines: [
    { description: 'Desk', quantity: '4', unit: 'h', unit_amount: 2500, tax: vat(19) },
    { description: 'Book', quantity: 2, unit_amount: 1000, tax: vat(7) },
    { description: 'Stamp', unit_amount: 1000 },
  ],
};
const credit = async (id: string, body: object): Promise<CreditNote> => {
  const answer = await lab.invoice(id, 'credit-notes', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const taxesOf = ({ taxes }: Pick<CreditNote, 'taxes'>) => taxes.map(({ base, amount }) => [base, amount]);

describe('a credit note by line', () => {
  it.each<[string, object, { amount: number; taxes: number[][]; lines: object[] }]>([
    [
      'whole',
      { line: 0 },
      {
        amount: 11_900,
        taxes: [
          [10_000, 1900],
          [0, 0],
        ],
        lines: [{ line: 0, quantity: null, amount: 11_900, tax_total: 1900 }],
      },
    ],
    [
      'by quantity',
      { line: 0, quantity: '1' },
      {
        amount: 2975,
        taxes: [
          [2500, 475],
          [0, 0],
        ],
        lines: [{ line: 0, quantity: '1', amount: 2975 }],
      },
    ],
    [
      'by amount',
      { line: 1, amount: 1070 },
      {
        amount: 1070,
        taxes: [
          [0, 0],
          [1000, 70],
        ],
        lines: [{ line: 1, quantity: null, amount: 1070 }],
      },
    ],
    [
      'without tax',
      { line: 2, quantity: 0.5 },
      {
        amount: 500,
        taxes: [
          [0, 0],
          [0, 0],
        ],
        lines: [{ line: 2, quantity: '0.5', amount: 500 }],
      },
    ],
  ])('%s reverses the tax of that line only', async (_how, line, wanted) => {
    const { id } = await lab.sent(mixed);
    const note = await credit(id, { lines: [line] });
    expect(note).toMatchObject({ amount: wanted.amount, lines: wanted.lines });
    expect(taxesOf(note)).toEqual(wanted.taxes);
    expect(await lab.readInvoice(id)).toMatchObject({ amount_credited: wanted.amount });
    expect((await lab.request(`GET /v1/credit-notes/${note.id}`)).body).toEqual(note);
  });

  it('takes all lines with a rate, a part of them, or the untaxed ones', async () => {
    const { id } = await lab.sent(mixed);
    const notes = [
      await credit(id, { rates: [{ percent: 19, amount: 1190 }] }),
      await credit(id, { rates: [{ percent: '19' }, { percent: '7.0', name: 'VAT' }] }),
      await credit(id, { rates: [{ percent: 0 }] }),
    ];
    expect(notes.map(({ amount }) => amount)).toEqual([1190, 11_900 - 1190 + 2140, 1000]);
    expect(notes.map(taxesOf)).toEqual([
      [
        [1000, 190],
        [0, 0],
      ],
      [
        [9000, 1710],
        [2000, 140],
      ],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'void', amount_remaining: 0 });
  });

  it('returns the invoice’s taxes to the cent beside notes over amounts, in parts of quantities', async () => {
    const { id, taxes, total } = await lab.sent({
      lines: [
        { description: 'a', quantity: 3, unit_amount: 333, discount: { percent: 7 }, tax: vat(19) },
        { description: 'b', quantity: 7, unit_amount: 101, tax: vat(7, { inclusive: true }) },
        { description: 'c', unit_amount: 2, tax: vat(19) },
      ],
      discount: { amount: 50 },
    });
    const notes = [
      await credit(id, {
        lines: [
          { line: 0, quantity: 1 },
          { line: 1, quantity: '0.7' },
        ],
      }),
      await credit(id, { amount: 77 }),
      await credit(id, { lines: [{ line: 1, quantity: 1 }] }),
      await credit(id, { rates: [{ percent: 19, amount: 40 }] }),
      await credit(id, {}),
    ];
    const sum = (of: (note: CreditNote) => number) => notes.reduce((all, note) => all + of(note), 0);
    expect(sum(({ amount }) => amount)).toBe(total);
    expect(taxes.map((_, at) => sum(note => note.taxes[at]?.amount ?? 0))).toEqual(taxes.map(({ amount }) => amount));
  });

  it.each<[string, object[], unknown[]]>([
    ['more than a line', [{ lines: [{ line: 1, amount: 2141 }] }], [400, 'amount_out_of_range', 'lines[0].amount']],
    [
      'more than its quantity',
      [{ lines: [{ line: 0, quantity: 3 }] }, { lines: [{ line: 0, quantity: '1.000001' }] }],
      [400, 'amount_out_of_range', 'lines[0].quantity'],
    ],
    [
      'a quantity of which an amount is credited',
      [{ lines: [{ line: 0, amount: 3000 }] }, { lines: [{ line: 0, quantity: 4 }] }],
      [400, 'amount_out_of_range', 'lines[0].quantity'],
    ],
    [
      'a line twice',
      [
        {
          lines: [
            { line: 0, amount: 1 },
            { line: 0, amount: 1 },
          ],
        },
      ],
      [400, 'parameter_invalid', 'lines[1].line'],
    ],
    ['an unknown line', [{ lines: [{ line: 3 }] }], [400, 'parameter_invalid', 'lines[0].line']],
    [
      'quantity and amount',
      [{ lines: [{ line: 0, quantity: 1, amount: 1 }] }],
      [400, 'parameter_invalid', 'lines[0].quantity'],
    ],
    ['a wrong quantity', [{ lines: [{ line: 0, quantity: '-1' }] }], [400, 'parameter_invalid', 'lines[0].quantity']],
    [
      'a credited line',
      [{ lines: [{ line: 2 }] }, { lines: [{ line: 2 }] }],
      [400, 'amount_out_of_range', 'lines[0].line'],
    ],
    ['an unknown rate', [{ rates: [{ percent: 20 }] }], [400, 'parameter_invalid', 'rates[0].percent']],
    [
      'a rate twice',
      [{ rates: [{ percent: 7 }, { percent: 7, name: 'VAT' }] }],
      [400, 'parameter_invalid', 'rates[1]'],
    ],
    ['more than a rate', [{ rates: [{ percent: 7, amount: 2141 }] }], [400, 'amount_out_of_range', 'rates[0].amount']],
    [
      'a credited rate',
      [{ rates: [{ percent: 7 }] }, { rates: [{ percent: 7 }] }],
      [400, 'amount_out_of_range', 'rates[0]'],
    ],
    ['lines and rates', [{ lines: [{ line: 0 }], rates: [{ percent: 7 }] }], [400, 'parameter_invalid', 'rates']],
    ['lines and an amount', [{ amount: 1, lines: [{ line: 0 }] }], [400, 'parameter_invalid', 'lines']],
    [
      'an amount beyond what is left',
      [{ lines: [{ line: 0 }] }, { amount: 3141 }],
      [400, 'amount_out_of_range', 'amount'],
    ],
  ])('refuses %s', async (_what, bodies, wanted) => {
    const { id } = await lab.sent(mixed);
    for (const body of bodies.slice(0, -1)) await credit(id, body);
    const last = bodies.at(-1) ?? {};
    expect(refusal(await lab.invoice(id, 'credit-notes', last))).toEqual(wanted);
    expect(refusal(await lab.invoice(id, 'credit-notes/preview', last))).toEqual(wanted);
  });

  it.each<[string, object, RegExp[]]>([
    [
      'quantity',
      { lines: [{ line: 0, quantity: 1 }] },
      [/LineID>1<.*Desk.*<ram:ChargeAmount>25.00<.*BilledQuantity unitCode="HUR">1</, /LineTotalAmount>25.00</],
    ],
    [
      'amount',
      { lines: [{ line: 0, amount: 1190 }] },
      [/<ram:ChargeAmount>10.00<.*BilledQuantity unitCode="C62">1</, /CalculatedAmount>1.90<.*BasisAmount>10.00</],
    ],
    [
      'rate',
      { rates: [{ percent: 7 }] },
      [/Book/, /CalculatedAmount>1.40<.*BasisAmount>20.00<.*RateApplicablePercent>7</, /GrandTotalAmount>21.40</],
    ],
    ['untaxed line, which is exempt as in the invoice', { lines: [{ line: 2 }] }, [/CategoryCode>E</]],
    ['rate of zero', { rates: [{ percent: 0 }] }, [/CategoryCode>E</]],
  ])('has a PDF with a credit note in XML (381) that has only the lines credited by %s', async (_how, body, wanted) => {
    const { id, number } = await lab.sent(mixed);
    const note = await credit(id, body);
    const { pages, attachments } = await readPdf((await lab.request(`GET /v1/credit-notes/${note.id}/pdf`)).bytes);
    const xml = attachments['factur-x.xml'] ?? '';
    for (const part of [/TypeCode>381</, ...wanted, new RegExp(`IssuerAssignedID>${number}<`)])
      expect(xml).toMatch(part);
    expect(xml.match(/IncludedSupplyChainTradeLineItem>/g)).toHaveLength(2);
    expect(xml.match(/<ram:ApplicableTradeTax>.*?CalculatedAmount/g)).toHaveLength(1);
    expect(pages.join().includes('Stamp')).toBe(xml.includes('Stamp'));
  });

  it('has in its XML each VAT category of the credited lines', async () => {
    const [untaxed, amount] = [{ quantity: '1', unit_amount: 10_000, taxes: [] }, 10_000];
    const { id } = await lab.sent({
      ...mixed,
      lines: ['export', 'exempt'].map(category => ({ ...untaxed, description: category, vat: { category } })),
    });
    const note = await credit(id, { amount });
    const { text } = await lab.request(`GET /v1/credit-notes/${note.id}/xml`);
    expect([...text.matchAll(/<ram:CategoryCode>(\w+)</g)].map(([, code]) => code)).toEqual(['G', 'E', 'G', 'E']);
  });

  it('over the whole of an unpaid invoice is no canceled document: its PDF has the XML', async () => {
    const { id } = await lab.sent(mixed);
    const note = await credit(id, {});
    const { pages, attachments } = await readPdf((await lab.request(`GET /v1/credit-notes/${note.id}/pdf`)).bytes);
    expect(attachments['factur-x.xml']).toBe((await lab.request(`GET /v1/credit-notes/${note.id}/xml`)).text);
    expect(pages.join()).not.toContain('Canceled');
  });
});

describe('the preview of a credit note', () => {
  it('answers what the note then does, and writes nothing', async () => {
    const { id } = await lab.sent({ ...mixed, customer: { email: 'preview@example.com' } });
    await lab.payInvoice(id, 14_040);
    await credit(id, { lines: [{ line: 0, quantity: 1 }] });
    const body = { lines: [{ line: 0, quantity: 2 }, { line: 1 }] };
    const { body: preview } = await lab.invoice(id, 'credit-notes/preview', body);
    expect(preview).toMatchObject({
      object: 'credit_note_preview',
      invoice: id,
      currency: 'EUR',
      amount: 5950 + 2140,
      tax_total: 950 + 140,
      amount_off: 0,
      amount_to_credit: 5950 + 2140,
      amount_for_refunds: 0,
      creditable: {
        amount: 15_040 - 2975,
        lines: [
          { line: 0, quantity: '3', amount: 8925 },
          { line: 1, quantity: '2', amount: 2140 },
          { line: 2, quantity: '1', amount: 1000 },
        ],
      },
    });
    const note = await credit(id, body);
    expect(note).toMatchObject({ lines: preview.lines, taxes: preview.taxes });
    expect([note.amount, note.amount_to_credit]).toEqual([preview.amount, preview.amount_to_credit]);
    expect((await lab.request(`GET /v1/invoices/${id}/credit-notes`)).body.data).toHaveLength(2);
  });

  it('divides an amount over all lines', async () => {
    const { id } = await lab.sent(mixed);
    const { body } = await lab.invoice(id, 'credit-notes/preview', { amount: 1504 });
    expect(body.lines.map(({ amount }: { amount: number }) => amount)).toEqual([1190, 214, 100]);
    expect((await credit(id, { amount: 1504 })).taxes).toEqual(body.taxes);
  });
});
