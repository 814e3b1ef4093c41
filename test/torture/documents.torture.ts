import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draw } from '../../src/server/documents/process/draw.ts';
import { expectNoActions, hostileTexts } from '../server/documents/hostile-texts.ts';
import { sampleInvoice } from '../server/documents/sample-invoice.ts';
import { countPages, readPdf } from '../support/read-pdf.ts';
import { longestLines, scripts } from './longest-texts.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

const random = seeded(seed);
/** Most CPU seconds of a drawing: half of the 20 s after which it is stopped. */
const mostSeconds = 10;
const tax = { name: 'VAT', percent: '19' };

/** Draws an invoice in this process, to measure its CPU time. Returns the file and the seconds. */
async function drawHere(changes: Parameters<typeof sampleInvoice>[0]) {
  const started = process.cpuUsage();
  const bytes = await draw({ order: { kind: 'invoice', invoice: sampleInvoice(changes) }, logo: null });
  const { user, system } = process.cpuUsage(started);
  return { bytes, seconds: (user + system) / 1e6 };
}

/**
 * Without a time limit, runs `work` for every item. With a limit, for as many items as fit, in random order, at least
 * one.
 */
async function each<T>(share: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<number> {
  const part = beginPart(share);
  const order = items.map(item => ({ item, at: random() })).sort((a, b) => a.at - b.at);
  let count = 0;
  for (const { item } of order) {
    if (count > 0 && part.isOver()) break;
    await work(item);
    count++;
  }
  return count;
}

describe('an invoice', () => {
  it('with the longest texts is drawn in time, in every script', async () => {
    const count = await each(0.12, scripts, async ([name, locale, letters]) => {
      const lines = longestLines(letters).map(({ description }) => ({ description, unitAmount: 1n }));
      const { seconds } = await drawHere({ locale, lines });
      expect(seconds, name).toBeLessThan(mostSeconds);
    });
    report(`${count} invoices of the longest texts`);
  }, 240_000);

  it('with a thousand lines is drawn in time', async () => {
    const count = await each(0.05, ['en', 'de', 'ar', 'ja'], async locale => {
      const lines = Array.from({ length: 1000 }, (_, index) => ({
        description: `Item ${index}`,
        quantity: String(1 + (index % 7)),
        unitAmount: BigInt(index * 37),
        discountPercent: String(index % 20),
        taxes: [tax],
      }));
      const { bytes, seconds } = await drawHere({ locale, lines });
      expect(seconds, locale).toBeLessThan(mostSeconds);
      expect(await countPages(bytes), locale).toBeGreaterThan(10);
    });
    report(`${count} invoices of a thousand lines`);
  }, 120_000);

  const text = fc
    .array(fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 200 })), { maxLength: 4 })
    .map(parts => parts.join(' '));
  const invoice = fc.record({ description: text, memo: text, footer: text, name: text, reference: text, payUrl: text });

  it('with hostile texts has no actions and links only to its page', async () => {
    let count = 0;
    const property = fc.asyncProperty(invoice, async ({ description, name, ...texts }) => {
      const { bytes, seconds } = await drawHere({
        ...texts,
        lines: [{ description, unitAmount: 100n, taxes: [{ name: description.slice(0, 300), percent: '19' }] }],
        seller: { name },
        buyer: { name, email: name, addressLines: [name], country: 'DE', taxId: name },
      });
      count++;
      expect(seconds).toBeLessThan(2);
      expectNoActions(bytes);
      const { links } = await readPdf(bytes);
      expect(links.filter(link => !/^https?:/.test(link))).toEqual([]);
    });
    const bound =
      roundSeconds === null ? { numRuns: 300 } : { numRuns: 1e6, interruptAfterTimeLimit: roundSeconds * 60 };
    await fc.assert(property, { seed, ...bound });
    report(`${count} invoices of hostile texts`);
  }, 240_000);
});
