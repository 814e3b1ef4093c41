import type { InvoiceBuyer, InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { contentBottom, contentWidth, lineHeight, margin, pageHeight } from './sheet.ts';

/** The head of a document. */
interface Letterhead {
  readonly title: string;
  /** A short status, such as paid, void or draft. */
  readonly state?: string | null;
  /** Labels and values of the details on the right side. */
  readonly details: readonly (readonly [string, string])[];
}

const columnGap = 18;
const columnWidth = (contentWidth - 2 * columnGap) / 3;

/** The parties of a document, and whether it belongs to live mode. */
type Parties = Pick<InvoiceDocument, 'seller' | 'buyer' | 'livemode'>;

/** Begins the first page with logo or name, title, seller, buyer and the details of the document. */
export function drawLetterhead(draft: Draft, { seller, buyer, livemode }: Parties, head: Letterhead): void {
  draft.addPage();
  const { strings, y: top } = draft;
  const nameHeight = drawSender(draft, seller.name);
  const titleHeight = drawTitle(draft, head, livemode);
  draft.y = top + Math.max(nameHeight, titleHeight) + 18;
  const from = partyLines(draft, seller.name, seller);
  const to = partyLines(draft, buyer.name ?? buyer.email ?? '', buyer);
  const heights = [
    drawParty(draft, strings.from, from, margin),
    drawParty(draft, strings.to, to, margin + columnWidth + columnGap),
    drawDetails(draft, head.details, margin + 2 * (columnWidth + columnGap)),
  ];
  draft.y += Math.max(...heights) + 18;
}

function drawSender({ sheet, y, logo }: Draft, name: string): number {
  if (logo !== null) return sheet.picture(logo, { at: margin, y, width: 210, height: 54 });
  return sheet.text(oneLine(name, 120), { at: margin, y, width: 270 }, styles.name);
}

function drawTitle({ sheet, strings, y: top }: Draft, { title, state = null }: Letterhead, livemode: boolean): number {
  const y = top - 8;
  const box = { at: margin + contentWidth - 220, width: 220, align: 'end' } as const;
  let height = sheet.text(title, { ...box, y }, styles.title);
  if (state !== null) height += sheet.text(state, { ...box, y: y + height }, styles.heading);
  if (!livemode) height += sheet.text(strings.testMode, { ...box, y: y + height }, styles.warn);
  return height;
}

/** Name, address (at most eight lines), tax number and e-mail of a party. */
function partyLines({ strings }: Draft, name: string, { addressLines, taxId, email }: InvoiceBuyer): string[] {
  const lines = [name, ...addressLines.slice(0, 8)];
  if (taxId !== null) lines.push(`${strings.taxId} ${taxId}`);
  if (email !== null && email !== name) lines.push(email);
  return lines.map(line => oneLine(line, 160));
}

function drawParty({ sheet, y }: Draft, label: string, lines: readonly string[], at: number): number {
  return [label, ...lines].reduce((height, line, index) => {
    const style = index === 0 ? styles.label : index === 1 ? styles.strong : styles.second;
    return height + sheet.text(line, { at, y: y + height, width: columnWidth }, style) + (index === 0 ? 2 : 0);
  }, 0);
}

function drawDetails({ sheet, y }: Draft, details: Letterhead['details'], at: number): number {
  const keyWidth = columnWidth * 0.44;
  return details.reduce((height, [label, value]) => {
    const key = sheet.text(label, { at, y: y + height + 0.8, width: keyWidth }, styles.label);
    const box = { at: at + keyWidth, y: y + height, width: columnWidth - keyWidth, align: 'end' } as const;
    return height + Math.max(key, sheet.text(oneLine(value, 80), box, styles.body)) + 2;
  }, 0);
}

/** The text on one line, cut after `most` characters, for an area of fixed size. */
export function oneLine(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > most ? `${Array.from(flat.slice(0, most)).slice(0, -1).join('')}…` : flat;
}

const numberWidth = 110;
const mostFootLines = 3;

/** Draws the seller's footer and the page number on every page. Call it last, because it needs the number of pages. */
export function drawPageFeet(draft: Draft, footer: string | null): void {
  const { sheet, strings } = draft;
  const width = contentWidth - numberWidth - 16;
  const text = oneLine(footer ?? '', 500);
  const lines = sheet.setter.lines(text, styles.small, width).slice(0, mostFootLines);
  for (let page = 0; page < draft.pages; page++) {
    sheet.turnTo(page);
    const y = draft.bottoms.get(page) ?? contentBottom + 8;
    sheet.rule(margin, y, contentWidth, shades.line);
    if (y + 8 + lines.length * lineHeight(styles.small) <= (draft.bottoms.get(page) ? y + 20 : pageHeight - 10)) {
      sheet.lines(lines, { at: margin, y: y + 8, width }, styles.small);
    }
    const numbers = { page: draft.number(String(page + 1)), pages: draft.number(String(draft.pages)) };
    const box = { at: margin + contentWidth - numberWidth, y: y + 8, width: numberWidth, align: 'end' } as const;
    sheet.text(fill(strings.page, numbers), box, styles.small);
  }
}
