import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CreditableLine,
  type CreditPart,
  creditOfQuantity,
  divideCredit,
  type EarlierCredit,
  remainingLines,
  splitCredit,
  wholeOf,
} from '../../src/core/invoice/invoice-credit.ts';
import { parseDecimal, parsePercent, quantityDecimals } from '../../src/core/invoice/invoice-decimal.ts';
import { fillInstallments, planInstallments } from '../../src/core/invoice/invoice-installments.ts';
import { calculateInvoice, type Discount, type InvoiceLineTerms } from '../../src/core/invoice/invoice-totals.ts';
import { allocate } from '../../src/core/money.ts';
import { propertyRuns } from '../torture/property-runs.ts';
import { allocateParts, decimal, type OracleDiscount, type OracleLine, oracle } from './invoice-oracle.ts';

const terms = (line: OracleLine): InvoiceLineTerms => ({
  quantity: parseDecimal(line.quantity, quantityDecimals) as bigint,
  unitAmount: line.unitAmount,
  discount: discountTerms(line.discount),
  taxes: line.taxes.map(tax => ({ ...tax, percent: parsePercent(tax.percent) as bigint })),
});
const discountTerms = (discount: OracleDiscount): Discount | null =>
  discount !== null && 'percent' in discount ? { percent: parsePercent(discount.percent) as bigint } : discount;

const decimalText = (most: bigint, decimals: number) =>
  fc.bigInt({ min: 0n, max: most * 10n ** BigInt(decimals) }).map(value => {
    const digits = value.toString().padStart(decimals + 1, '0');
    return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  });
const usualPercent = fc.constantFrom('19', '7', '20', '5.5', '9.975', '33.33', '0', '100', '0.0001', '21', '8.1', '10');
const percent = fc.oneof(usualPercent, decimalText(100n, 4));
const discount: fc.Arbitrary<OracleDiscount> = fc.oneof(
  fc.constant(null),
  percent.map(value => ({ percent: value })),
  fc.bigInt({ min: 1n, max: 10n ** 6n }).map(amount => ({ amount })),
);
const tax = fc.record({
  name: fc.constantFrom('VAT', 'GST', 'PST'),
  percent,
  inclusive: fc.boolean(),
  compound: fc.boolean(),
});
const line: fc.Arbitrary<OracleLine> = fc.record({
  quantity: fc.oneof(fc.constantFrom('1', '2', '3', '0.1', '0.2', '1.5', '0.333333'), decimalText(1000n, 6)),
  unitAmount: fc.oneof(fc.bigInt({ min: 0n, max: 99n }), fc.bigInt({ min: 0n, max: 10n ** 8n })),
  discount,
  taxes: fc.uniqueArray(tax, { maxLength: 3, selector: each => JSON.stringify(each) }),
});

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

describe('the arithmetic of an invoice', () => {
  it('agrees with an independent calculation, for random invoices', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), discount, (lines, whole) => {
        const got = calculateInvoice(lines.map(terms), discountTerms(whole));
        const wanted = oracle(lines, whole);
        expect({
          subtotals: got.lines.map(each => each.subtotal),
          own: got.lines.map(each => each.ownDiscount),
          shares: got.lines.map(each => each.discountShare),
          lineTaxes: got.lines.map(each => each.taxAmounts),
          totals: got.lines.map(each => each.total),
          taxes: got.taxes.map(({ name, inclusive, compound, base, amount }) => ({
            name,
            inclusive,
            compound,
            base,
            amount,
          })),
          subtotal: got.subtotal,
          discount: got.discount,
          discountTotal: got.discountTotal,
          taxTotal: got.taxTotal,
          taxIncluded: got.taxIncluded,
          total: got.total,
        }).toEqual({
          ...wanted,
          taxes: wanted.taxes.map(({ percent: _percent, ...rest }) => rest),
        });
      }),
      propertyRuns(1_000, 20_000, 0.06),
    );
  }, 120_000);

  it('adds lines, discounts and taxes up to the total, and the shares of lines to each sum', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), discount, (lines, whole) => {
        const got = calculateInvoice(lines.map(terms), discountTerms(whole));
        expect(got.subtotal - got.discountTotal + got.taxTotal - got.taxIncluded).toBe(got.total);
        expect(sum(got.lines.map(each => each.total))).toBe(got.total);
        expect(sum(got.lines.map(each => each.ownDiscount + each.discountShare))).toBe(got.discountTotal);
        expect(sum(got.lines.flatMap(each => each.taxAmounts))).toBe(got.taxTotal);
        expect(sum(got.taxes.map(each => each.amount))).toBe(got.taxTotal);
      }),
      propertyRuns(500, 10_000, 0.02),
    );
  });

  const exclusive = { name: 'VAT', percent: '20', inclusive: false, compound: false };
  const plain = { quantity: '1', unitAmount: 1000n, discount: null, taxes: [] };
  it.each<[string, OracleLine[], OracleDiscount, { total: bigint; taxes?: bigint[]; discountTotal?: bigint }]>([
    [
      '0.1 + 0.2 of ten units',
      [
        { ...plain, quantity: '0.1' },
        { ...plain, quantity: '0.2' },
      ],
      null,
      { total: 300n },
    ],
    [
      'three lines less a third each',
      Array.from({ length: 3 }, () => ({ ...plain, discount: { percent: '33.33' } })),
      null,
      { total: 2001n, discountTotal: 999n },
    ],
    ['half a unit, away from zero', [{ ...plain, quantity: '0.5', unitAmount: 1n }], null, { total: 1n }],
    ['a discount larger than the line', [{ ...plain, discount: { amount: 5000n } }], null, { total: 0n }],
    ['a discount of 100 %', [{ ...plain, taxes: [exclusive] }], { percent: '100' }, { total: 0n, taxes: [0n] }],
    [
      'one tax on the sum, not line by line',
      Array.from({ length: 3 }, () => ({ ...plain, unitAmount: 2n, taxes: [exclusive] })),
      null,
      { total: 7n, taxes: [1n] },
    ],
    [
      'a tax in the price',
      [{ ...plain, unitAmount: 11_900n, taxes: [{ ...exclusive, percent: '19', inclusive: true }] }],
      null,
      { total: 11_900n, taxes: [1900n] },
    ],
    [
      'a tax on a tax',
      [
        {
          ...plain,
          unitAmount: 10_000n,
          taxes: [
            { ...exclusive, name: 'GST', percent: '5' },
            { ...exclusive, name: 'QST', percent: '9.5', compound: true },
          ],
        },
      ],
      null,
      { total: 11_498n, taxes: [500n, 998n] },
    ],
    [
      'a discount on the invoice lowers each rate by its part',
      [
        { ...plain, unitAmount: 10_000n, taxes: [exclusive] },
        { ...plain, unitAmount: 5_000n, taxes: [{ ...exclusive, percent: '10' }] },
      ],
      { amount: 1_500n },
      { total: 15_750n, taxes: [1_800n, 450n], discountTotal: 1_500n },
    ],
  ])('calculates %s', (_, lines, whole, wanted) => {
    const got = calculateInvoice(lines.map(terms), discountTerms(whole));
    expect(got.total).toBe(wanted.total);
    if (wanted.taxes !== undefined) expect(got.taxes.map(({ amount }) => amount)).toEqual(wanted.taxes);
    if (wanted.discountTotal !== undefined) expect(got.discountTotal).toBe(wanted.discountTotal);
  });

  it('distributes remainders by the largest remainder method, as the oracle does', () => {
    const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), weights, (amount, list) => {
        fc.pre(sum(list) > 0n);
        const parts = allocate(amount, list);
        expect(sum(parts)).toBe(amount);
        expect(parts).toEqual(
          allocateParts(
            amount,
            list.map(each => decimal(String(each))),
          ),
        );
      }),
    );
  });

  it.each([['1e2'], ['-1'], ['１'], [' 5'], ['0.0000001'], ['.5'], ['1,5'], [0.1 + 0.2], [1e21], [Number.NaN]])(
    'refuses the quantity %s instead of rounding it',
    value => {
      expect(parseDecimal(value, quantityDecimals)).toBeNull();
    },
  );
});

describe('credit', () => {
  const taxedLine = fc.integer({ min: 0, max: 3 }).chain(group =>
    fc.record({
      group: fc.constant(String(group)),
      net: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.bigInt({ min: -1n, max: 3n })),
      // The net of a price of some cents is negative when the rounded included taxes exceed it.
      taxes: fc.array(fc.bigInt({ min: group === 0 ? 0n : 1n, max: 10n ** 5n }), {
        minLength: group,
        maxLength: group,
      }),
    }),
  );
  const lines = fc.array(
    taxedLine.map(line => (line.group === '0' && line.net < 0n ? { ...line, net: 1n } : line)),
    { minLength: 1, maxLength: 6 },
  );
  /** A note over a percentage of all that is left, or of what is left of some lines. */
  const note = fc.record({
    percent: fc.integer({ min: 0, max: 100 }),
    named: fc.option(fc.array(fc.nat(5), { minLength: 1 }), { nil: null }),
  });
  const amountsOf = (parts: readonly CreditPart[]) => parts.flatMap(({ net, taxes }) => [net, ...taxes]);
  const shareOf = (amount: bigint, percent: number) => (amount > 0n ? (amount * BigInt(percent)) / 100n : 0n);

  it('returns exactly the invoice’s amounts, however notes divide it by amount and by line', () => {
    fc.assert(
      fc.property(lines, fc.array(note, { maxLength: 6 }), (all, notes) => {
        const earlier: EarlierCredit[] = [];
        for (const { percent, named } of [...notes, { percent: 100, named: null }]) {
          const left = remainingLines(all, earlier);
          const open = sum(amountsOf(left));
          if (named === null) {
            const amount = shareOf(open, percent);
            const parts = divideCredit(left, amount);
            expect(sum(amountsOf(parts))).toBe(amount);
            earlier.push({ amount, parts: null });
          } else {
            const parts = new Map<number, CreditPart>();
            for (const index of named) {
              const line = left[index % left.length] as CreditableLine;
              parts.set(index % left.length, splitCredit(line, shareOf(wholeOf(line), percent)));
            }
            const amount = sum(amountsOf([...parts.values()]));
            if (amount <= open) earlier.push({ amount, parts });
          }
        }
        expect(amountsOf(remainingLines(all, earlier)).every(each => each === 0n)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('takes no more of a line’s net and taxes than is left, and only of lines with positive amounts', () => {
    const positive = lines.map(all => all.map(line => ({ ...line, net: line.net < 0n ? 0n : line.net })));
    fc.assert(
      fc.property(positive, fc.integer({ min: 0, max: 100 }), (all, percent) => {
        const parts = divideCredit(all, shareOf(sum(amountsOf(all)), percent));
        for (const [index, most] of amountsOf(all).entries()) {
          const taken = amountsOf(parts)[index] as bigint;
          expect(taken >= 0n && taken <= most).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of all parts of a quantity is the amount of the line', () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 7n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), parts, (total, quantities) => {
        const whole = sum(quantities);
        let credited = 0n;
        const amounts = quantities.map(asked => {
          const amount = creditOfQuantity(total, { whole, credited, asked });
          credited += asked;
          return amount;
        });
        expect(sum(amounts)).toBe(total);
        expect(amounts.every(amount => amount >= 0n)).toBe(true);
      }),
    );
  });
});

describe('instalments', () => {
  const share = fc.oneof(
    fc.bigInt({ min: 1n, max: 10n ** 6n }).map(amount => ({ amount })),
    fc.bigInt({ min: 1_000n, max: 499_999n }).map(value => ({ percent: value })),
  );

  it('add up to the total, for any deposit and shares', () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 100n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.bigInt({ min: 10_000n, max: 10n ** 12n }), fc.option(share), parts, (total, deposit, weights) => {
        fc.pre(deposit === null || !('amount' in deposit) || deposit.amount < total - 5_000n);
        const percents = allocate(1_000_000n, weights);
        const plan = planInstallments(total, {
          deposit: deposit === null ? null : { dueDate: null, share: deposit },
          installments: percents.map(value => ({ dueDate: '2026-12-01', share: { percent: value } })),
          dueDate: null,
        });
        expect(sum(plan.map(each => each.amount))).toBe(total);
        const rest = plan.filter(each => each.kind === 'installment').map(each => each.amount);
        expect(rest).toEqual(
          allocateParts(
            sum(rest),
            percents.map(each => decimal(String(each))),
          ),
        );
      }),
    );
  });

  it('take fixed amounts first, then percentages of the remaining amount', () => {
    const plan = planInstallments(100_001n, {
      deposit: { dueDate: '2026-11-30', share: { percent: 200_000n } },
      installments: [
        { dueDate: '2026-12-01', share: { amount: 30_000n } },
        { dueDate: '2027-01-01', share: { percent: 500_000n } },
        { dueDate: '2027-02-01', share: { percent: 500_000n } },
      ],
      dueDate: null,
    });
    expect(plan.map(each => each.amount)).toEqual([20_000n, 30_000n, 25_001n, 25_000n]);
  });

  it('make the rest after a deposit due on the invoice’s due date', () => {
    const plan = planInstallments(1_000n, {
      deposit: { dueDate: null, share: { amount: 300n } },
      installments: [],
      dueDate: '2026-12-24',
    });
    expect(plan).toMatchObject([
      { kind: 'deposit', amount: 300n },
      { kind: 'installment', amount: 700n, dueDate: '2026-12-24' },
    ]);
  });

  const day = '2026-12-01';
  it.each([
    ['percentages of 99', [{ percent: 500_000n }, { percent: 490_000n }], 'installments'],
    ['amounts that fall short', [{ amount: 400n }, { amount: 500n }], 'installments'],
    ['amounts beyond the total', [{ amount: 1400n }], 'installments'],
    ['a share of zero', [{ amount: 1000n }, { percent: 1_000_000n }], 'installments[1]'],
  ])('refuse %s', (_, shares, param) => {
    const plan = () =>
      planInstallments(1000n, {
        deposit: null,
        installments: shares.map(each => ({ dueDate: day, share: each })),
        dueDate: null,
      });
    expect(plan).toThrow(expect.objectContaining({ param }));
  });

  it('are paid in order, and are overdue the day after', () => {
    const plan = planInstallments(300n, {
      deposit: null,
      installments: ['2026-12-01', '2027-01-01', '2027-02-01'].map(dueDate => ({ dueDate, share: { amount: 100n } })),
      dueDate: null,
    });
    const states = (paid: bigint, today: string) =>
      fillInstallments(plan, { paid, credited: 0n }, today).map(each => each.status);
    expect(states(0n, '2026-12-01')).toEqual(['open', 'open', 'open']);
    expect(states(0n, '2026-12-02')).toEqual(['overdue', 'open', 'open']);
    expect(states(150n, '2027-01-01')).toEqual(['paid', 'partially_paid', 'open']);
    expect(states(150n, '2027-01-02')).toEqual(['paid', 'overdue', 'open']);
    expect(states(300n, '2028-01-01')).toEqual(['paid', 'paid', 'paid']);
  });
});
