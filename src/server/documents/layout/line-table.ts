import type { InvoiceDocumentLine } from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { contentBottom, contentWidth, lineHeight, margin } from './sheet.ts';
import type { SetLine } from './text-setter.ts';

/** A column. The first column takes the remaining width. */
interface Column {
  readonly title: string;
  readonly at: number;
  readonly width: number;
}

/** An invoice line, ready to draw. */
interface Row {
  readonly description: readonly SetLine[];
  readonly discount: string | null;
  readonly figures: readonly (readonly SetLine[])[];
  readonly amount: bigint;
}

const gap = 14;
const padding = 6;
const widestFigure = 120;
const carryHeight = lineHeight(styles.strong) + 2 * padding;
/** A row of less height than this, in points, is not split between pages. */
const keptTogether = 160;

/** Draws the lines of an invoice. Further pages repeat the table's head and the running total. */
export function drawLineTable(draft: Draft, lines: readonly InvoiceDocumentLine[]): void {
  const isTaxed = lines.some(({ taxes }) => taxes.length > 0);
  const figures = lines.map(line => figuresOf(draft, line, isTaxed));
  const columns = columnsFor(draft, figures, isTaxed);
  drawHead(draft, columns);
  let carried = 0n;
  for (const [index, line] of lines.entries()) {
    carried = drawRow(draft, rowOf(draft, line, figures[index] ?? [], columns), columns, carried);
  }
  draft.y += 12;
}

/** Quantity, unit price, taxes if the invoice has any, and the line's amount before discounts. */
function figuresOf(draft: Draft, line: InvoiceDocumentLine, isTaxed: boolean): string[] {
  const quantity = draft.number(line.quantity);
  return [
    line.unit === null ? quantity : `${quantity} ${line.unit}`,
    draft.money(line.unitAmount),
    ...(isTaxed ? [line.taxes.map(tax => taxName(draft, tax)).join('\n')] : []),
    draft.money(line.subtotal),
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
  const cell = (text: string, column: number) =>
    draft.sheet.setter.lines(text, styles.body, columns[column]?.width ?? 0);
  return {
    description: cell(line.description, 0),
    discount: discountText(draft, line),
    figures: figures.map((text, index) => cell(text, index + 1)),
    amount: line.subtotal,
  };
}

/**
 * `Discount 10%: -€12.00`, or null for a line without a discount. The line's amount is shown before its discount,
 * because the totals subtract all discounts.
 */
function discountText(draft: Draft, { discount }: InvoiceDocumentLine): string | null {
  return discount && `${discountName(draft, discount.percent)}: ${draft.money(-discount.amount)}`;
}

/** `Discount 10%`, or `Discount` for a discount given as an amount. */
export function discountName(draft: Draft, percent: string | null): string {
  const { strings } = draft;
  return percent === null ? strings.discount : fill(strings.discountOf, { percent: draft.percent(percent) });
}

/** `VAT 7.7%`. */
export function taxName(draft: Draft, { name, percent }: { readonly name: string; readonly percent: string }): string {
  return `${name} ${draft.percent(percent)}`;
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

/** Draws the row and returns the running total after it. */
function drawRow(draft: Draft, row: Row, columns: readonly Column[], carried: bigint): bigint {
  const { sheet } = draft;
  const width = columns[0]?.width ?? 0;
  const figureLines = Math.max(...row.figures.map(cell => cell.length));
  const extra = row.discount === null ? 0 : sheet.heightOf(row.discount, styles.label, width);
  const height = Math.max(row.description.length, figureLines) * lineHeight(styles.body) + extra + 2 * padding;
  const fits = draft.y + height <= contentBottom - carryHeight;
  if (!fits && (height < keptTogether || !draft.hasRoom(keptTogether))) carryOver(draft, columns, carried);
  draft.y += padding;
  const { y: top, pages: page } = draft;
  const sum = carried + row.amount;
  drawTexts(draft, row, columns, sum);
  if (row.discount !== null) draft.y += sheet.text(row.discount, { at: margin, y: draft.y, width }, styles.label);
  if (draft.pages === page) draft.y = Math.max(draft.y, top + figureLines * lineHeight(styles.body));
  draft.y += padding;
  sheet.rule(margin, draft.y, contentWidth, shades.line);
  return sum;
}

/**
 * Draws the description, on several pages if needed, and the figures beside its start. Screen readers read texts in the
 * order of drawing. The figures are therefore drawn after the description's part on the first page.
 */
function drawTexts(draft: Draft, { description, figures }: Row, columns: readonly Column[], carried: bigint): void {
  const { sheet, y: top, pages: page } = draft;
  const { at, width } = columns[0] ?? { at: margin, width: 0 };
  const drawFigures = () => {
    for (const [index, cell] of figures.entries()) {
      const column = columns[index + 1] ?? { at: margin, width: 0 };
      sheet.lines(cell, { at: column.at, y: top, width: column.width, align: 'end' }, styles.body);
    }
  };
  for (const line of description) {
    if (draft.y + lineHeight(styles.body) > contentBottom - carryHeight) {
      if (draft.pages === page) drawFigures();
      carryOver(draft, columns, carried);
    }
    draft.y += sheet.lines([line], { at, y: draft.y, width }, styles.body);
  }
  if (draft.pages === page) drawFigures();
}

/** Continues the table on the next page. Both pages show the running total. */
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
