import { Draft, type DrawingMeans, shades } from './layout/draft.ts';
import { oneLine } from './layout/letterhead.ts';
import { lineHeight, pageHeight, pageWidth, type TextStyle } from './layout/sheet.ts';
import type { PosterOrder } from './process/drawing.ts';

const side = 60;
const width = pageWidth - 2 * side;
/** 9 cm in points. A phone can read this size from the other side of a counter. */
const codeSide = 260;
/** `codeSide` plus a quiet zone of four modules on each side. */
const codeFrame = codeSide + 88;

const look = {
  name: { weight: 'bold', size: 22, color: shades.second },
  title: { weight: 'bold', size: 34, color: shades.ink },
  amount: { weight: 'bold', size: 44, color: shades.ink },
  text: { weight: 'regular', size: 14, color: shades.second },
  hint: { weight: 'bold', size: 16, color: shades.ink },
  small: { weight: 'regular', size: 9.5, color: shades.third },
} as const satisfies Readonly<Record<string, TextStyle>>;

/** Draws an A4 poster: seller, title, amount, and the QR code of the payment link. */
export async function posterPdf(order: PosterOrder, means: DrawingMeans): Promise<Buffer> {
  const { name, title, locale, url, amount, primaryColor } = order;
  const currency = amount?.currency ?? 'EUR';
  const draft = new Draft({ title, name, primaryColor, locale, currency, date: null }, means);
  const { sheet, colors, strings, logo } = draft;
  draft.addPage();
  sheet.rect({ at: 0, y: 0, width: pageWidth, height: 18 }, colors.accent);
  sheet.rect({ at: 0, y: pageHeight - 18, width: pageWidth, height: 18 }, colors.accent);
  draft.y = 56;
  if (logo === null) center(draft, oneLine(name, 60), look.name, 2);
  else draft.y += sheet.picture(logo, { at: side, y: draft.y, width, height: 84, align: 'center' });
  draft.y += 22;
  center(draft, oneLine(title, 90), look.title, 2);
  const figure = amount === null ? strings.chooseAmount : draft.money(amount.value);
  center(draft, figure, amount === null ? look.text : { ...look.amount, color: colors.ink }, 2);
  if (order.text !== null) center(draft, order.text, look.text, 4);
  drawCode(draft, url);
  if (!order.livemode) center(draft, strings.testMode, { ...look.small, color: shades.warn }, 1);
  return await draft.close();
}

/** Draws the QR code in the middle of the free space, then the instruction and the URL. */
function drawCode(draft: Draft, url: string): void {
  const { sheet, strings, colors } = draft;
  const spare = pageHeight - 18 - draft.y - codeFrame - 84;
  draft.y += Math.max(spare / 2, 14);
  const at = (pageWidth - codeFrame) / 2;
  const frame = { at, y: draft.y, width: codeFrame, height: codeFrame };
  sheet.rect({ ...frame, radius: 24 }, colors.accent);
  const inner = { at: at + 4, y: draft.y + 4, width: codeFrame - 8, height: codeFrame - 8, radius: 20 };
  sheet.rect(inner, '#ffffff');
  const inset = (codeFrame - codeSide) / 2;
  sheet.qrCode(url, at + inset, draft.y + inset, codeSide);
  sheet.link(frame, url);
  draft.y += codeFrame + 16;
  center(draft, strings.scanToPay, look.hint, 1);
  center(draft, url.replace(/^https?:\/\//, ''), look.small, 2);
}

function center(draft: Draft, text: string, style: TextStyle, mostLines: number): void {
  const lines = draft.sheet.setter.lines(text, style, width).slice(0, mostLines);
  draft.sheet.lines(lines, { at: side, y: draft.y, width, align: 'center' }, style);
  draft.y += lines.length * lineHeight(style) + 4;
}
