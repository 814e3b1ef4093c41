import type { InvoiceDocumentLine } from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { contentBottom, contentWidth, lineHeight, margin } from './sheet.ts';
import type { SetLine } from './text-setter.ts';

/** A column; all but the first are as wide as what they hold. */
interface Column {
  readonly title: string;
  readonly at: number;
  readonly width: number;
}

/** A line's texts. */
interface Row {
  readonly description: readonly SetLine[];
  /** What was taken off. */
  readonly discount: string | null;
  readonly figures: readonly string[];
  readonly amount: bigint;
}

const gap = 14;
const padding = 6;
const widestFigure = 120;
const carryHeight = lineHeight(styles.strong) + 2 * padding;
/** A row that takes less than this goes to the next page as a whole. */
const keptTogether = 160;

/** The lines of an invoice, over as many pages as they take: each begins with the head, and carries the sum so far. */
export function drawLineTable(draft: Draft, lines: readonly InvoiceDocumentLine[]): void {
  const isTaxed = lines.some(({ taxes }) => taxes.length > 0);
  const figures = lines.map(line => figuresOf(draft, line, isTaxed));
  const columns = columnsFor(draft, figures, isTaxed);
  drawHead(draft, columns);
  let carried = 0n;
  for (const [index, line] of lines.entries()) {
    const row = rowOf(draft, line, figures[index] ?? [], columns);
    carried = drawRow(draft, row, columns, carried);
  }
  draft.y += 12;
}

/** Quantity, unit price, tax where there is some, and amount, as they are printed. */
function figuresOf(draft: Draft, line: InvoiceDocumentLine, isTaxed: boolean): string[] {
  const quantity = draft.number(line.quantity);
  return [
    line.unit === null ? quantity : `${quantity} ${line.unit}`,
    draft.money(line.unitAmount),
    ...(isTaxed ? [line.taxes.map(tax => `${tax.name} ${draft.percent(tax.percent)}`).join('\n')] : []),
    draft.money(line.amount),
  ];
}

function columnsFor({ sheet, strings }: Draft, figures: readonly (readonly string[])[], isTaxed: boolean): Column[] {
  const titles = [strings.quantity, strings.unitPrice, ...(isTaxed ? [strings.tax] : []), strings.amount];
  const widths = titles.map((title, column) => {
    const texts = figures.flatMap(row => row[column]?.split('\n') ?? []);
    const widest = Math.max(...[...new Set(texts)].map(text => sheet.setter.width(text.slice(0, 60), styles.body)), 0);
    return Math.min(Math.max(widest, sheet.setter.width(title, styles.label)) + 1, widestFigure);
  });
  const first = contentWidth - widths.reduce((sum, width) => sum + width + gap, 0);
  const columns: Column[] = [{ title: strings.description, at: margin, width: first }];
  for (const [index, width] of widths.entries()) {
    const before = columns[index] ?? { at: margin, width: 0 };
    columns.push({ title: titles[index] ?? '', at: before.at + before.width + gap, width });
  }
  return columns;
}

function rowOf(draft: Draft, line: InvoiceDocumentLine, figures: readonly string[], columns: readonly Column[]): Row {
  return {
    description: draft.sheet.setter.lines(line.description, styles.body, columns[0]?.width ?? 0),
    discount: discountText(draft, line),
    figures,
    amount: line.amount,
  };
}

/** `€120.00 − Discount 10% €12.00`: what the amount is made of, where it is not quantity × price. */
function discountText(draft: Draft, { discount, subtotal }: InvoiceDocumentLine): string | null {
  if (discount === null) return null;
  const { strings } = draft;
  const name =
    discount.percent === null
      ? strings.discount
      : fill(strings.discountOf, { percent: draft.percent(discount.percent) });
  return `${name}: ${draft.money(subtotal)} − ${draft.money(discount.amount)}`;
}

function drawHead(draft: Draft, columns: readonly Column[]): void {
  const { sheet, colors } = draft;
  const height = lineHeight(styles.label) + 2 * padding;
  draft.makeRoom(height + keptTogether / 2);
  sheet.rect({ at: margin - 8, y: draft.y, width: contentWidth + 16, height, radius: 4 }, colors.soft);
  for (const [index, { title, at, width }] of columns.entries()) {
    const align = index === 0 ? 'start' : 'end';
    sheet.text(title, { at, y: draft.y + padding, width, align }, styles.label);
  }
  draft.y += height;
}

/** Draws the row and returns the sum carried after it. */
function drawRow(draft: Draft, row: Row, columns: readonly Column[], carried: bigint): bigint {
  const { sheet } = draft;
  const cells = row.figures.map((text, index) => sheet.setter.lines(text, styles.body, columns[index + 1]?.width ?? 0));
  const extra = row.discount === null ? 0 : sheet.heightOf(row.discount, styles.label, columns[0]?.width ?? 0);
  const mostLines = Math.max(row.description.length, ...cells.map(cell => cell.length));
  const height = mostLines * lineHeight(styles.body) + extra + 2 * padding;
  const fits = () => draft.y + height <= contentBottom - carryHeight;
  if (!fits() && (height < keptTogether || !draft.hasRoom(keptTogether))) carryOver(draft, columns, carried);
  draft.y += padding;
  const figuresEnd = draft.y + Math.max(...cells.map(cell => cell.length)) * lineHeight(styles.body);
  const page = draft.pages;
  const sum = carried + row.amount;
  drawDescription(draft, row, columns, sum, figuresAt(draft, cells, columns));
  if (row.discount !== null) {
    draft.y += sheet.text(row.discount, { at: margin, y: draft.y, width: columns[0]?.width ?? 0 }, styles.label);
  }
  if (draft.pages === page) draft.y = Math.max(draft.y, figuresEnd);
  draft.y += padding;
  sheet.rule(margin, draft.y, contentWidth, shades.line);
  return sum;
}

/** Draws the figures where the draft stands now, when it is called. */
function figuresAt(
  { sheet, y }: Draft,
  cells: readonly (readonly SetLine[])[],
  columns: readonly Column[],
): () => void {
  return () => {
    for (const [index, cell] of cells.entries()) {
      const { at, width } = columns[index + 1] ?? { at: margin, width: 0 };
      sheet.lines(cell, { at, y, width, align: 'end' }, styles.body);
    }
  };
}

/**
 * A description that is longer than the page goes on upon the next. The figures follow it, as they are read, or what of it
 * is on the page where it begins.
 */
function drawDescription(
  draft: Draft,
  row: Row,
  columns: readonly Column[],
  carried: bigint,
  drawFigures: () => void,
): void {
  const { at, width } = columns[0] ?? { at: margin, width: 0 };
  const page = draft.pages;
  for (const line of row.description) {
    if (draft.y + lineHeight(styles.body) > contentBottom - carryHeight) {
      if (draft.pages === page) drawFigures();
      carryOver(draft, columns, carried);
    }
    draft.y += draft.sheet.lines([line], { at, y: draft.y, width }, styles.body);
  }
  if (draft.pages === page) drawFigures();
}

/** Ends the table on this page and begins it on the next, the sum so far on both. */
function carryOver(draft: Draft, columns: readonly Column[], carried: bigint): void {
  if (carried !== 0n) drawCarried(draft, carried);
  draft.addPage();
  drawHead(draft, columns);
  if (carried !== 0n) drawCarried(draft, carried);
}

function drawCarried(draft: Draft, carried: bigint): void {
  const { sheet, strings } = draft;
  const y = draft.y + padding;
  sheet.text(strings.carriedOver, { at: margin, y, width: contentWidth / 2 }, styles.strong);
  const box = { at: margin + contentWidth / 2, y, width: contentWidth / 2, align: 'end' } as const;
  sheet.text(draft.money(carried), box, styles.strong);
  draft.y += carryHeight;
  sheet.rule(margin, draft.y, contentWidth, shades.line);
}
