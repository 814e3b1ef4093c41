import { type Draft, shades, styles } from './draft.ts';
import { contentWidth, lineHeight, margin } from './sheet.ts';

/** A table of a few short columns, the last of which are figures. */
export interface SmallTable {
  readonly at: number;
  readonly width: number;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Share of the width each column has. */
  readonly shares: readonly number[];
  /** How many of the last columns hold figures, which end at the same place. */
  readonly figures: number;
}

const rowHeight = lineHeight(styles.body) + 5;

/** Points the table takes, unless texts in it need more than a line. */
export function smallTableHeight({ rows }: SmallTable): number {
  return lineHeight(styles.heading) + 6 + rowHeight * (rows.length + 1);
}

/** Draws the table where the draft stands, going on upon the next page where it must; moves the draft below it. */
export function drawSmallTable(draft: Draft, table: SmallTable): void {
  draft.makeRoom(Math.min(smallTableHeight(table), 200));
  const { sheet } = draft;
  draft.y += sheet.text(table.title, { at: table.at, y: draft.y, width: table.width }, styles.heading) + 4;
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
  { at, width, shares, figures }: SmallTable,
  cells: readonly string[],
  style: typeof styles.label | typeof styles.body,
): void {
  const { sheet } = draft;
  let start = at;
  let height = lineHeight(style);
  for (const [index, cell] of cells.entries()) {
    const cellWidth = (shares[index] ?? 0) * width;
    const align = index < cells.length - figures ? 'start' : 'end';
    const box = { at: start, y: draft.y + 3, width: cellWidth - (align === 'start' ? 6 : 0), align } as const;
    height = Math.max(height, sheet.text(cell, box, style));
    start += cellWidth;
  }
  draft.y += height + 5;
  sheet.rule(at, draft.y, width, shades.line);
}

/** The one figure a document is about. */
interface AmountPanel {
  readonly label: string;
  readonly amount: string;
  /** What is to be known of it: the date it is due. */
  readonly note: string | null;
  /** Makes a button that opens the page on which it is paid. */
  readonly payUrl: string | null;
}

const inset = 16;
const buttonWidth = 118;
const buttonHeight = 30;

/** A tinted area with the figure, and the button. */
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
    const button = {
      at: margin + contentWidth - inset - buttonWidth,
      y: draft.y + (height - buttonHeight) / 2,
      width: buttonWidth,
      height: buttonHeight,
    };
    const style = { ...styles.heading, color: colors.onAccent };
    sheet.rect({ ...button, radius: 8 }, colors.accent);
    const textY = button.y + (buttonHeight - lineHeight(style)) / 2;
    sheet.text(strings.payOnline, { at: button.at, y: textY, width: buttonWidth, align: 'center' }, style);
    sheet.link(button, payUrl);
  }
  draft.y += height + 18;
}
