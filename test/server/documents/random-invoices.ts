import fc from 'fast-check';
import type { InvoiceDocument } from '../../../src/core/invoice/invoice-document.ts';
import { type SampleChanges, type SampleLine, sampleInvoice } from './sample-invoice.ts';

/** Mostly a value, so that most invoices have the data that an e-invoice needs. */
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 12 });
const text = fc.oneof(
  fc.constantFrom('Lens', 'Ünïcode ≥ 5 µm', '<a href="x">&amp;</a>', ' '),
  fc.string({ minLength: 1 }),
);

const tax = fc.record({
  name: fc.constantFrom('VAT', 'GST', 'City tax'),
  percent: fc.constantFrom('0', '2.5', '5', '7', '8.1', '9.975', '19', '20', '25'),
  inclusive: fc.boolean(),
  compound: fc.boolean(),
});

const line: fc.Arbitrary<SampleLine> = fc
  .record({
    description: text,
    quantity: fc.constantFrom('1', '2', '3', '0.5', '12.75', '1000', '0.333333'),
    unit: optional(fc.constantFrom('h', 'kg', 'm²', 'day', 'bottle')),
    unitAmount: fc.oneof(fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 5_000_000n })),
    discountPercent: fc.option(fc.constantFrom('10', '33.33', '100'), { nil: undefined }),
    taxes: fc.uniqueArray(tax, { maxLength: 2, selector: ({ name }) => name }),
  })
  .map(({ discountPercent, ...rest }) => ({ ...rest, ...(discountPercent && { discountPercent }) }));

const country = optional(fc.constantFrom('DE', 'FR', 'CH', 'GB', 'US', 'NL', 'ES', 'IT', 'SE', 'de', 'GR', 'ZZ', 'XK'));
const taxId = optional(
  fc.constantFrom(
    'DE 123 456 789',
    'DE123456789',
    'FR12345678901',
    'EL123456789',
    '12/345/67890',
    'CHE-123.456.789 MWST',
    'XX12',
  ),
);
const party = fc.record({
  name: text,
  email: optional(fc.constant('ada@example.com')),
  addressLines: fc.array(text, { maxLength: 5 }),
  country,
  taxId,
});

/** An invoice with any combination of details, taxes and currencies that the API accepts. */
export const randomInvoice: fc.Arbitrary<InvoiceDocument> = fc
  .record({
    kind: fc.constantFrom('invoice' as const, 'credit_note' as const),
    lines: fc.array(line, { minLength: 1, maxLength: 8 }),
    discountPercent: fc.option(fc.constantFrom('5', '12.5', '100'), { nil: undefined }),
    currency: fc.constantFrom('EUR', 'USD', 'JPY', 'CHF', 'GBP'),
    reference: optional(text),
    memo: optional(text),
    footer: optional(text),
    dueDate: optional(fc.constant('2026-12-05')),
    payUrl: optional(fc.constant('https://pay.example.com/i/inv_1')),
    buyer: party.map(({ name, ...rest }) => ({ ...rest, name })),
    seller: fc
      .record({ party, iban: optional(fc.constant('DE71110220330123456789')) })
      .map(({ party: details, iban }) => ({ ...details, iban })),
  })
  .map(({ discountPercent, kind, ...changes }) => {
    const corrects = kind === 'credit_note' ? { number: 'INV-0000', issueDate: '2026-10-01' } : null;
    const made: SampleChanges = { ...changes, kind, corrects, ...(discountPercent && { discountPercent }) };
    const document = sampleInvoice(made);
    return kind === 'credit_note' ? { ...document, dueDate: null, payUrl: null, amountRemaining: 0n } : document;
  });
