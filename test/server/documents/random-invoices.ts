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

const untaxedCategories = ['zero', 'exempt', 'reverse_charge', 'intra_eu', 'export', 'outside_scope'] as const;

const line: fc.Arbitrary<SampleLine> = fc
  .record({
    description: text,
    quantity: fc.constantFrom('1', '2', '3', '0.5', '12.75', '1000', '0.333333'),
    unit: optional(fc.constantFrom('h', 'kg', 'm²', 'day', 'bottle')),
    unitAmount: fc.oneof(fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 5_000_000n })),
    discountPercent: fc.option(fc.constantFrom('10', '33.33', '100'), { nil: undefined }),
    untaxed: fc.option(fc.constantFrom(...untaxedCategories), { nil: null, freq: 2 }),
    reason: optional(fc.constant('§ 19 UStG')),
    taxes: fc.uniqueArray(tax, { maxLength: 2, selector: ({ name }) => name }),
  })
  .map(({ discountPercent, untaxed, reason, taxes, ...rest }) => ({
    ...rest,
    ...(discountPercent && { discountPercent }),
    // A category without tax allows no tax. Most lines name no category.
    ...(untaxed === null ? { taxes } : { taxes: [], vat: { category: untaxed, reason } }),
  }));

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
const address = fc.record({
  line1: optional(text),
  line2: optional(text),
  state: optional(fc.constant('Bayern')),
  city: optional(fc.constantFrom('Berlin', 'Zürich')),
  postalCode: optional(fc.constantFrom('10115', 'SW1Y 4JH')),
});
const party = fc.record({
  name: text,
  email: optional(fc.constant('ada@example.com')),
  address: optional(address),
  addressLines: fc.array(text, { maxLength: 5 }),
  country,
  taxId,
});

const contact = fc.record({
  name: fc.constant('Grace Hopper'),
  phone: optional(fc.constantFrom('+49 30 1234567', '030/1234')),
  email: optional(fc.constant('grace@example.com')),
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
    buyerReference: optional(fc.constant('04011000-12345-03')),
    orderNumber: optional(text),
    deliveryDate: optional(fc.constant('2026-11-05')),
    period: optional(fc.constant({ startsOn: '2026-11-01', endsOn: '2026-11-30' })),
    payUrl: optional(fc.constant('https://pay.example.com/i/inv_1')),
    second: fc.option(fc.constantFrom('SEK', 'JPY', 'KWD'), { nil: null, freq: 3 }),
    prepaid: fc.option(fc.bigInt({ min: 1n, max: 100n }), { nil: 0n, freq: 3 }),
    buyer: party.map(({ name, ...rest }) => ({ ...rest, name })),
    seller: fc
      .record({
        party,
        registration: optional(fc.constant('HRB 12345 B')),
        contact: optional(contact),
        iban: optional(fc.constant('DE71110220330123456789')),
      })
      .map(({ party: details, registration: legalRegistration, ...rest }) => ({
        ...details,
        legalRegistration,
        ...rest,
      })),
  })
  .map(({ discountPercent, kind, second, prepaid, ...changes }) => {
    const corrects = kind === 'credit_note' ? { number: 'INV-0000', issueDate: '2026-10-01' } : null;
    const made: SampleChanges = { ...changes, kind, corrects, ...(discountPercent && { discountPercent }) };
    const document = sampleInvoice(made);
    if (kind === 'credit_note') return { ...document, dueDate: null, payUrl: null, amountRemaining: 0n };
    const { total, taxTotal } = document;
    const amountPaid = (total * prepaid) / 100n;
    const doubled = { rate: '2', date: '2026-11-21', total: total * 2n, taxTotal: taxTotal * 2n };
    const exchangeRate = second === null || second === document.currency ? null : { currency: second, ...doubled };
    return { ...document, exchangeRate, amountPaid, amountRemaining: total - amountPaid };
  });

/** An invoice whose parties have what an XRechnung needs; all else is random. */
export const randomXRechnung: fc.Arbitrary<InvoiceDocument> = fc
  .record({ invoice: randomInvoice, phone: fc.constantFrom('+49 30 1234567', '030/1234') })
  .map(({ invoice, phone }) => {
    const place = { line1: 'Amt 1', line2: null, city: 'Bonn', state: null, postalCode: '53113' };
    const shared = { email: 'ada@example.com', address: place, country: 'DE' };
    const contact = { name: 'Grace Hopper', phone, email: null };
    return {
      ...invoice,
      buyerReference: '04011000-12345-03',
      payUrl: invoice.kind === 'invoice' ? 'https://pay.example.com/i/inv_1' : null,
      seller: { ...invoice.seller, ...shared, contact, name: 'Kopernikus GmbH' },
      buyer: { ...invoice.buyer, ...shared, name: 'Amt' },
    };
  });
