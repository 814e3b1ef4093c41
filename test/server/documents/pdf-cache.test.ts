import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PayError } from '../../../src/core/error.ts';
import type { InvoiceDocument } from '../../../src/core/invoice/invoice-document.ts';
import { type DrawingReader, drawInvoice } from '../../../src/server/documents/documents.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { drawingProcesses, holdProcesses, signalProcesses, tick } from './drawing-processes.ts';
import { sampleInvoice } from './sample-invoice.ts';

let count = 0;
/** An invoice that is not in the cache. */
const another = () => sampleInvoice({ number: `INV-${1000 + count++}` });

const begun: Promise<unknown>[] = [];
function ask(reader: DrawingReader = {}, invoice = another()): Promise<Buffer> {
  const drawing = drawInvoice(invoice, reader);
  begun.push(drawing.catch(() => undefined));
  return drawing;
}
afterEach(async () => {
  signalProcesses('SIGCONT');
  await Promise.all(begun.splice(0));
});

/** Fills the queue with public documents while all processes are stopped. Returns the waiting documents. */
async function fillQueue(
  reader: Partial<DrawingReader> = {},
): Promise<{ invoice: InvoiceDocument; drawn: Promise<Buffer> }[]> {
  begun.push(...(await holdProcesses()));
  const drawings = Array.from({ length: 30 }, () => {
    const invoice = another();
    return { invoice, drawn: ask({ rank: 'public', ...reader }, invoice) };
  });
  const codes = await Promise.all(
    drawings.map(async ({ drawn }) => await Promise.race([drawn.then(String, codeOf), tick()])),
  );
  expect(codes.filter(code => code === 'unavailable')).toHaveLength(14);
  return drawings.filter((_, index) => codes[index] === undefined);
}
const codeOf = (error: PayError) => error.code;
const patience = { interval: 5, timeout: 20_000 };
const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-';

describe('a document with many readers', () => {
  it('is drawn once for concurrent requests, and cached for the next ones', async () => {
    const invoice = another();
    const drawn = await Promise.all(Array.from({ length: 10 }, () => ask({}, { ...invoice })));
    const soon = await ask({ rank: 'public' }, { ...invoice });
    for (const bytes of [...drawn, soon]) expect(bytes).toBe(drawn[0]);
  });

  it('is drawn again when its content has changed', async () => {
    const invoice = another();
    await ask({}, invoice);
    const paid = await ask({}, { ...invoice, status: 'paid', amountPaid: invoice.total, amountRemaining: 0n });
    expect((await readPdf(paid)).pages[0]).toContain('Paid');
  });

  it('is drawn again after a failed attempt', async () => {
    const invoice = sampleInvoice({ currency: 'XXX' });
    await expect(ask({}, invoice)).rejects.toThrow('XXX');
    await expect(ask({}, invoice)).rejects.toThrow('XXX');
  });

  it('is removed from the cache when others need the space', async () => {
    const invoice = another();
    const first = await ask({}, invoice);
    expect(await ask({}, invoice)).toBe(first);
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const bytes = await sharp({ create: { width: 1200, height: 420, channels: 3, background: '#fff', noise } })
      .png()
      .toBuffer();
    let others = 0;
    while (others < 9_000_000) {
      others += (await ask({}, { ...another(), seller: { ...invoice.seller, logo: { type: 'png', bytes } } })).length;
    }
    const again = await ask({}, invoice);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});

describe('an overloaded drawing queue', () => {
  it('refuses public requests with Retry-After, and serves merchants first', async () => {
    const waiting = await fillQueue();
    const refused: PayError = await ask({ rank: 'public' }).then(
      () => expect.unreachable(),
      error => error,
    );
    expect([refused.code, refused.status, refused.retryAfterSeconds]).toEqual(['unavailable', 503, 5]);
    const finished: string[] = [];
    for (const { drawn } of waiting) void drawn.then(() => finished.push('public'));
    const own = ask().then(() => finished.push('seller'));
    await tick();
    signalProcesses('SIGCONT');
    await own;
    expect(finished.indexOf('seller')).toBeLessThan(2);
    await Promise.all(waiting.map(({ drawn }) => drawn));
    expect(finished).toHaveLength(17);
  });

  it('gives priority to a public document that a merchant requests too', async () => {
    const leaving = new AbortController();
    const waiting = await fillQueue({ signal: leaving.signal });
    const finished: string[] = [];
    for (const { invoice, drawn } of waiting)
      drawn.then(() => finished.push(String(invoice.number))).catch(() => undefined);
    const { invoice } = waiting.at(-1) ?? expect.unreachable();
    const own = ask({ rank: 'seller' }, { ...invoice });
    await tick();
    signalProcesses('SIGCONT');
    await own;
    expect(finished.indexOf(String(invoice.number))).toBeLessThan(2);
    leaving.abort(new Error('gone'));
  });

  it('removes a document without readers', async () => {
    const leaving = new AbortController();
    const waiting = await fillQueue({ signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await Promise.all(waiting.map(({ drawn }) => expect(drawn).rejects.toThrow('gone')));
    const others = Array.from({ length: 12 }, () => ask({ rank: 'public' }));
    await tick();
    signalProcesses('SIGCONT');
    expect(await Promise.all(others)).toHaveLength(12);
  });

  it('draws a document that still has one reader', async () => {
    const leaving = new AbortController();
    const invoice = another();
    begun.push(...(await holdProcesses()));
    const [left, staying] = [ask({ signal: leaving.signal }, invoice), ask({}, invoice)];
    await tick();
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    signalProcesses('SIGCONT');
    expect(isPdf(await staying)).toBe(true);
  });
});

describe('a document whose drawing process ends', () => {
  /** Requests a document from a stopped process. */
  async function askStopped(): Promise<Promise<Buffer>[]> {
    await ask();
    signalProcesses('SIGSTOP');
    const drawn = ask();
    await tick();
    return [drawn];
  }

  it('is drawn by another process', async () => {
    const [drawn] = await askStopped();
    signalProcesses('SIGKILL');
    expect(isPdf((await drawn) ?? expect.unreachable())).toBe(true);
  });

  it('fails when the second process ends, too', async () => {
    const [drawn] = await askStopped();
    const ended = drawingProcesses();
    signalProcesses('SIGKILL');
    await vi.waitUntil(() => drawingProcesses().some(pid => !ended.includes(pid)), patience);
    signalProcesses('SIGKILL');
    await expect(drawn).rejects.toMatchObject({
      name: 'DrawingError',
      message: expect.stringContaining('its process ended'),
    });
    expect(isPdf(await ask())).toBe(true);
  });

  it('fails at once when it took too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const [drawn] = await askStopped();
      vi.advanceTimersByTime(20_000);
      await expect(drawn).rejects.toMatchObject({
        name: 'DrawingError',
        message: expect.stringContaining('takes too long'),
      });
    } finally {
      vi.useRealTimers();
    }
    expect(isPdf(await ask())).toBe(true);
  });

  it('is refused while the machine has no free process, and drawn afterwards', async () => {
    signalProcesses('SIGKILL');
    await vi.waitUntil(() => drawingProcesses().length === 0, patience);
    const { execPath } = process;
    try {
      // The first path fails at once, the second a moment later.
      for (const path of [join(execPath, 'gone'), `${execPath}-gone`]) {
        process.execPath = path;
        const answers = await Promise.all(Array.from({ length: 3 }, () => ask().catch((error: PayError) => error)));
        for (const answer of answers) expect(answer).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
      }
    } finally {
      process.execPath = execPath;
    }
    expect(isPdf(await ask())).toBe(true);
  });
});
