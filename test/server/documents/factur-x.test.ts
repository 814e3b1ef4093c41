import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InvoiceDocument } from '../../../src/core/invoice/invoice-document.ts';
import { divideRounded, parseUnits } from '../../../src/core/money.ts';
import { eInvoiceXml } from '../../../src/server/documents/e-invoice/factur-x.ts';
import { type SampleChanges, sampleInvoice } from './sample-invoice.ts';

describe('the amounts in the XML', () => {
  const tax = fc.record({
    name: fc.constantFrom('VAT', 'City tax'),
    percent: fc.constantFrom('0', '5', '7', '8.1', '9.975', '19', '25'),
    inclusive: fc.boolean(),
    compound: fc.boolean(),
  });
  const line = fc.record({
    description: fc.constant('Item'),
    quantity: fc.constantFrom('1', '2', '3', '0.5', '12.75', '1000'),
    unitAmount: fc.bigInt({ min: 0n, max: 5_000_000n }),
    discountPercent: fc.option(fc.constantFrom('10', '33.33', '100'), { nil: undefined }),
    taxes: fc.uniqueArray(tax, { maxLength: 2, selector: ({ name }) => name }),
  });
  const changes = (lines: fc.Arbitrary<object>) =>
    fc.record({
      lines: fc.array(lines, { minLength: 1, maxLength: 12 }),
      discountPercent: fc.option(fc.constantFrom('5', '12.5'), { nil: undefined }),
      currency: fc.constantFrom('EUR', 'JPY'),
      amountPaid: fc.constant(0n),
    }) as fc.Arbitrary<SampleChanges>;

  it('satisfy the calculation of EN 16931 (BR-CO-10 to BR-CO-16)', () => {
    fc.assert(
      fc.property(changes(line), change => {
        const invoice = sampleInvoice(change);
        const sums = amountsOf(invoice);
        expect(sums.lineTotal).toBe(sumOf(sums.lines));
        expect(sums.taxBasis).toBe(sums.lineTotal);
        expect(sums.taxTotal).toBe(sumOf(sums.groups.map(({ amount }) => amount)));
        expect(sums.grandTotal).toBe(sums.taxBasis + sums.taxTotal);
        expect(sums.due).toBe(sums.grandTotal - sums.prepaid);
        for (const { calculated, total } of sums.terms) expect(calculated).toBe(total);
        // The printed page and the XML contain the same facts.
        expect([sums.grandTotal, sums.taxTotal, sums.due]).toEqual([
          invoice.total,
          invoice.taxTotal,
          invoice.amountRemaining,
        ]);
        expect(sumOf(sums.groups.map(({ base }) => base))).toBe(sums.taxBasis);
      }),
      { numRuns: 500 },
    );
  });

  it('satisfy it when the rounded included taxes exceed the price', () => {
    const taxes = ['77', '50', '100', '100', '50'].map((percent, at) => ({
      name: `Tax ${at}`,
      percent,
      inclusive: true,
      compound: at !== 2,
    }));
    const lines = [1n, 7n, 15n].map((unitAmount, at) => ({
      description: 'A',
      unitAmount,
      taxes: at === 0 ? taxes.slice(1) : taxes,
    }));
    const { terms } = amountsOf(sampleInvoice({ lines }));
    expect(terms.map(({ total }) => total).some(net => net < 0n)).toBe(true);
    for (const { calculated, total } of terms) expect(calculated).toBe(total);
  });

  it('calculate each rate from its base to the cent when a line has one exclusive tax (BR-CO-17)', () => {
    const single = line.map(item => ({
      ...item,
      taxes: item.taxes.slice(0, 1).map(one => ({ ...one, name: 'VAT', inclusive: false, compound: false })),
    }));
    fc.assert(
      fc.property(changes(single), change => {
        for (const { base, rate, amount } of amountsOf(sampleInvoice(change)).groups)
          expect(amount).toBe(taxOn(base, rate));
      }),
      { numRuns: 300 },
    );
  });

  it('stay within the rounding of taxes when prices include them or several apply', () => {
    fc.assert(
      fc.property(changes(line), change => {
        const invoice = sampleInvoice(change);
        const most = BigInt(invoice.taxes.length);
        for (const { base, rate, amount } of amountsOf(invoice).groups) {
          const difference = amount - taxOn(base, rate);
          // Each tax is rounded once over all its lines, and the share of each line again.
          expect(difference <= most + 1n && difference >= -most - 1n, `${amount} for ${rate} % of ${base}`).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the content of the XML', () => {
  const xml = (changes: SampleChanges) => eInvoiceXml(sampleInvoice(changes));

  it.each<[string, SampleChanges, string[]]>([
    ['the profile', {}, ['<ram:ID>urn:cen.eu:en16931:2017</ram:ID>']],
    [
      'the kind',
      { kind: 'credit_note', corrects: { number: 'INV-0000', issueDate: '2026-10-01' } },
      ['<ram:TypeCode>381</ram:TypeCode>', '<ram:IssuerAssignedID>INV-0000</ram:IssuerAssignedID>'],
    ],
    [
      'a SEPA transfer',
      {},
      [
        '<ram:TypeCode>58</ram:TypeCode>',
        '<ram:IBANID>DE71110220330123456789</ram:IBANID>',
        '<ram:BICID>BHBLDEHHXXX</ram:BICID>',
      ],
    ],
    ['the VAT number without blanks', {}, ['<ram:ID schemeID="VA">DE123456789</ram:ID>']],
    ['the due date', {}, ['<udt:DateTimeString format="102">20261205</udt:DateTimeString>']],
    [
      'no VAT number outside of VAT',
      { lines: [{ description: 'Alms', unitAmount: 500n }] },
      ['<ram:CategoryCode>O</ram:CategoryCode>', 'schemeID="FC"'],
    ],
    ['the unit', { lines: [{ description: 'A', unit: 'kg', unitAmount: 5n }] }, ['unitCode="KGM"']],
    [
      'the whole rate of a tax on a tax',
      {
        lines: [
          {
            description: 'Lens',
            unitAmount: 1_438_096_000n,
            taxes: [
              { name: 'GST', percent: '9.975' },
              { name: 'PST', percent: '9.975', compound: true },
            ],
          },
        ],
      },
      ['<ram:RateApplicablePercent>20.94500625</ram:RateApplicablePercent>', '>3012092.97</ram:CalculatedAmount>'],
    ],
    ['texts as texts', { memo: '<script>&' }, ['&#60;script&#62;&#38;']],
  ])('%s', (_, changes, parts) => {
    for (const part of parts) expect(xml(changes)).toContain(part);
  });

  it('does not exist for a draft', () => {
    expect(() => xml({ number: null })).toThrow(RangeError);
  });
});

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/** An amount times a percentage, rounded as EN 16931 rounds. */
function taxOn(base: bigint, rate: string): bigint {
  return divideRounded(base * (parseUnits(rate, 12) ?? 0n), 100n * 10n ** 12n);
}

/** Quantity × net price − allowances of a line's XML, in smallest units (EN 16931, BT-131). */
function calculatedOf(line: string, decimals: number): bigint {
  const read = (name: string, places: number) =>
    [...line.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>(-?)([^<]*)<`, 'g'))].map(
      ([, sign, digits = '']) => (sign === '-' ? -1n : 1n) * (parseUnits(digits, places) ?? 0n),
    );
  const [quantity = 0n] = read('BilledQuantity', 6);
  const [price = -1n] = read('ChargeAmount', decimals + 6);
  expect(price >= 0n, 'a price is never negative (BR-27)').toBe(true);
  return divideRounded(quantity * price, 10n ** 12n) - sumOf(read('ActualAmount', decimals));
}

/** The amounts of the XML, in smallest units. */
function amountsOf(invoice: InvoiceDocument) {
  const xml = eInvoiceXml(invoice);
  const decimals = invoice.currency === 'JPY' ? 0 : 2;
  const amount = (text = '0') =>
    (text.startsWith('-') ? -1n : 1n) * (parseUnits(text.replace('-', ''), decimals) ?? -1n);
  const all = (name: string, within: string) =>
    [...within.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>([^<]*)<`, 'g'))].map(match => match[1] ?? '');
  const [lines = '', header = ''] = xml.split('<ram:ApplicableHeaderTradeSettlement>');
  const one = (name: string) => amount(all(name, header)[0]);
  return {
    lines: all('LineTotalAmount', lines).map(amount),
    terms: lines
      .split('<ram:IncludedSupplyChainTradeLineItem>')
      .slice(1)
      .map(line => ({ calculated: calculatedOf(line, decimals), total: amount(all('LineTotalAmount', line)[0]) })),
    groups: header
      .split('<ram:ApplicableTradeTax>')
      .slice(1)
      .map(group => ({
        amount: amount(all('CalculatedAmount', group)[0]),
        base: amount(all('BasisAmount', group)[0]),
        rate: all('RateApplicablePercent', group)[0] ?? '0',
      })),
    lineTotal: one('LineTotalAmount'),
    taxBasis: one('TaxBasisTotalAmount'),
    taxTotal: one('TaxTotalAmount'),
    grandTotal: one('GrandTotalAmount'),
    prepaid: one('TotalPrepaidAmount'),
    due: one('DuePayableAmount'),
  };
}
