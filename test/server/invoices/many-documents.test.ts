import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import { listen } from '../../support/app.ts';
import { browserDir } from '../../support/built.ts';
import { holdProcesses, signalProcesses } from '../documents/drawing-processes.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
let origin: string;
/** Requests that the service received, and requests that either side ended. */
const seen = { begun: 0, ended: 0 };
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir });
  const { http } = lab.app;
  origin = `http://127.0.0.1:${await listen(lab)}`;
  http.server.on('request', (_, response) => {
    seen.begun++;
    response.once('close', () => seen.ended++);
  });
});
afterAll(() => lab.close());

/** Drawing processes are stopped until the test calls `goOn`, so requests wait in the queue on any machine. */
let held: Promise<unknown>;
const goOn = () => signalProcesses('SIGCONT');
beforeEach(async () => {
  [held] = await holdProcesses();
  Object.assign(seen, { begun: 0, ended: 0 });
});
afterEach(async () => {
  goOn();
  await held;
});

/** Most public documents that may wait. */
const mostWaiting = 16;
const sent = (count: number) => Promise.all(Array.from({ length: count }, () => lab.sent()));
async function read({ pdf_url: url }: Invoice, signal: AbortSignal | null = null) {
  const response = await fetch(`${origin}${new URL(url ?? '').pathname}`, { signal });
  return { status: response.status, response, bytes: Buffer.from(await response.arrayBuffer()) };
}
const statusesOf = async (reading: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(reading)).map(({ status }) => status);
/** Waits until the requests have reached the queue. */
async function arrived(requests: number): Promise<void> {
  await vi.waitUntil(() => seen.begun === requests, { timeout: 20_000 });
  await sleep(300);
}

it('a document with many concurrent readers is drawn once, and cached afterwards', async () => {
  const [invoice] = await sent(1);
  const readers = () => Array.from({ length: mostWaiting + 8 }, () => read(invoice!));
  const reading = readers();
  await arrived(reading.length);
  goOn();
  // A drawing for each reader would exceed the queue, and some readers would be refused.
  for (const { status, bytes } of await Promise.all(reading)) {
    expect([status, bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
  }
  await held;
  signalProcesses('SIGSTOP');
  expect(new Set(await statusesOf(readers()))).toEqual(new Set([200]));
});

it('a merchant’s own document has priority over public ones, which are refused when too many wait', async () => {
  const invoices = await sent(mostWaiting + 4);
  const [own] = await sent(1);
  let drawn = 0;
  const reading = invoices.map(async invoice => {
    const answer = await read(invoice);
    if (answer.status === 200) drawn++;
    return answer;
  });
  await vi.waitUntil(() => seen.ended === 4, { timeout: 20_000 });
  const asked = lab.request(`GET /v1/invoices/${own?.id}/pdf`);
  await sleep(500);
  expect(drawn).toBe(0);
  goOn();
  expect((await asked).status).toBe(200);
  expect(drawn).toBeLessThan(4);
  const answers = await Promise.all(reading);
  const refused = answers.filter(({ status }) => status === 503);
  expect([refused.length, drawn]).toEqual([4, mostWaiting]);
  for (const { response, bytes } of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.parse(bytes.toString()).error).toMatchObject({ type: 'api_error', code: 'unavailable' });
  }
});

it('a reader that disconnects does not delay others', async () => {
  const invoices = await sent(mostWaiting + 1);
  const others = await sent(mostWaiting);
  const leaving = new AbortController();
  const reading = invoices.map(invoice => read(invoice, leaving.signal).catch(error => error.name));
  // The first answer is a refusal, which proves that the queue is full.
  await Promise.race(reading);
  leaving.abort();
  const left = await Promise.all(reading);
  expect(left.filter(answer => answer === 'AbortError')).toHaveLength(mostWaiting);
  await vi.waitUntil(() => seen.ended === invoices.length, { timeout: 20_000 });
  const staying = others.map(invoice => read(invoice));
  await arrived(invoices.length + others.length);
  goOn();
  expect(new Set(await statusesOf(staying))).toEqual(new Set([200]));
});
