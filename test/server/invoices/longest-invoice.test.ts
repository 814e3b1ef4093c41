import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostTextCharacters } from '../../../src/api/invoice/invoice.ts';
import { draw } from '../../../src/server/documents/draw.ts';
import { countPages } from '../../support/read-pdf.ts';
import { sampleInvoice } from '../documents/sample-invoice.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab.close());

const customer = { email: 'ada@example.com' };
const longestLine = 2000;

/** Lines of no words twice whose descriptions have as many characters as all texts of an invoice may have, and `more`. */
function linesOf(letters: (index: number) => string, more = 0): { description: string; unit_amount: number }[] {
  const lines = [];
  let index = 0;
  for (let left = mostTextCharacters + more; left > 0; left -= longestLine) {
    let description = '';
    while (description.length < Math.min(left, longestLine)) description += letters(index++);
    lines.push({ description: description.slice(0, Math.min(left, longestLine)), unit_amount: 1 });
  }
  return lines;
}

const characterOf = (first: number, count: number, index: number) => String.fromCodePoint(first + (index % count));
const wordOf = (first: number, count: number, index: number) =>
  [7919, 104_729, 15_485_863].map(prime => characterOf(first, count, index * prime + (index >> 3))).join('');

const scripts: readonly (readonly [name: string, locale: string, letters: (index: number) => string])[] = [
  ['Latin words', 'de', index => `${wordOf(97, 26, index)} `],
  ['Latin without a blank', 'en', index => characterOf(97, 26, index * 31 + (index >> 5))],
  ['lines of a letter', 'en', index => `${characterOf(97, 26, index)}\n`],
  ['letters under many marks', 'en', index => `a${'\u0301\u0323\u0308'.repeat(6)}${index % 7 === 0 ? ' ' : ''}`],
  ['ideographs', 'ja', index => characterOf(0x4e00, 20_900, index)],
  ['Korean syllables', 'ko', index => characterOf(0xac00, 11_172, index * 37)],
  ['Arabic words', 'ar', index => `${wordOf(0x62a, 17, index)} `],
  ['Arabic without a blank', 'ar', index => wordOf(0x62a, 17, index)],
  ['Arabic lines of a letter', 'ar', index => `${characterOf(0x62a, 17, index)}\n`],
  ['all scripts in turn', 'en', index => `a${characterOf(0x62a, 17, index)}${characterOf(0x4e00, 20_900, index)}한Ж`],
];

const sentScripts = ['Latin words', 'letters under many marks', 'ideographs', 'Arabic words'];

describe('the longest invoice that is taken', () => {
  it.each(scripts.filter(([name]) => sentScripts.includes(name)))(
    'is drawn: %s',
    { timeout: 60_000 },
    async (_, locale, letters) => {
      const lines = linesOf(letters);
      const invoice = await lab.sent({ customer, locale, lines });
      const pdf = await lab.request(`GET /v1/invoices/${invoice.id}/pdf`);
      expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-']);
      expect(await countPages(pdf.bytes)).toBeGreaterThan(2);
    },
  );
});

/** Half of the 20 s after which a drawing is ended, in seconds of the processor. */
const mostSeconds = 10;

it.each(scripts)('it takes no longer than it may: %s', { timeout: 60_000 }, async (_, locale, letters) => {
  const lines = linesOf(letters).map(({ description }) => ({ description, unitAmount: 1n }));
  // Drawn here: what other processes use is not to be had.
  const started = process.cpuUsage();
  await draw({ order: { kind: 'invoice', invoice: sampleInvoice({ locale, lines }) }, logo: null });
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1e6).toBeLessThan(mostSeconds);
});

describe('a longer one', () => {
  const tooLong = 80_001;
  const refused = (invoice: object) => lab.request('POST /v1/invoices', { body: { ...order, customer, ...invoice } });

  it.each<[string, object]>([
    ['descriptions', { lines: linesOf(() => 'a', 1) }],
    ['line ends', { lines: linesOf(() => '\n', 1) }],
    ['a memo beside them', { lines: linesOf(() => 'a'), memo: 'b' }],
    ['a footer beside them', { lines: linesOf(() => 'a'), footer: 'b' }],
    ['a name beside them', { lines: linesOf(() => 'a'), customer: { name: 'b' } }],
    [
      'names of taxes',
      {
        lines: Array.from({ length: 1000 }, (_, index) => ({
          ...{ description: index === 0 ? 'ab' : 'a', unit_amount: 1 },
          taxes: [1, 2].map(percent => ({ name: `${index}-${percent}`.padEnd(39, 'x'), percent })),
          unit: 'h',
        })),
      },
    ],
  ])('is refused as it is drafted: %s', async (_, changes) => {
    const answer = await refused(changes);
    expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'lines']);
    expect(answer.body.error.message).toContain(
      `may have 80000 characters, line ends included, and these have ${tooLong}`,
    );
  });

  it('is refused as a draft is changed, and as a recurring invoice', async () => {
    const { id } = await lab.draft();
    const changed = await lab.request(`PATCH /v1/invoices/${id}`, { body: { lines: linesOf(() => 'a', 1) } });
    expect(refusal(changed)).toEqual([400, 'parameter_invalid', 'lines']);
    expect((await lab.readInvoice(id)).lines).toHaveLength(1);
    const invoice = { customer, currency: 'EUR', lines: linesOf(() => 'a', 1) };
    const body = { rrule: 'FREQ=MONTHLY;BYMONTHDAY=1', starts_on: '2026-01-01', invoice };
    const recurring = await lab.request('POST /v1/recurring-invoices', { body });
    expect([recurring.status, recurring.body.error?.param]).toEqual([400, expect.stringMatching(/lines$/)]);
  });
});
