import { type Draft, shades, styles } from './draft.ts';
import { contentWidth, lineHeight, margin } from './sheet.ts';

/** A small table with a few short columns. */
export interface SmallTable {
  /** Width in points. Default: the page width without margins. */
  readonly width?: number;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Fraction of the width for each column. */
  readonly shares: readonly number[];
  /** Number of columns at the end that are aligned to the end. */
  readonly figures: number;
}

const rowHeight = lineHeight(styles.body) + 5;

/** Height of the table in points, if no text wraps. */
export function smallTableHeight({ rows }: SmallTable): number {
  return lineHeight(styles.heading) + 6 + rowHeight * (rows.length + 1);
}

/** Draws the table, on several pages if needed, and moves the draft's position below it. */
export function drawSmallTable(draft: Draft, table: SmallTable): void {
  draft.makeRoom(Math.min(smallTableHeight(table), 200));
  const { sheet } = draft;
  const width = table.width ?? contentWidth;
  draft.y += sheet.text(table.title, { at: margin, y: draft.y, width }, styles.heading) + 4;
  drawCells(draft, table, table.head, styles.label);
  for (const row of table.rows) {
    if (!draft.hasRoom(rowHeight * 2)) {
      draft.addPage();
      drawCells(draft, table, table.head, styles.label);
    }
    drawCells(draft, table, row, styles.body);
  }
}

function drawCells(
  draft: Draft,
  { width = contentWidth, shares, figures }: SmallTable,
  cells: readonly string[],
  style: typeof styles.label | typeof styles.body,
): void {
  const { sheet } = draft;
  let start = margin;
  let height = lineHeight(style);
  for (const [index, cell] of cells.entries()) {
    const cellWidth = (shares[index] ?? 0) * width;
    const align = index < cells.length - figures ? 'start' : 'end';
    const box = { at: start, y: draft.y + 3, width: cellWidth - (align === 'start' ? 6 : 0), align } as const;
    height = Math.max(height, sheet.text(cell, box, style));
    start += cellWidth;
  }
  draft.y += height + 5;
  sheet.rule(margin, draft.y, width, shades.line);
}

/** The main amount of a document. */
interface AmountPanel {
  readonly label: string;
  readonly amount: string;
  /** A note below the amount, for example the due date. */
  readonly note: string | null;
  /** The URL of the button. Null: no button. */
  readonly payUrl: string | null;
}

const inset = 16;
const buttonWidth = 118;
const buttonHeight = 30;

/** Draws a tinted area with the amount and the button. */
export function drawAmountPanel(draft: Draft, { label, amount, note, payUrl }: AmountPanel): void {
  const { sheet, colors, strings } = draft;
  const width = contentWidth - 2 * inset - (payUrl === null ? 0 : buttonWidth + 12);
  const figure = sheet.heightOf(amount, styles.figure, width);
  const noteHeight = note === null ? 0 : lineHeight(styles.second);
  const height = 2 * 12 + lineHeight(styles.label) + figure + noteHeight;
  draft.makeRoom(height);
  const at = margin + inset;
  sheet.rect({ at: margin, y: draft.y, width: contentWidth, height, radius: 10 }, colors.soft);
  let y = draft.y + 12;
  y += sheet.text(label, { at, y, width }, styles.label);
  y += sheet.text(amount, { at, y, width }, { ...styles.figure, color: colors.ink });
  if (note !== null) sheet.text(note, { at, y, width }, styles.second);
  if (payUrl !== null) {
    const button = { at: margin + contentWidth - inset - buttonWidth, width: buttonWidth, height: buttonHeight };
    const top = draft.y + (height - buttonHeight) / 2;
    const style = { ...styles.heading, color: colors.onAccent };
    sheet.rect({ ...button, y: top, radius: 8 }, colors.accent);
    const textY = top + (buttonHeight - lineHeight(style)) / 2;
    sheet.text(strings.payOnline, { ...button, y: textY, align: 'center' }, style);
    sheet.link({ ...button, y: top }, payUrl);
  }
  draft.y += height + 18;
}
