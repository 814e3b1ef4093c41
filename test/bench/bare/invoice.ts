import { readFileSync } from 'node:fs';
import PDFDocument from 'pdfkit';
import type { InvoiceDocument } from '../../../src/core/invoice/invoice-document.ts';
import { moneyText, percentText } from '../../../src/core/locale/locale-format.ts';
import { fontFile } from '../../../src/server/documents/fonts/font-files.ts';

/** Opens the fonts once. pdfkit accepts opened fonts, but has no public function to open fonts. */
const [regular, bold] = (['regular', 'bold'] as const).map(weight => {
  const opener = new PDFDocument({ autoFirstPage: false, font: null as unknown as string });
  return (opener.font(readFileSync(fontFile(`latin-${weight}`))) as unknown as { _font: { font: Buffer } })._font.font;
});

const columns = [
  { x: 40, width: 250, align: 'left' },
  { x: 290, width: 50, align: 'right' },
  { x: 340, width: 80, align: 'right' },
  { x: 420, width: 60, align: 'right' },
  { x: 480, width: 75, align: 'right' },
] as const;

/** Draws only the title and the lines of an invoice, with pdfkit's own `text` and the same fonts. */
export async function drawBareInvoice(invoice: InvoiceDocument): Promise<Buffer> {
  const document = new PDFDocument({ size: 'A4', margin: 40, font: null as unknown as string });
  document.registerFont('regular', regular as Buffer).registerFont('bold', bold as Buffer);
  document.font('bold', 24).text('Invoice', 40, 40);
  document.font('regular', 9);
  let y = 100;
  for (const line of invoice.lines) {
    if (y > 760) {
      document.addPage();
      y = 40;
    }
    const tax = line.taxes.map(({ name, percent }) => `${name} ${percentText(percent, 'en')}`).join(', ');
    const prices = [
      moneyText(line.unitAmount, invoice.currency, 'en'),
      tax,
      moneyText(line.subtotal, invoice.currency, 'en'),
    ];
    for (const [index, text] of [line.description, line.quantity, ...prices].entries()) {
      const column = columns[index];
      if (column) document.text(text, column.x, y, { width: column.width, align: column.align });
    }
    document
      .moveTo(40, y + 18)
      .lineTo(555, y + 18)
      .lineWidth(0.5)
      .stroke('#dddddd');
    y += 24;
  }
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise(done => document.on('end', done));
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
