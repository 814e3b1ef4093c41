import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawInvoice } from '../../../src/server/documents/documents.ts';
import { mostCharacters } from '../../../src/server/documents/fonts/printable.ts';
import { draw } from '../../../src/server/documents/process/draw.ts';
import { preparePicture } from '../../../src/server/documents/process/pdf-cache.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { broken, expectNoActions, javaScript, joined, markup, overrides, stacked } from './hostile-texts.ts';
import { recordConnections } from './recorded-connections.ts';
import { type SampleChanges, sampleInvoice, sampleLogo } from './sample-invoice.ts';

const safe = sampleInvoice().payUrl;
const megabyte = 1_000_000;
const line = (description: string) => ({
  lines: [{ description, unitAmount: 100n, taxes: [{ name: description.slice(0, 300), percent: '19' }] }],
});
const everywhere = (text: string): SampleChanges => ({
  ...line(text),
  number: text.slice(0, 200),
  reference: text,
  memo: text,
  footer: text,
  payUrl: text,
  bankQr: { format: 'swiss_qr', payload: text },
  seller: {
    name: text,
    addressLines: [text, text],
    email: text,
    taxId: text,
    iban: text.slice(0, 60),
    bic: text,
    primaryColor: text,
  },
  buyer: { name: text, email: text, addressLines: [text, text], country: 'DE', taxId: text },
});

const hostile: readonly (readonly [string, SampleChanges])[] = [
  ['a description of a megabyte', line('All work and no play. '.repeat(megabyte / 22))],
  ['a megabyte without a blank', line('x'.repeat(megabyte))],
  ['a megabyte of ideographs', line('永'.repeat(megabyte / 3))],
  ['a megabyte of Arabic', line('السلام عليكم '.repeat(megabyte / 25))],
  ['a megabyte of emoji', line('👩‍👩‍👧'.repeat(megabyte / 18))],
  ['a megabyte of line ends', line('a\n'.repeat(megabyte / 2))],
  ['a script in the tongue of PDF', everywhere(javaScript)],
  ['markup', everywhere(markup)],
  ['direction overrides', everywhere(overrides)],
  ['emoji of many parts', everywhere(joined)],
  ['halves of characters and controls', everywhere(broken)],
  ['a letter under two thousand accents', everywhere(stacked)],
  ['Arabic letters whose dots have no place in the font', everywhere('ڢ ڣڥ ࢤ')],
  ['an address that is a script', { payUrl: 'javascript:alert(1)' }],
  ['an address of a file', { payUrl: 'file:///etc/passwd' }],
  ['blanks alone', everywhere('   ')],
  ['nothing', everywhere('')],
];

describe('hostile texts in an invoice', () => {
  it.each(hostile)('%s: the result is a valid file without actions, in time', async (_, changes) => {
    const invoice = sampleInvoice(changes);
    const connections = recordConnections();
    const started = process.cpuUsage();
    const bytes = await draw({ order: { kind: 'invoice', invoice }, logo: null });
    const { user, system } = process.cpuUsage(started);
    expect(connections.end()).toEqual([]);
    expect((user + system) / 1e6).toBeLessThan(2);
    const { links, pages } = await readPdf(bytes);
    expect(links.filter(link => link !== safe)).toEqual([]);
    expect(pages.length).toBeLessThan(150);
    expectNoActions(bytes);
  });

  it('that are too long are truncated', async () => {
    const invoice = sampleInvoice(line('word '.repeat(megabyte / 5)));
    const text = (await readPdf(await draw({ order: { kind: 'invoice', invoice }, logo: null }))).pages.join('');
    expect(text.match(/word/g)?.length).toBeGreaterThan(mostCharacters / 5 - 10);
    expect(text).toContain('…');
  });

  it('with direction overrides affect no other text', async () => {
    const invoice = sampleInvoice({ lines: [{ description: '\u202e00.1 latoT', unitAmount: 99_999n }] });
    expect((await readPdf(await draw({ order: { kind: 'invoice', invoice }, logo: null }))).pages.join('')).toContain(
      '00.1 latoT',
    );
  });
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40"><rect width="100" height="40"/></svg>';

describe('hostile logos', () => {
  it.each<[string, Buffer]>([
    ['a path of a file', Buffer.from('file:///etc/passwd')],
    ['nothing', Buffer.alloc(0)],
    ['half of an image', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA', 'base64')],
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj')],
    ['an SVG, which accounts keep as PNG', Buffer.from(svg)],
    ['a picture of a billion pixels', vastPng()],
  ])('%s is replaced by the name', async (_, bytes) => {
    expect(await preparePicture(bytes)).toBeNull();
    const pdf = await readPdf(await drawInvoice(sampleInvoice({ seller: { logo: { type: 'png', bytes } } })));
    expect(pdf.pages.join('')).toContain('Kopernikus Instruments GmbH');
  });

  it.each(['png', 'jpeg', 'webp'] as const)('a %s is drawn', async format => {
    const bytes = await sharp(await sampleLogo(60))
      .toFormat(format)
      .toBuffer();
    const pdf = await drawInvoice(sampleInvoice({ seller: { logo: { type: 'png', bytes } } }));
    expect(pdf.toString('latin1')).toMatch(/\/Subtype \/Image/);
    expect(pdf.toString('latin1')).not.toContain('/SMask');
  });
});

/** A PNG whose header says 40,000 × 40,000 pixels. */
function vastPng(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const parts = [Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)] as const;
    parts[0].writeUInt32BE(data.length);
    parts[3].writeUInt32BE(crc32(Buffer.concat([parts[1], data])));
    return Buffer.concat(parts);
  };
  const size = Buffer.from('00009c4000009c400100000000', 'hex');
  const rows = deflateSync(Buffer.alloc(5_001 * 400));
  const chunks = [chunk('IHDR', size), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}
