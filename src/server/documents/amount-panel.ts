import { type Draft, styles } from './draft.ts';
import { contentWidth, lineHeight, margin } from './sheet.ts';

/** The one figure a document is about. */
export interface AmountPanel {
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
