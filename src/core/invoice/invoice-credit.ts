import { allocate, divideRounded, sumOf } from '../money.ts';

/** Net and taxes of a line, or of several lines with the same taxes. */
export interface CreditPart {
  readonly net: bigint;
  readonly taxes: readonly bigint[];
}

/** A line of an invoice. Lines with the same taxes have the same `group`. */
export interface CreditableLine extends CreditPart {
  readonly group: string;
}

/** An earlier credit note. `parts`: the credited part of each line, by index; null if it credited an amount. */
export interface EarlierCredit {
  readonly amount: bigint;
  readonly parts: ReadonlyMap<number, CreditPart> | null;
}

/** The amount of the part with its taxes. */
export function wholeOf({ net, taxes }: CreditPart): bigint {
  return net + sumOf(taxes);
}

/** The part of each line that earlier notes left uncredited. `earlier` is in the order of the notes. */
export function remainingLines(
  lines: readonly CreditableLine[],
  earlier: readonly EarlierCredit[],
): readonly CreditableLine[] {
  return earlier.reduce((left, { amount, parts }) => {
    const divided = parts === null ? divideCredit(left, amount) : null;
    return left.map((line, index) => without(line, divided === null ? parts?.get(index) : divided[index]));
  }, lines);
}

/**
 * Divides an amount over the lines, in proportion to their uncredited parts: first over the groups, then over the lines
 * of each group. If the amount equals all uncredited parts, the result is exactly these parts.
 */
export function divideCredit(lines: readonly CreditableLine[], amount: bigint): readonly CreditPart[] {
  const indexes = [...Map.groupBy(lines.keys(), index => lines[index]?.group).values()];
  const groups = indexes.map(members => sumOfParts(members.map(index => partOf(lines[index]))));
  const parts: CreditPart[] = lines.map(noPart);
  for (const [position, taken] of divide(groups, amount).entries()) {
    const members = indexes[position] ?? [];
    const shares = spread(
      members.map(index => partOf(lines[index])),
      taken,
    );
    for (const [at, index] of members.entries()) parts[index] = partOf(shares[at]);
  }
  return parts;
}

/** Divides `amount` into net and taxes, in the proportion of the part's net and taxes. */
export function splitCredit(part: CreditPart, amount: bigint): CreditPart {
  if (amount > 0n && amount === wholeOf(part)) return part;
  const [net = 0n, ...taxes] = allocate(amount, [part.net, ...part.taxes].map(positive));
  return { net, taxes };
}

/** The sum of parts with the same taxes. */
export function sumOfParts(parts: readonly CreditPart[]): CreditPart {
  const taxes = (parts[0]?.taxes ?? []).map((_, position) => sumOf(parts.map(part => part.taxes[position] ?? 0n)));
  return { net: sumOf(parts.map(({ net }) => net)), taxes };
}

function divide(parts: readonly CreditPart[], amount: bigint): readonly CreditPart[] {
  const wholes = parts.map(wholeOf);
  if (amount === sumOf(wholes)) return parts;
  const shares = allocate(amount, wholes.map(positive));
  return parts.map((part, index) => splitCredit(part, shares[index] ?? 0n));
}

/** Spreads a group's net and taxes over its lines. */
function spread(parts: readonly CreditPart[], taken: CreditPart): readonly CreditPart[] {
  const all = sumOfParts(parts);
  if (taken.net === all.net && taken.taxes.every((tax, position) => tax === all.taxes[position])) return parts;
  const nets = allocate(
    taken.net,
    parts.map(({ net }) => positive(net)),
  );
  const taxes = taken.taxes.map((tax, position) =>
    allocate(
      tax,
      parts.map(part => positive(part.taxes[position] ?? 0n)),
    ),
  );
  return parts.map((_, index) => ({ net: nets[index] ?? 0n, taxes: taxes.map(shares => shares[index] ?? 0n) }));
}

/** The amount, or 0 if negative. Rounded included taxes can exceed a price of a few cents and make its net negative. */
function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

function noPart({ taxes }: CreditPart): CreditPart {
  return { net: 0n, taxes: taxes.map(() => 0n) };
}

function partOf({ net, taxes }: CreditPart = { net: 0n, taxes: [] }): CreditPart {
  return { net, taxes };
}

function without(line: CreditableLine, taken: CreditPart | undefined): CreditableLine {
  if (taken === undefined) return line;
  return { ...line, net: line.net - taken.net, taxes: line.taxes.map((tax, at) => tax - (taken.taxes[at] ?? 0n)) };
}

/** The amount of a part of a line's quantity. The amounts of all parts sum exactly to the line's amount. */
export function creditOfQuantity(total: bigint, quantity: { whole: bigint; credited: bigint; asked: bigint }): bigint {
  const upTo = (part: bigint) => divideRounded(total * part, quantity.whole);
  return upTo(quantity.credited + quantity.asked) - upTo(quantity.credited);
}
