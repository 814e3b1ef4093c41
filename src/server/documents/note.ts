import { type Draft, styles } from './draft.ts';
import { contentWidth, lineHeight, margin } from './sheet.ts';

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

/** Draws the note beside something else that stands at the margin: from `at`, a known height below the page’s top. */
export function drawNoteAside({ sheet, strings }: Draft, note: string, at: number, y: number): void {
  const width = margin + contentWidth - at;
  const below = y + sheet.text(strings.note, { at, y, width }, styles.heading) + headingGap;
  sheet.text(note, { at, y: below, width }, styles.second);
}
