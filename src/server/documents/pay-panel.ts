import { formatIban } from '../../core/iban.ts';
import type { InvoiceDocument } from '../../core/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { formatLocales } from '../../core/locale/locale-format.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { type Draft, shades, styles } from './draft.ts';
import { fitsQr } from './qr-code.ts';
import { contentWidth, margin, type TextStyle } from './sheet.ts';

const codeSide = 86;
const gap = 20;
const inset = 12;
const panelWidth = (contentWidth - gap) / 2;

/** One way to pay: a code to scan, and what stands beside it. */
interface PayPanel {
  readonly code: string | null;
  readonly texts: readonly (readonly [text: string, style: TextStyle])[];
  readonly url: string | null;
}

/** The codes and facts with which what remains of the invoice is paid. */
export function drawPayPanels(draft: Draft, invoice: InvoiceDocument): void {
  const panels = panelsOf(draft, invoice);
  if (panels.length === 0) return;
  const height = Math.max(...panels.map(panel => panelHeight(draft, panel)));
  draft.makeRoom(height);
  for (const [index, panel] of panels.entries()) drawPanel(draft, panel, margin + index * (panelWidth + gap), height);
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
  return { code: payUrl, texts, url: payUrl };
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
  for (const [label, value] of facts) {
    if (value !== null) texts.push([label, styles.small], [value, { ...styles.body, size: 8 }]);
  }
  return { code, texts, url: null };
}

function textWidth({ code }: PayPanel): number {
  return code === null ? panelWidth - 2 * inset : panelWidth - codeSide - 3 * inset;
}

function panelHeight({ sheet }: Draft, panel: PayPanel): number {
  const width = textWidth(panel);
  const texts = panel.texts.reduce((sum, [text, style]) => sum + sheet.heightOf(text, style, width), 0);
  return Math.max(panel.code === null ? 0 : codeSide, texts) + 2 * inset;
}

function drawPanel({ sheet, y: top }: Draft, panel: PayPanel, at: number, height: number): void {
  const frame = { at, y: top, width: panelWidth, height };
  sheet.rect({ ...frame, radius: 8 }, shades.line);
  const inner = { at: at + 0.7, y: top + 0.7, width: panelWidth - 1.4, height: height - 1.4, radius: 7.3 };
  sheet.rect(inner, '#ffffff');
  if (panel.code !== null) sheet.qrCode(panel.code, at + inset, top + inset, codeSide);
  const textAt = at + panelWidth - inset - textWidth(panel);
  let y = top + inset - 2;
  for (const [text, style] of panel.texts) y += sheet.text(text, { at: textAt, y, width: textWidth(panel) }, style);
  if (panel.url !== null) sheet.link(frame, panel.url);
}
