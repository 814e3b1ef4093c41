import { type Draft, shades, styles } from './draft.ts';
import { lineHeight } from './sheet.ts';

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
