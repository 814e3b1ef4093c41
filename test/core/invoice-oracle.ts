/**
 * A second, independent calculation of an invoice. Every value is a reduced fraction of bigints, taxes are extracted
 * from each line's price, and remainders are allocated unit by unit. It shares no code with `src/core`.
 */

interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
const fraction = (n: bigint, d = 1n): Fraction => {
  const by = gcd(n, d) * (d < 0n ? -1n : 1n);
  return by === 0n ? { n: 0n, d: 1n } : { n: n / by, d: d / by };
};
const plus = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a: Fraction, b: Fraction) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d);
const over = (a: Fraction, b: Fraction) => fraction(a.n * b.d, a.d * b.n);
const isLess = (a: Fraction, b: Fraction) => a.n * b.d < b.n * a.d;
const floor = ({ n, d }: Fraction): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
const sum = (list: readonly bigint[]) => list.reduce((total, each) => total + each, 0n);
const sumOfFractions = (list: readonly Fraction[]) => list.reduce(plus, fraction(0n));

/** Rounds half away from zero. */
const rounded = (value: Fraction): bigint =>
  value.n < 0n ? -rounded(fraction(-value.n, value.d)) : floor(plus(value, fraction(1n, 2n)));

/** The exact value of a decimal text. */
export function decimal(text: string): Fraction {
  const [whole = '', part = ''] = text.split('.');
  return fraction(BigInt(whole + part), 10n ** BigInt(part.length));
}

export type OracleDiscount = { readonly percent: string } | { readonly amount: bigint } | null;

export interface OracleTax {
  readonly name: string;
  readonly percent: string;
  readonly inclusive: boolean;
  readonly compound: boolean;
}

export interface OracleLine {
  readonly quantity: string;
  readonly unitAmount: bigint;
  readonly discount: OracleDiscount;
  readonly taxes: readonly OracleTax[];
}

const percentOf = (text: string) => over(decimal(text), fraction(100n));

function takenOff(amount: bigint, discount: OracleDiscount): bigint {
  if (discount === null) return 0n;
  if ('percent' in discount) return rounded(times(fraction(amount), percentOf(discount.percent)));
  return discount.amount > amount ? amount : discount.amount;
}

/** Allocates `amount` in proportion to the exact values: floors first, then each unit to the largest remainder. */
export function allocateParts(amount: bigint, exact: readonly Fraction[]): bigint[] {
  const whole = sumOfFractions(exact);
  if (whole.n === 0n) return exact.map(() => 0n);
  const due = exact.map(value => over(times(value, fraction(amount)), whole));
  const parts = due.map(floor);
  while (sum(parts) < amount) {
    let furthest = 0;
    for (const [index, value] of due.entries()) {
      const behind = minus(value, fraction(parts[index] as bigint));
      if (isLess(minus(due[furthest] as Fraction, fraction(parts[furthest] as bigint)), behind)) furthest = index;
    }
    parts[furthest] = (parts[furthest] as bigint) + 1n;
  }
  return parts;
}

/** Exact net price and taxes contained in a line's `price`. */
function unroll(price: bigint, taxes: readonly OracleTax[]) {
  // Each tax on one unit of net price.
  const perUnit: Fraction[] = [];
  for (const tax of taxes) {
    const on = tax.compound ? plus(fraction(1n), sumOfFractions(perUnit)) : fraction(1n);
    perUnit.push(times(on, percentOf(tax.percent)));
  }
  const contained = sumOfFractions(perUnit.filter((_, index) => taxes[index]?.inclusive));
  const net = over(fraction(price), plus(fraction(1n), contained));
  const amounts = perUnit.map(each => times(each, net));
  const bases = taxes.map((tax, index) => (tax.compound ? plus(net, sumOfFractions(amounts.slice(0, index))) : net));
  return { amounts, bases };
}

export function oracle(lines: readonly OracleLine[], discount: OracleDiscount) {
  const subtotals = lines.map(line => rounded(times(decimal(line.quantity), fraction(line.unitAmount))));
  const own = lines.map((line, index) => takenOff(subtotals[index] as bigint, line.discount));
  const amounts = subtotals.map((each, index) => each - (own[index] as bigint));
  const whole = takenOff(sum(amounts), discount);
  const shares = allocateParts(
    whole,
    amounts.map(each => fraction(each)),
  );
  const prices = amounts.map((each, index) => each - (shares[index] as bigint));
  const unrolled = lines.map((line, index) => unroll(prices[index] as bigint, line.taxes));
  const rates = new Map<string, { tax: OracleTax; at: [line: number, position: number][] }>();
  for (const [line, { taxes }] of lines.entries()) {
    for (const [position, tax] of taxes.entries()) {
      const key = `${tax.name}|${decimal(tax.percent).n}/${decimal(tax.percent).d}|${tax.inclusive}|${tax.compound}`;
      const rate = rates.get(key) ?? { tax, at: [] };
      rate.at.push([line, position]);
      rates.set(key, rate);
    }
  }
  const lineTaxes = lines.map(line => line.taxes.map(() => 0n));
  const taxes = [...rates.values()].map(({ tax, at }) => {
    const exact = at.map(([line, position]) => unrolled[line]?.amounts[position] as Fraction);
    const amount = rounded(sumOfFractions(exact));
    for (const [index, part] of allocateParts(amount, exact).entries()) {
      const [line, position] = at[index] as [number, number];
      (lineTaxes[line] as bigint[])[position] = part;
    }
    const asked = sum(at.map(([line]) => prices[line] as bigint));
    const base = sumOfFractions(at.map(([line, position]) => unrolled[line]?.bases[position] as Fraction));
    return { ...tax, amount, base: asked + rounded(minus(base, fraction(asked))) };
  });
  const totals = lines.map(
    ({ taxes: own }, line) =>
      (prices[line] as bigint) + sum((lineTaxes[line] as bigint[]).filter((_, at) => own[at]?.inclusive === false)),
  );
  const taxTotal = sum(taxes.map(tax => tax.amount));
  const taxIncluded = sum(taxes.filter(tax => tax.inclusive).map(tax => tax.amount));
  return {
    subtotals,
    own,
    shares,
    lineTaxes,
    totals,
    taxes,
    taxTotal,
    taxIncluded,
    subtotal: sum(subtotals),
    discount: whole,
    discountTotal: sum(own) + whole,
    total: sum(prices) + taxTotal - taxIncluded,
  };
}
