import { SwissQRBill } from 'swissqrbill/pdf';
import { formatIban } from '../../../core/bank/iban.ts';
import {
  formatQrReference,
  isQrIban,
  qrReference,
  readSwissQr,
  type SwissBill,
  type SwissParty,
} from '../../../core/bank/swiss-qr.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales } from '../../../core/locale/locale-format.ts';
import { formatUnits } from '../../../core/money.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import { printable } from '../fonts/printable.ts';
import { fitsQr } from '../qr-code.ts';
import { type Draft, shades, styles } from './draft.ts';
import { contentWidth, lineHeight, margin, pageHeight, type TextBox, type TextStyle } from './sheet.ts';

const codeSide = 86;
const gap = 20;
const inset = 12;
const panelWidth = (contentWidth - gap) / 2;
const factStyles = { label: styles.label, value: { ...styles.body, size: 8 } };

/** One way to pay: a QR code and the details next to it. */
interface PayPanel {
  readonly code: string | null;
  readonly texts: readonly (readonly [text: string, style: TextStyle])[];
  /** Label and value. */
  readonly facts: readonly (readonly [string, string])[];
  readonly url: string | null;
}

/**
 * Draws the note and the ways to pay the remaining amount: panels with codes and details, and the Swiss bill. The note
 * is next to a single panel if it fits there.
 */
export function drawWaysToPay(draft: Draft, invoice: InvoiceDocument, memo: string | null = null): void {
  const isOpen = isPayable(invoice);
  const panels = isOpen ? [onlinePanel(draft, invoice), bankPanel(draft, invoice)].filter(panel => panel !== null) : [];
  const note = memo?.trim() ? memo : null;
  const height = Math.max(...panels.map(panel => panelHeight(draft, panel)), 0);
  const isAside = note !== null && panels.length === 1 && noteHeight(draft, note, panelWidth) + inset <= height;
  if (note !== null && !isAside) drawNote(draft, note);
  if (panels.length > 0) draft.makeRoom(height);
  for (const [index, panel] of panels.entries()) drawPanel(draft, panel, margin + index * (panelWidth + gap), height);
  if (isAside) drawNoteAside(draft, note, margin + panelWidth + gap);
  if (panels.length > 0) draft.y += height + 20;
  if (isOpen && invoice.bankQr?.format === 'swiss_qr') drawSwissBill(draft, invoice.bankQr.payload);
}

/** Whether a part of a sent invoice is unpaid. False for drafts, void or uncollectible invoices, and credit notes. */
export function isPayable({ kind, status, amountRemaining }: InvoiceDocument): boolean {
  const isOpen = status === 'sent' || status === 'viewed' || status === 'partially_paid' || status === 'overdue';
  return kind === 'invoice' && isOpen && amountRemaining > 0n;
}

/** The URL of the invoice's payment page. Null if it is unsafe to link, or too long for a QR code. */
export function payAddress({ payUrl }: InvoiceDocument): string | null {
  const url = payUrl === null ? null : parseWebAddress(payUrl);
  return url !== null && fitsQr(url.href) ? url.href : null;
}

function onlinePanel({ strings, colors, locale }: Draft, invoice: InvoiceDocument): PayPanel | null {
  const payUrl = payAddress(invoice);
  if (payUrl === null) return null;
  const known = invoice.methods.map(method => strings.payBy[method]);
  const methods = new Intl.ListFormat(formatLocales(locale), { type: 'disjunction' }).format(known);
  const texts: PayPanel['texts'] = [
    [strings.payOnline, styles.heading],
    [fill(strings.payOnlineText, { methods, url: '' }).trim(), styles.label],
    [payUrl.replace(/^https?:\/\//, ''), { ...styles.label, color: colors.ink }],
  ];
  return { code: payUrl, texts, facts: [], url: payUrl };
}

/** The panel for a bank transfer, or null. A Swiss bill needs no panel, because it names the account itself. */
function bankPanel(draft: Draft, { seller, bankQr, number, methods, asked }: InvoiceDocument): PayPanel | null {
  const { strings } = draft;
  if (seller.iban === null || bankQr?.format === 'swiss_qr' || !methods.includes('bank_transfer')) return null;
  const code = bankQr !== null && fitsQr(bankQr.payload) ? bankQr.payload : null;
  const facts: [string, string | null][] = [
    [strings.payByBankAmount, draft.money(asked)],
    [strings.iban, formatIban(seller.iban)],
    [strings.bic, seller.bic],
    [strings.reference, number && isQrIban(seller.iban) ? formatQrReference(qrReference(number)) : number],
  ];
  const texts: [string, TextStyle][] = [[strings.payByBank, styles.heading]];
  if (code !== null) texts.push([strings.payByBankText, styles.label]);
  return { code, texts, facts: facts.filter((fact): fact is [string, string] => fact[1] !== null), url: null };
}

function textWidth({ code }: PayPanel): number {
  return code === null ? panelWidth - 2 * inset : panelWidth - codeSide - 3 * inset;
}

function panelHeight(draft: Draft, panel: PayPanel): number {
  const { sheet } = draft;
  const width = textWidth(panel);
  const texts = panel.texts.reduce((sum, [text, style]) => sum + sheet.heightOf(text, style, width), 0);
  const facts = panel.facts.reduce((sum, fact) => sum + factHeight(draft, fact, width), factsGapOf(panel));
  return Math.max(panel.code === null ? 0 : codeSide, texts + facts) + 2 * inset;
}

function drawPanel(draft: Draft, panel: PayPanel, at: number, height: number): void {
  const { sheet, y: top } = draft;
  const frame = { at, y: top, width: panelWidth, height };
  sheet.rect({ ...frame, radius: 8 }, shades.line);
  const inner = { at: at + 0.7, y: top + 0.7, width: panelWidth - 1.4, height: height - 1.4, radius: 7.3 };
  sheet.rect(inner, '#ffffff');
  if (panel.code !== null) sheet.qrCode(panel.code, at + inset, top + inset, codeSide);
  const width = textWidth(panel);
  const textAt = at + panelWidth - inset - width;
  let y = top + inset - 2;
  for (const [text, style] of panel.texts) y += sheet.text(text, { at: textAt, y, width }, style);
  y += factsGapOf(panel);
  for (const fact of panel.facts) y += drawFact(draft, fact, { at: textAt, y, width });
  if (panel.url !== null) sheet.link(frame, panel.url);
}

function factsGapOf({ facts }: PayPanel): number {
  return facts.length > 0 ? 3 : 0;
}

/** Whether label and value fit on one line. */
function isOneLine({ sheet: { setter } }: Draft, [label, value]: PayPanel['facts'][number], width: number): boolean {
  return setter.width(label, factStyles.label) + 8 + setter.width(value, factStyles.value) <= width;
}

function factHeight(draft: Draft, fact: PayPanel['facts'][number], width: number): number {
  const { sheet } = draft;
  const value = sheet.heightOf(fact[1], factStyles.value, width);
  return isOneLine(draft, fact, width) ? value : value + sheet.heightOf(fact[0], factStyles.label, width);
}

/** Draws a label and its value, and returns their height. */
function drawFact(draft: Draft, fact: PayPanel['facts'][number], box: TextBox): number {
  const { sheet } = draft;
  const [label, value] = fact;
  const labelHeight = sheet.text(label, box, factStyles.label);
  if (isOneLine(draft, fact, box.width)) return sheet.text(value, { ...box, align: 'end' }, factStyles.value);
  return labelHeight + sheet.text(value, { ...box, y: box.y + labelHeight }, factStyles.value);
}

const headingGap = 3;

function noteHeight({ sheet }: Draft, note: string, width: number): number {
  return lineHeight(styles.heading) + headingGap + sheet.heightOf(note, styles.second, width);
}

/** Draws the note over the whole width, on several pages if needed. */
function drawNote(draft: Draft, note: string): void {
  draft.makeRoom(Math.min(noteHeight(draft, note, contentWidth), 60));
  draft.write(draft.strings.note, styles.heading);
  draft.y += headingGap;
  draft.write(note, styles.second);
  draft.y += 12;
}

function drawNoteAside({ sheet, strings, y: top }: Draft, note: string, at: number): void {
  const width = margin + contentWidth - at;
  const y = top + inset - 2;
  const below = y + sheet.text(strings.note, { at, y, width }, styles.heading) + headingGap;
  sheet.text(note, { at, y: below, width }, styles.second);
}

/** Height of the Swiss bill in points. The format is A6/5, 210 × 105 mm (Style Guide QR-bill). */
const slipHeight = (105 / 25.4) * 72;
/** Height of the page's footer above the bill, in points. */
const footHeight = 30;

const languages = { de: 'DE', fr: 'FR', it: 'IT', en: 'EN' } as const;

/** Draws payment part and receipt at the bottom of the last page. Without room there, begins a new page. */
function drawSwissBill(draft: Draft, payload: string): void {
  const bill = readSwissQr(payload);
  if (bill === null) return;
  const top = pageHeight - slipHeight;
  if (draft.y > top - footHeight) draft.addPage();
  draft.bottoms.set(draft.pages - 1, top - footHeight);
  const { document } = draft.sheet;
  // The guidelines allow Liberation Sans, but SwissQRBill does not know this name. PDF/A needs an embedded font.
  draft.sheet.registerPair('Helvetica', 'slip');
  const language = draft.locale.slice(0, 2).toLowerCase();
  const slip = new SwissQRBill(libraryBill(bill), {
    language: Object.hasOwn(languages, language) ? languages[language as keyof typeof languages] : 'EN',
    fontName: 'Helvetica',
  });
  // SwissQRBill adds a page if the last text is too low. The code above made room, so the position is reset.
  document.x = 0;
  document.y = 0;
  document.save();
  document.fillColor('#000000');
  slip.attachTo(document, 0, top);
  document.restore();
  draft.sheet.colorChanged();
}

/** The bill for SwissQRBill, which takes the amount as a number. A number is exact for a bill's 11 digits. */
function libraryBill({ iban, creditor, amount, currency, debtor, message, reference }: SwissBill) {
  return {
    creditor: { ...party(creditor), account: iban },
    ...(debtor !== null && { debtor: party(debtor) }),
    amount: Number(formatUnits(amount, 2)),
    currency,
    ...(message !== '' && { message }),
    ...(reference !== null && { reference }),
  };
}

function party({ name, street, buildingNumber, postalCode, town, country }: SwissParty) {
  return {
    name: printable(name),
    address: printable(street),
    ...(buildingNumber !== '' && { buildingNumber }),
    zip: postalCode,
    city: printable(town),
    country,
  };
}
