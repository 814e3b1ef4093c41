import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice-view.ts';
import { browserDir } from '../../support/built.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
let origin: string;
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir });
  await lab.app.http.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(lab.app.http.server.address() as AddressInfo).port}`;
}, 300_000);
afterAll(() => lab.close());

let count = 0;
/** An invoice whose drawing takes a good part of a second: no word of it comes twice. */
function long(): Promise<Invoice> {
  const seed = ++count * 100_003;
  const words = (line: number) =>
    Array.from({ length: 220 }, (_, at) => (seed + line * 997 + at * 104_729).toString(36));
  const lines = Array.from({ length: 40 }, (_, line) => ({ description: words(line).join(' '), unit_amount: 1 }));
  return lab.sent({ lines });
}

const addressOf = ({ pdf_url: url }: Invoice) => `${origin}${new URL(url ?? '').pathname}`;
async function read(invoice: Invoice, signal?: AbortSignal) {
  const response = await fetch(addressOf(invoice), signal ? { signal } : {});
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}
async function duration(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
/** What a drawing takes now, on this machine. */
let one: number;
beforeEach(async () => {
  // By the merchant's call: an address may read so many documents in a minute. The first one starts a process.
  for (const { id } of [await long(), await long()]) {
    one = await duration(() => lab.request(`GET /v1/invoices/${id}/pdf`));
  }
});

it('one document that many read at once is drawn once, and soon after at no cost', { timeout: 60_000 }, async () => {
  const invoice = await long();
  const readers = async () => await Promise.all(Array.from({ length: 8 }, () => read(invoice)));
  const first = await duration(async () => {
    for (const { response, bytes } of await readers()) {
      expect([response.status, bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
    }
  });
  expect(first).toBeLessThan(one * 4);
  expect(await duration(readers)).toBeLessThan(one);
});

it('a merchant’s own document goes before those of the public, which are refused when too many wait', {
  timeout: 120_000,
}, async () => {
  const invoices = await Promise.all(Array.from({ length: 20 }, long));
  const own = await lab.sent();
  let drawn = 0;
  const reading = invoices.map(async invoice => {
    const { response, bytes } = await read(invoice);
    if (response.status === 200) drawn++;
    return { response, bytes };
  });
  const refused = await Promise.race(
    reading.map(async answer =>
      (await answer).response.status === 503 ? await answer : await new Promise<never>(() => {}),
    ),
  );
  expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(JSON.parse(refused.bytes.toString()).error).toMatchObject({ type: 'api_error', code: 'unavailable' });
  const before = drawn;
  expect((await lab.request(`GET /v1/invoices/${own.id}/pdf`)).status).toBe(200);
  expect(drawn - before).toBeLessThan(4);
  const statuses = (await Promise.all(reading)).map(({ response }) => response.status);
  expect(statuses.filter(status => status === 200).length).toBeGreaterThan(12);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

it('whoever leaves is not waited for by others', { timeout: 60_000 }, async () => {
  const invoices = await Promise.all(Array.from({ length: 15 }, long));
  const leaving = new AbortController();
  const reading = invoices.map(invoice => read(invoice, leaving.signal).catch(error => error.name));
  await sleep(Math.min(one, 300));
  leaving.abort();
  const left = await Promise.all(reading);
  expect(left.filter(answer => answer === 'AbortError').length).toBeGreaterThan(10);
  const staying = await long();
  expect(await duration(async () => expect((await read(staying)).response.status).toBe(200))).toBeLessThan(one * 6);
});
