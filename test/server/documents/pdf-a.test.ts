import { describe, expect, it } from 'vitest';
import { draw } from '../../../src/server/documents/process/draw.ts';
import type { DrawingOrder } from '../../../src/server/documents/process/drawing.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { sampleInvoice } from './sample-invoice.ts';

const invoice = sampleInvoice({
  lines: [{ description: 'Lens 日本 مرحبا', unitAmount: 100n, taxes: [{ name: 'VAT', percent: '19' }] }],
  seller: { name: 'Dwarf & Sons <Ltd> "Ω" ] ]>' },
});
const poster: DrawingOrder = {
  kind: 'poster',
  name: 'Dwarf & Sons',
  logo: null,
  primaryColor: null,
  locale: 'en',
  title: 'Help',
  text: null,
  amount: null,
  url: 'https://pay.example.com/l/x',
  livemode: true,
};
const orders: readonly (readonly [string, DrawingOrder])[] = [
  ['invoice', { kind: 'invoice', invoice }],
  [
    'receipt',
    {
      kind: 'receipt',
      invoice,
      payment: { number: 'pay_1', paidOn: '2026-11-22', amount: 1n, method: 'card', reference: null },
    },
  ],
  ['reminder', { kind: 'reminder', invoice, date: '2026-12-08', amountDue: 1n, dueDate: '2026-12-05' }],
  ['poster', poster],
];

describe.each(orders)('a file of a %s is PDF/A-3b (ISO 19005-3)', async (kind, order) => {
  const bytes = await draw({ order, logo: null });
  const raw = bytes.toString('latin1');
  const pdf = await readPdf(bytes);

  it('declares so in well-formed metadata', () => {
    expect(raw).toMatch(/^%PDF-1\.7\n%[\x80-\xff]{4}/);
    expect(pdf.metadata).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(pdf.metadata).toContain('<pdfaid:conformance>B</pdfaid:conformance>');
    expect(tagsOf(pdf.metadata)).toEqual([]);
    // PDF/A requires uncompressed metadata.
    expect(raw).toContain('<?xpacket begin=');
  });

  it('has its unescaped title', () => {
    const name = order.kind === 'poster' ? 'Dwarf & Sons' : invoice.seller.name;
    expect(pdf.title).toContain(name);
    expect(pdf.metadata).toContain(escaped(name));
  });

  it('contains the colour profile of its colours', () => {
    expect(raw).toMatch(/\/OutputIntents \[/);
    expect(raw).toMatch(/\/S \/GTS_PDFA1/);
    expect(raw).not.toMatch(/DeviceCMYK/);
  });

  it('contains subsets of all its fonts', () => {
    const fonts = [...raw.matchAll(/\/BaseFont \/(\S+)/g)].map(match => match[1] ?? '');
    expect(fonts.length).toBeGreaterThan(0);
    for (const font of fonts) expect(font).toMatch(/^[A-Z]{6}\+NotoSans/);
    const descriptors = raw.match(/\/Type \/FontDescriptor/g)?.length ?? 0;
    expect(raw.match(/\/FontFile[23] /g)?.length).toBe(descriptors);
    expect(bytes.length).toBeLessThan(120_000);
  });

  it('has an id, printable links, no encryption and no scripts', () => {
    expect(raw).toMatch(/\/ID \[<[0-9a-f]{32}> <[0-9a-f]{32}>\]/i);
    expect(raw).not.toMatch(/\/Encrypt|\/JavaScript|\/OpenAction|\/AA |\/Launch/);
    expect(raw.match(/\/Subtype \/Link/g)?.length ?? 0).toBe(raw.match(/\/F 4\b/g)?.length ?? 0);
    expect(raw).toContain(`/Lang (en)`);
  });

  it('contains only the XML of the invoice as an attachment', () => {
    expect(Object.keys(pdf.attachments)).toEqual(kind === 'invoice' ? ['factur-x.xml'] : []);
  });
});

describe('an invoice with its XML (Factur-X 1.0)', async () => {
  const bytes = await draw({ order: { kind: 'invoice', invoice }, logo: null });
  const raw = bytes.toString('latin1');
  const { attachments, metadata } = await readPdf(bytes);

  it('declares the XML as an alternative of the document', () => {
    expect(raw).toMatch(/\/AF \[\d+ 0 R\]/);
    expect(raw).toContain('/AFRelationship /Alternative');
    expect(raw).toContain('/Subtype /text#2Fxml');
    expect(raw).toMatch(/\/ModDate \(D:20261121000000Z\)/);
    expect(attachments['factur-x.xml']).toContain('<ram:ID>INV-0001</ram:ID>');
  });

  it.each(['DocumentType>INVOICE', 'DocumentFileName>factur-x.xml', 'Version>1.0', 'ConformanceLevel>EN 16931'])(
    'declares %s',
    part => {
      expect(metadata).toContain(`<fx:${part}<`);
    },
  );

  it('describes its extension properties', () => {
    expect(metadata).toContain(
      '<pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>',
    );
    expect(metadata.match(/<pdfaProperty:name>/g)).toHaveLength(4);
  });

  it.each([
    ['a draft', { number: null, issueDate: null, status: 'draft' as const }],
    ['a void invoice', { status: 'void' as const }],
    ['an invoice in a currency of three decimals', { currency: 'KWD' }],
  ])('%s has none', async (_, changes) => {
    const plain = await readPdf(
      await draw({ order: { kind: 'invoice', invoice: sampleInvoice(changes) }, logo: null }),
    );
    expect(plain.attachments).toEqual({});
    expect(plain.metadata).not.toContain('ConformanceLevel');
  });
});

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/** The faults in the nesting of the tags. */
function tagsOf(xml: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, closing, name = '', selfClosing] of xml
    .replace(/<\?[\s\S]*?\?>/g, '')
    .matchAll(/<(\/?)([\w:]+)[^<>]*?(\/?)>/g)) {
    if (closing === '/' && open.pop() !== name) wrong.push(name);
    if (closing === '' && selfClosing === '') open.push(name);
  }
  return [...wrong, ...open];
}
