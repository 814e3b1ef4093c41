import { fill } from '../../core/locale/locale.ts';
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
