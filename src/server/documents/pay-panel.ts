import { formatIban } from '../../core/iban.ts';
import type { InvoiceDocument } from '../../core/invoice-document.ts';
import { fill } from '../../core/locale/locale.ts';
import { type Draft, shades, styles } from './draft.ts';
import { contentWidth, margin } from './sheet.ts';

const codeSide = 88;
const gap = 20;
const inset = 12;
const panelWidth = (contentWidth - gap) / 2;
const panelHeight = codeSide + 2 * inset;
const textWidth = panelWidth - codeSide - 3 * inset;

/** One way to pay: a code to scan, and what it does. */
interface PayPanel {
  readonly title: string;
  readonly text: string | null;
  readonly code: string | null;
  /** Label and value, for those who type. */
  readonly facts: readonly (readonly [string, string])[];
  readonly url: string | null;
}

/** The codes and facts with which what remains of the invoice is paid. */
export function drawPayPanels(draft: Draft, invoice: InvoiceDocument): void {
  const panels = panelsOf(draft, invoice);
  if (panels.length === 0) return;
  draft.makeRoom(panelHeight);
  for (const [index, panel] of panels.entries()) drawPanel(draft, panel, margin + index * (panelWidth + gap));
  draft.y += panelHeight + 20;
}

/** Whether something of the invoice is to be paid. */
export function isPayable({ kind, status, amountRemaining }: InvoiceDocument): boolean {
  const isOpen = status === 'sent' || status === 'viewed' || status === 'partially_paid' || status === 'overdue';
  return kind === 'invoice' && isOpen && amountRemaining > 0n;
}

function panelsOf(draft: Draft, invoice: InvoiceDocument): PayPanel[] {
  const { strings } = draft;
  const { payUrl, bankQr, seller, number } = invoice;
  const panels: PayPanel[] = [];
  if (!isPayable(invoice)) return panels;
  if (payUrl !== null) {
    const text = fill(strings.payOnlineText, { url: '' }).trim();
    panels.push({ title: strings.payOnline, text, code: payUrl, facts: [], url: payUrl });
  }
  // A Swiss bill says all of it on its own slip.
  if (seller.iban !== null && bankQr?.format !== 'swiss_qr') {
    const facts: [string, string][] = [[strings.iban, formatIban(seller.iban)]];
    if (seller.bic !== null) facts.push([strings.bic, seller.bic]);
    if (number !== null) facts.push([strings.reference, number]);
    const code = bankQr?.payload ?? null;
    const text = code === null ? null : strings.payByBankText;
    panels.push({ title: strings.payByBank, text, code, facts, url: null });
  }
  return panels;
}

function drawPanel(draft: Draft, panel: PayPanel, at: number): void {
  const { sheet, colors } = draft;
  const top = draft.y;
  const frame = { at, y: top, width: panelWidth, height: panelHeight };
  sheet.rect({ ...frame, radius: 8 }, shades.line);
  const inner = { at: at + 0.7, y: top + 0.7, width: panelWidth - 1.4, height: panelHeight - 1.4, radius: 7.3 };
  sheet.rect(inner, '#ffffff');
  if (panel.code !== null) sheet.qrCode(panel.code, at + inset, top + inset, codeSide);
  const textAt = panel.code === null ? at + inset : at + codeSide + 2 * inset;
  const width = panel.code === null ? panelWidth - 2 * inset : textWidth;
  let y = top + inset - 2;
  const write = (text: string, style: Parameters<typeof sheet.text>[2]) => {
    if (y + style.size < top + panelHeight - 4) y += sheet.text(text, { at: textAt, y, width }, style);
  };
  write(panel.title, styles.heading);
  if (panel.text !== null) write(panel.text, styles.label);
  y += 3;
  for (const [label, value] of panel.facts) {
    write(label, styles.small);
    write(value, { ...styles.body, size: 8 });
  }
  if (panel.url === null) return;
  write(panel.url.replace(/^https?:\/\//, ''), { ...styles.label, color: colors.ink });
  sheet.link(frame, panel.url);
}
