import type { CreateCreditNote, CreditNoteRate } from '../../../api/invoice/invoice-money.ts';
import { PayError } from '../../../core/error.ts';
import {
  type CreditableLine,
  type CreditPart,
  creditOfQuantity,
  divideCredit,
  splitCredit,
  wholeOf,
} from '../../../core/invoice/invoice-credit.ts';
import {
  formatPercent,
  formatQuantity,
  parseDecimal,
  parsePercent,
  quantityDecimals,
} from '../../../core/invoice/invoice-decimal.ts';
import { sumOf } from '../../../core/money.ts';
import { wrong } from '../billing/invoice-terms.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import { type CreditContent, keptLines, uncreditedLines } from '../money/credited-lines.ts';
import type { KeptCreditLine } from '../tables.ts';

/** The invoice with its earlier credit notes. A new note is checked against them. */
export interface CreditBasis {
  readonly invoice: InvoiceRow;
  readonly earlier: readonly CreditContent[];
  /** The part of each line that is not credited yet. */
  readonly left: readonly CreditableLine[];
}

export function creditBasis(invoice: InvoiceRow, earlier: readonly CreditContent[]): CreditBasis {
  return { invoice, earlier, left: uncreditedLines(invoice, earlier) };
}

/**
 * Checks what a request credits: an amount, lines, or tax rates. Throws `parameter_invalid`. Throws
 * `amount_out_of_range` for more than remains uncredited of the invoice or a line.
 */
export function chooseCredit(basis: CreditBasis, body: CreateCreditNote): CreditContent {
  const given = (['amount', 'lines', 'rates'] as const).filter(name => body[name] !== undefined);
  if (given.length > 1) throw wrong(given[1] ?? '', `and ${given[0]}: give one of them.`);
  const most = sumOf(basis.left.map(wholeOf));
  if (body.lines === undefined && body.rates === undefined) {
    const amount = body.amount === undefined ? most : BigInt(body.amount);
    assertAtMost(amount, most, 'amount');
    return { amount, lines: null };
  }
  const lines = body.lines === undefined ? chooseRates(basis, body.rates ?? []) : chooseLines(basis, body.lines);
  const amount = sumOf(lines.flatMap(({ net, taxes }) => [BigInt(net), ...taxes.map(BigInt)]));
  assertAtMost(amount, most, given[0] ?? 'lines');
  // Credits exactly all that remains, including lines of which only the rounding of taxes remains.
  const isRest = amount === most && lines.every(({ quantity }) => quantity === null);
  return { amount, lines: isRest ? keptLines(basis.left) : lines };
}

function assertAtMost(amount: bigint, most: bigint, param: string): void {
  if (amount <= most) return;
  const message = `Only ${most} of the invoice is left to credit, which is less than ${amount}.`;
  throw new PayError('amount_out_of_range', message, { param });
}

type LineChoice = NonNullable<CreateCreditNote['lines']>[number];

function chooseLines(basis: CreditBasis, choices: readonly LineChoice[]): KeptCreditLine[] {
  const parts: CreditPart[] = basis.left.map(({ taxes }) => ({ net: 0n, taxes: taxes.map(() => 0n) }));
  const quantities = new Map<number, string>();
  const seen = new Set<number>();
  for (const [position, choice] of choices.entries()) {
    const at = `lines[${position}]`;
    const left = basis.left[choice.line];
    if (left === undefined) throw wrong(`${at}.line`, `takes 0 to ${basis.left.length - 1}.`);
    if (seen.has(choice.line)) throw wrong(`${at}.line`, 'is there twice.');
    seen.add(choice.line);
    const quantity = quantityOf(choice, at);
    const amount = amountOfChoice(basis, choice, quantity, at);
    parts[choice.line] = splitCredit(left, amount);
    if (quantity !== null) quantities.set(choice.line, formatQuantity(quantity));
  }
  return keptLines(parts, quantities);
}

function quantityOf({ quantity: given, amount }: LineChoice, at: string): bigint | null {
  if (given === undefined) return null;
  if (amount !== undefined) throw wrong(`${at}.quantity`, 'and amount: give one of them.');
  const quantity = parseDecimal(given, quantityDecimals);
  if (quantity !== null && quantity > 0n) return quantity;
  throw wrong(`${at}.quantity`, `takes a number above 0 with up to ${quantityDecimals} decimals.`);
}

/** The amount that a choice credits of its line, at most the uncredited amount of the line. */
function amountOfChoice(basis: CreditBasis, choice: LineChoice, quantity: bigint | null, at: string): bigint {
  const left = leftOf(basis, choice.line);
  const field = quantity === null ? (choice.amount === undefined ? 'line' : 'amount') : 'quantity';
  const refuse = (message: string) => new PayError('amount_out_of_range', message, { param: `${at}.${field}` });
  if (left === 0n) throw refuse('Nothing of this line is left to credit.');
  if (quantity === null) {
    const amount = choice.amount === undefined ? left : BigInt(choice.amount);
    if (amount > left) throw refuse(`Only ${left} of this line is left to credit, which is less than ${amount}.`);
    return amount;
  }
  const open = uncreditedQuantity(basis, choice.line);
  if (quantity > open) throw refuse(`Only a quantity of ${formatQuantity(open)} of this line is left to credit.`);
  const { total, quantity: billed } = basis.invoice.lines[choice.line] as InvoiceRow['lines'][number];
  const whole = parseDecimal(billed, quantityDecimals) ?? 0n;
  const amount = creditOfQuantity(BigInt(total), { whole, credited: whole - open, asked: quantity });
  if (amount === 0n) throw refuse('This quantity is worth less than the smallest unit of the currency.');
  if (amount <= left) return amount;
  throw refuse(`This quantity is worth ${amount}, but only ${left} of this line is left to credit.`);
}

/** The uncredited amount of a line, in minor units. */
export function leftOf({ left }: CreditBasis, line: number): bigint {
  const part = left[line];
  const amount = part === undefined ? 0n : wholeOf(part);
  return amount > 0n ? amount : 0n;
}

/** The quantity of a line that no earlier note has credited, in millionths. */
export function uncreditedQuantity({ invoice, earlier }: CreditBasis, line: number): bigint {
  const credited = earlier.flatMap(({ lines }) => lines ?? []).filter(each => each.line === line);
  const taken = credited.map(({ quantity }) => parseDecimal(quantity ?? 0, quantityDecimals) ?? 0n);
  return (parseDecimal(invoice.lines[line]?.quantity ?? 0, quantityDecimals) ?? 0n) - sumOf(taken);
}

function chooseRates(basis: CreditBasis, rates: readonly CreditNoteRate[]): KeptCreditLine[] {
  const chosen = new Map<number, CreditPart>();
  for (const [position, rate] of rates.entries()) {
    const at = `rates[${position}]`;
    const indexes = linesOf(basis.invoice, rate, at);
    if (indexes.some(index => chosen.has(index))) throw wrong(at, 'names lines that another rate names.');
    const lines = indexes.flatMap(index => basis.left[index] ?? []);
    const left = sumOf(lines.map(wholeOf));
    const amount = rate.amount === undefined ? left : BigInt(rate.amount);
    if (left <= 0n || amount > left) {
      const message = `Only ${left} of the lines with this rate is left to credit.`;
      throw new PayError('amount_out_of_range', message, { param: rate.amount === undefined ? at : `${at}.amount` });
    }
    for (const [member, part] of divideCredit(lines, amount).entries()) chosen.set(indexes[member] ?? -1, part);
  }
  return keptLines(basis.left.map(({ taxes }, index) => chosen.get(index) ?? { net: 0n, taxes: taxes.map(() => 0n) }));
}

/** The lines with this rate. A rate of 0 without a name also includes lines without any tax. */
function linesOf({ lines }: InvoiceRow, { percent: given, name }: CreditNoteRate, at: string): number[] {
  const percent = parsePercent(given);
  if (percent === null) throw wrong(`${at}.percent`, 'takes 0 to 100 with up to 4 decimals.');
  const text = formatPercent(percent);
  const indexes = lines.flatMap(({ taxes }, index) => {
    const isUntaxed = taxes.length === 0 && percent === 0n && name === undefined;
    const isOfRate = taxes.some(tax => tax.percent === text && (name === undefined || tax.name === name));
    return isUntaxed || isOfRate ? index : [];
  });
  if (indexes.length === 0) throw wrong(`${at}.percent`, 'is no rate of this invoice.');
  return indexes;
}
