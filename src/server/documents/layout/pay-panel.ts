import { formatIban } from '../../../core/bank/iban.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { fill } from '../../../core/locale/locale.ts';
import { formatLocales } from '../../../core/locale/locale-format.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import { fitsQr } from '../qr-code.ts';
import { type Draft, shades, styles } from './draft.ts';
import { drawNote, drawNoteAside, noteHeight } from './page-foot.ts';
import { contentWidth, margin, type TextBox, type TextStyle } from './sheet.ts';

const codeSide = 86;
const gap = 20;
const inset = 12;
const panelWidth = (contentWidth - gap) / 2;
const factStyles = { label: styles.label, value: { ...styles.body, size: 8 } };

/** One way to pay: a code to scan and the facts next to it. */
interface PayPanel {
  readonly code: string | null;
  readonly texts: readonly (readonly [text: string, style: TextStyle])[];
  /** Label and value of what a payer types. */
  readonly facts: readonly (readonly [string, string])[];
  readonly url: string | null;
}

/** Draws the codes and facts for paying the rest of the invoice, and the note next to a single panel where it fits. */
export function drawPayPanels(draft: Draft, invoice: InvoiceDocument, note: string | null = null): void {
  const panels = panelsOf(draft, invoice);
  const height = Math.max(...panels.map(panel => panelHeight(draft, panel)), 0);
  const isAside = note !== null && panels.length === 1 && noteHeight(draft, note, panelWidth) + inset <= height;
  if (note !== null && !isAside) drawNote(draft, note);
  if (panels.length === 0) return;
  draft.makeRoom(height);
  for (const [index, panel] of panels.entries()) drawPanel(draft, panel, margin + index * (panelWidth + gap), height);
  if (isAside) drawNoteAside(draft, note, margin + panelWidth + gap, draft.y + inset - 2);
  draft.y += height + 20;
}

/** Whether something of the invoice is to be paid. */
export function isPayable({ kind, status, amountRemaining }: InvoiceDocument): boolean {
  const isOpen = status === 'sent' || status === 'viewed' || status === 'partially_paid' || status === 'overdue';
  return kind === 'invoice' && isOpen && amountRemaining > 0n;
}

function panelsOf(draft: Draft, invoice: InvoiceDocument): PayPanel[] {
  if (!isPayable(invoice)) return [];
  const panels = [onlinePanel(draft, invoice), bankPanel(draft, invoice)];
  return panels.filter(panel => panel !== null);
}

/** Where the invoice is paid, when a browser may be sent there. */
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

/** A Swiss bill says all of it on its own slip. */
function bankPanel(draft: Draft, { seller, bankQr, number, methods, asked }: InvoiceDocument): PayPanel | null {
  const { strings } = draft;
  if (seller.iban === null || bankQr?.format === 'swiss_qr' || !methods.includes('bank_transfer')) return null;
  const code = bankQr !== null && fitsQr(bankQr.payload) ? bankQr.payload : null;
  const facts: [string, string | null][] = [
    [strings.payByBankAmount, draft.money(asked)],
    [strings.iban, formatIban(seller.iban)],
    [strings.bic, seller.bic],
    [strings.reference, number],
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

/** Whether label and value stand on one line. */
function isOneLine({ sheet: { setter } }: Draft, [label, value]: PayPanel['facts'][number], width: number): boolean {
  return setter.width(label, factStyles.label) + 8 + setter.width(value, factStyles.value) <= width;
}

function factHeight(draft: Draft, fact: PayPanel['facts'][number], width: number): number {
  const { sheet } = draft;
  const value = sheet.heightOf(fact[1], factStyles.value, width);
  return isOneLine(draft, fact, width) ? value : value + sheet.heightOf(fact[0], factStyles.label, width);
}

/** Draws the label and its value, and returns the height they took. */
function drawFact(draft: Draft, fact: PayPanel['facts'][number], box: TextBox): number {
  const { sheet } = draft;
  const [label, value] = fact;
  const labelHeight = sheet.text(label, box, factStyles.label);
  if (isOneLine(draft, fact, box.width)) return sheet.text(value, { ...box, align: 'end' }, factStyles.value);
  return labelHeight + sheet.text(value, { ...box, y: box.y + labelHeight }, factStyles.value);
}
