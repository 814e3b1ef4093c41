import type { InvoiceBuyer, InvoiceSeller } from '../../../core/invoice/invoice-document.ts';
import { type Draft, styles } from './draft.ts';
import { contentWidth, margin, type Picture } from './sheet.ts';

/** What stands above a document's content. */
export interface Letterhead {
  readonly title: string;
  /** What the whole is at a glance: paid, void, draft. */
  readonly state: string | null;
  readonly seller: InvoiceSeller;
  readonly buyer: InvoiceBuyer;
  readonly logo: Picture | null;
  /** Label and value. */
  readonly details: readonly (readonly [string, string])[];
  readonly livemode: boolean;
}

const columnGap = 18;
const columnWidth = (contentWidth - 2 * columnGap) / 3;

/** Logo or name, the title, who sells, who buys, and the facts of the document. */
export function drawLetterhead(draft: Draft, head: Letterhead): void {
  const top = draft.y;
  const nameHeight = drawSender(draft, head, top);
  const titleHeight = drawTitle(draft, head, top - 8);
  draft.y = top + Math.max(nameHeight, titleHeight) + 18;
  const { seller, buyer, details } = head;
  const { strings } = draft;
  const from = partyLines(draft, seller.name, seller.addressLines, seller.taxId, seller.email);
  const to = partyLines(draft, buyer.name ?? buyer.email ?? '', buyer.addressLines, buyer.taxId, buyer.email);
  const heights = [
    drawParty(draft, strings.from, from, margin),
    drawParty(draft, strings.to, to, margin + columnWidth + columnGap),
    drawDetails(draft, details, margin + 2 * (columnWidth + columnGap)),
  ];
  draft.y += Math.max(...heights) + 18;
}

function drawSender({ sheet }: Draft, { logo, seller }: Letterhead, y: number): number {
  if (logo !== null) return sheet.picture(logo, { at: margin, y, width: 210, height: 54 });
  return sheet.text(firstLines(seller.name, 120), { at: margin, y, width: 270 }, styles.name);
}

function drawTitle({ sheet, strings }: Draft, { title, state, livemode }: Letterhead, y: number): number {
  const box = { at: margin + contentWidth - 220, width: 220, align: 'end' } as const;
  let height = sheet.text(title, { ...box, y }, styles.title);
  if (state !== null) height += sheet.text(state, { ...box, y: y + height }, styles.heading);
  if (!livemode) height += sheet.text(strings.testMode, { ...box, y: y + height }, styles.warn);
  return height;
}

/** A party's name and what is known of it; an address that is no address ends after some lines. */
function partyLines(
  { strings }: Draft,
  name: string,
  address: readonly string[],
  taxId: string | null,
  email: string | null,
): string[] {
  const lines = [name, ...address.slice(0, 8)];
  if (taxId !== null) lines.push(`${strings.taxId} ${taxId}`);
  if (email !== null && email !== name) lines.push(email);
  return lines.map(line => firstLines(line, 160));
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
    return height + Math.max(key, sheet.text(firstLines(value, 80), box, styles.body)) + 2;
  }, 0);
}

/** Enough of a text for a place that does not grow. */
export function firstLines(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > most ? `${Array.from(flat.slice(0, most)).slice(0, -1).join('')}…` : flat;
}
