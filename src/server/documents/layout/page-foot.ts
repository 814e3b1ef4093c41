import { fill } from '../../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { firstLines } from './letterhead.ts';
import { pageHeight } from './pdf-file.ts';
import { contentBottom, contentWidth, lineHeight, margin } from './sheet.ts';

const numberWidth = 110;
const mostLines = 3;

/** What stands below every page: the seller's own words, and which page it is of how many. Ends the draft. */
export function drawPageFeet(draft: Draft, footer: string | null): void {
  const { sheet, strings } = draft;
  const width = contentWidth - numberWidth - 16;
  const lines =
    footer === null ? [] : sheet.setter.lines(firstLines(footer, 500), styles.small, width).slice(0, mostLines);
  for (let page = 0; page < draft.pages; page++) {
    sheet.turnTo(page);
    const y = draft.bottoms.get(page) ?? contentBottom + 8;
    sheet.rule(margin, y, contentWidth, shades.line);
    if (y + 8 + lines.length * lineHeight(styles.small) <= (draft.bottoms.get(page) ? y + 20 : pageHeight - 10)) {
      sheet.lines(lines, { at: margin, y: y + 8, width }, styles.small);
    }
    const text = fill(strings.page, { page: draft.number(String(page + 1)), pages: draft.number(String(draft.pages)) });
    const box = { at: margin + contentWidth - numberWidth, y: y + 8, width: numberWidth, align: 'end' } as const;
    sheet.text(text, box, styles.small);
  }
}

const headingGap = 3;

/** The seller’s words to this buyer, or null where there are none. */
export function noteOf(memo: string | null): string | null {
  return memo === null || memo.trim() === '' ? null : memo;
}

/** Points the note takes in this width. */
export function noteHeight({ sheet }: Draft, note: string, width: number): number {
  return lineHeight(styles.heading) + headingGap + sheet.heightOf(note, styles.second, width);
}

/** Draws the note over the whole width, on as many pages as it takes. */
export function drawNote(draft: Draft, note: string): void {
  draft.makeRoom(Math.min(noteHeight(draft, note, contentWidth), 60));
  draft.write(draft.strings.note, styles.heading);
  draft.y += headingGap;
  draft.write(note, styles.second);
  draft.y += 12;
}

/** Draws the note next to an element at the margin, from `at` points below the page's top. */
export function drawNoteAside({ sheet, strings }: Draft, note: string, at: number, y: number): void {
  const width = margin + contentWidth - at;
  const below = y + sheet.text(strings.note, { at, y, width }, styles.heading) + headingGap;
  sheet.text(note, { at, y: below, width }, styles.second);
}
