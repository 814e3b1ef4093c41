import { describe, expect, it } from 'vitest';
import { drawInvoice } from '../../../src/server/documents/documents.ts';
import { draw } from '../../../src/server/documents/draw.ts';
import { preparePicture } from '../../../src/server/documents/logo.ts';
import { mostCharacters } from '../../../src/server/documents/printable.ts';
import { readPdf, streamsOf } from '../../support/read-pdf.ts';
import { type SampleChanges, sampleInvoice } from './sample-invoice.ts';
import { watchTheWorld } from './watched-world.ts';

const safe = sampleInvoice().payUrl;
const megabyte = 1_000_000;
const javaScript = ') >> endobj 99 0 obj << /S /JavaScript /JS (app.alert(1)) >> /OpenAction 99 0 R';
const markup = '</text><script>alert(1)</script></rdf:li><x:evil/>]]>--><!ENTITY x SYSTEM "file:///etc/passwd">';
const overrides = '\u202eTotal 00.1\u202c \u2066\u2067\u2068x\u2069 \u200f\u061c\u200e';
const joined = '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇨🇭1️⃣👍🏽';
const broken = '\ud800 \udfff \u0000\u0001\u001b[31m \ufffe\uffff \ue000';
const stacked = `a${'\u0301'.repeat(2000)}`;

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
  ['what turns other words round', everywhere(overrides)],
  ['emoji of many parts', everywhere(joined)],
  ['halves of characters and controls', everywhere(broken)],
  ['a letter under two thousand accents', everywhere(stacked)],
  ['an address that is a script', { payUrl: 'javascript:alert(1)' }],
  ['an address of a file', { payUrl: 'file:///etc/passwd' }],
  ['blanks alone', everywhere('   ')],
  ['nothing', everywhere('')],
];

describe('hostile texts in an invoice', () => {
  it.each(hostile)('%s: a valid file without actions, soon', async (_, changes) => {
    const invoice = sampleInvoice(changes);
    const world = watchTheWorld();
    const started = process.cpuUsage();
    const bytes = await draw({ order: { kind: 'invoice', invoice }, logo: null });
    const { user, system } = process.cpuUsage(started);
    expect(world.end()).toEqual([]);
    expect((user + system) / 1e6).toBeLessThan(2);
    const { links, pages } = await readPdf(bytes);
    expect(links.filter(link => link !== safe)).toEqual([]);
    expect(pages.length).toBeLessThan(150);
    expectNoActions(bytes);
  });

  it('a text that is too long is cut where it is seen', async () => {
    const invoice = sampleInvoice(line('word '.repeat(megabyte / 5)));
    const text = (await readPdf(await draw({ order: { kind: 'invoice', invoice }, logo: null }))).pages.join('');
    expect(text.match(/word/g)?.length).toBeGreaterThan(mostCharacters / 5 - 10);
    expect(text).toContain('…');
  });

  it('what turns other words round does not turn them', async () => {
    const invoice = sampleInvoice({ lines: [{ description: '\u202e00.1 latoT', unitAmount: 99_999n }] });
    expect((await readPdf(await draw({ order: { kind: 'invoice', invoice }, logo: null }))).pages.join('')).toContain(
      '00.1 latoT',
    );
  });
});

const svg = (content: string, attributes = 'width="100" height="40"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`,
  );

describe('hostile logos', () => {
  it.each<[string, Buffer]>([
    ['a path of a file', Buffer.from('file:///etc/passwd')],
    ['nothing', Buffer.alloc(0)],
    ['half a picture', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA', 'base64')],
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj')],
    ['a picture of a billion pixels', svg('', 'width="100000" height="100000"')],
    [
      'entities that grow',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&f;</text></svg>',
      ),
    ],
  ])('%s leaves the name, or a small picture', async (_, bytes) => {
    const picture = await preparePicture(bytes);
    expect(picture === null || picture.bytes.length < 500_000).toBe(true);
    const pdf = await readPdf(await drawInvoice(sampleInvoice({ seller: { logo: { type: 'png', bytes } } })));
    expect(pdf.pages.join('')).toContain('Kopernikus Instruments GmbH');
  });

  it.each([
    ['a file', 'file:///etc/passwd'],
    [
      'a picture in a file',
      `file://${import.meta.dirname}/../../../node_modules/@expo-google-fonts/noto-sans/font-family.png`,
    ],
    ['the network', 'http://127.0.0.1:9/a.png'],
    ['a relative address', 'font-family.png'],
  ])('an SVG that points at %s loads nothing', async (_, address) => {
    const blank = await preparePicture(svg('<rect width="100" height="40" fill="#fff"/>'));
    for (const content of [
      `<image href="${address}" width="100" height="40"/>`,
      `<image xlink:href="${address}" width="100" height="40"/>`,
      `<use href="${address}#a"/>`,
      `<style>@import url("${address}"); rect { fill: url("${address}#x") }</style>`,
    ]) {
      const picture = await preparePicture(svg(`<rect width="100" height="40" fill="#fff"/>${content}`));
      expect(picture && Buffer.from(picture.bytes)).toEqual(blank && Buffer.from(blank.bytes));
    }
    const entity = Buffer.from(
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "${address}">]><svg xmlns="http://www.w3.org/2000/svg" width="100" height="40"><text y="20">&x;</text></svg>`,
    );
    const picture = await preparePicture(entity);
    if (picture !== null) expect(Buffer.from(picture.bytes)).toEqual(blank && Buffer.from(blank.bytes));
  });

  it.each(['png', 'jpeg', 'webp', 'svg'] as const)('a %s is drawn', async format => {
    const { default: sharp } = await import('sharp');
    const drawing = svg('<rect width="100" height="40" fill="#c00"/>');
    const bytes = format === 'svg' ? drawing : await sharp(drawing).toFormat(format).toBuffer();
    const pdf = await drawInvoice(sampleInvoice({ seller: { logo: { type: 'png', bytes } } }));
    expect(pdf.toString('latin1')).toMatch(/\/Subtype \/Image/);
    expect(pdf.toString('latin1')).not.toContain('/SMask');
  });
});

/** No dictionary of the file names an action but that of opening an address. */
function expectNoActions(bytes: Buffer): void {
  const objects = withoutStrings(bytes);
  expect(objects).not.toMatch(
    /\/(JavaScript|JS|OpenAction|AA|Launch|GoToR|GoToE|SubmitForm|ImportData|RichMedia|EmbeddedGoTo|AcroForm|XFA|Movie|Sound|Rendition)\b/,
  );
  expect(streamsOf(bytes).length).toBeGreaterThan(0);
}

/** What is between the streams, and outside of strings: the file as a program sees it. */
function withoutStrings(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\nstream\n[\s\S]*?\nendstream/g, '')
    .replace(/\((?:\\[\s\S]|[^\\()])*\)/g, '()');
}
