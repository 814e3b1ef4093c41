import { afterEach, describe, expect, it } from 'vitest';
import type { PayError } from '../../../src/core/error.ts';
import type { InvoiceDocument } from '../../../src/core/invoice-document.ts';
import { type DrawingWish, drawInvoice } from '../../../src/server/documents/documents.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { sampleInvoice } from './sample-invoice.ts';

let count = 0;
/** An invoice nobody asked for before. */
const another = () => sampleInvoice({ number: `INV-${1000 + count++}` });

const begun: Promise<unknown>[] = [];
function ask(wish: DrawingWish = {}, invoice = another()): Promise<Buffer> {
  const drawing = drawInvoice(invoice, wish);
  begun.push(drawing.catch(() => undefined));
  return drawing;
}
afterEach(async () => void (await Promise.all(begun.splice(0))));

/** An invoice that takes a process for a second or so. */
const long = () => {
  const seed = count * 31;
  const word = (at: number) => String.fromCodePoint(...[7, 31, 101, 331].map(by => 0x62a + ((seed + at * by) % 17)));
  const description = Array.from({ length: 400 }, (_, at) => word(at)).join(' ');
  return sampleInvoice({
    number: `INV-${1000 + count++}`,
    lines: Array.from({ length: 40 }, (_, line) => ({ description: `${description} ${line}`, unitAmount: 1n })),
  });
};

/** Public documents that wait until no more may, behind what keeps the processes. */
async function fillQueue(
  wish: Partial<DrawingWish> = {},
): Promise<{ invoice: InvoiceDocument; drawn: Promise<Buffer> }[]> {
  for (let process = 0; process < 2; process++) ask({}, long()).catch(() => undefined);
  const drawings = Array.from({ length: 30 }, () => {
    const invoice = another();
    return { invoice, drawn: ask({ rank: 'public', ...wish }, invoice) };
  });
  const codes = await Promise.all(
    drawings.map(async ({ drawn }) => await Promise.race([drawn.then(String, codeOf), tick()])),
  );
  expect(codes.filter(code => code === 'unavailable')).toHaveLength(14);
  return drawings.filter((_, index) => codes[index] === undefined);
}
const codeOf = (error: PayError) => error.code;
const tick = async () => await new Promise<undefined>(resolve => setTimeout(resolve, 50));

describe('a document that many ask for', () => {
  it('is drawn once at a time, and once for those who ask soon after', async () => {
    const invoice = another();
    const drawn = await Promise.all(Array.from({ length: 10 }, () => ask({}, { ...invoice })));
    const soon = await ask({ rank: 'public' }, { ...invoice });
    for (const bytes of [...drawn, soon]) expect(bytes).toBe(drawn[0]);
  });

  it('is drawn anew when anything of it has changed', async () => {
    const invoice = another();
    await ask({}, invoice);
    const paid = await ask({}, { ...invoice, status: 'paid', amountPaid: invoice.total, amountRemaining: 0n });
    expect((await readPdf(paid)).pages[0]).toContain('Paid');
  });

  it('is asked for in vain once, and drawn again for whoever asks then', async () => {
    const invoice = sampleInvoice({ currency: 'XXX' });
    await expect(ask({}, invoice)).rejects.toThrow('XXX');
    await expect(ask({}, invoice)).rejects.toThrow('XXX');
  });

  it('is forgotten for others that need the room', { timeout: 60_000 }, async () => {
    const invoice = another();
    const first = await ask({}, invoice);
    const letters = (from: number) => Array.from({ length: 6000 }, (_, at) => String.fromCodePoint(from + at)).join('');
    for (const from of [0x4e00, 0x6600, 0x7e00, 0x5a00, 0x7200, 0x8600]) {
      const lines = [{ description: letters(from), unitAmount: 1n }];
      await ask({}, sampleInvoice({ locale: 'zh', lines }));
    }
    const again = await ask({}, invoice);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});

describe('when more is asked for than can be drawn', () => {
  it('public requests are refused with a time to come again, and sellers go first', async () => {
    const waiting = await fillQueue();
    const refused: PayError = await ask({ rank: 'public' }).then(
      () => expect.unreachable(),
      error => error,
    );
    expect([refused.code, refused.status, refused.retryAfterSeconds]).toEqual(['unavailable', 503, 5]);
    const finished: string[] = [];
    for (const { drawn } of waiting) void drawn.then(() => finished.push('public'));
    await ask().then(() => finished.push('seller'));
    expect(finished.indexOf('seller')).toBeLessThan(2);
    await Promise.all(waiting.map(({ drawn }) => drawn));
    expect(finished).toHaveLength(17);
  });

  it('a document that a seller wants too goes first', async () => {
    const waiting = await fillQueue();
    const finished: string[] = [];
    for (const { invoice, drawn } of waiting) void drawn.then(() => finished.push(String(invoice.number)));
    const { invoice } = waiting.at(-1) ?? expect.unreachable();
    await ask({ rank: 'seller' }, { ...invoice });
    expect(finished.indexOf(String(invoice.number))).toBeLessThan(2);
    await Promise.all(waiting.map(({ drawn }) => drawn));
  });

  it('whoever leaves takes the document along, and makes room', async () => {
    const leaving = new AbortController();
    const waiting = await fillQueue({ signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await Promise.all(waiting.map(({ drawn }) => expect(drawn).rejects.toThrow('gone')));
    const finished = await Promise.all(Array.from({ length: 12 }, () => ask({ rank: 'public' })));
    expect(finished).toHaveLength(12);
  });

  it('a document is drawn while one of its readers is left', async () => {
    const leaving = new AbortController();
    const invoice = another();
    const waiting = [ask({}, long()), ask({}, long())];
    const [left, staying] = [ask({ signal: leaving.signal }, invoice), ask({}, invoice)];
    await tick();
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await staying).subarray(0, 5).toString()).toBe('%PDF-');
    await Promise.all(waiting);
  });
});
