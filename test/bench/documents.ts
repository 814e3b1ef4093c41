import { monitorEventLoopDelay } from 'node:perf_hooks';
import { epcPayload } from '../../src/core/bank/epc-qr.ts';
import { drawInvoice, qrSvg } from '../../src/server/documents/documents.ts';
import { draw } from '../../src/server/documents/process/draw.ts';
import { preparePicture } from '../../src/server/documents/process/pdf-cache.ts';
import { sampleInvoice, sampleLogo } from '../server/documents/sample-invoice.ts';
import { drawBareInvoice } from './bare/invoice.ts';
import { type Measure, median } from './table.ts';

const rounds = 15;
const drawings = 20;
const logo = await sampleLogo(360);

/** An invoice with `lines` lines, a logo, two codes, a tax summary and machine-readable XML. */
function invoiceOf(lines: number) {
  const taxes = [{ name: 'VAT', percent: '19' }];
  const invoice = sampleInvoice({
    lines: Array.from({ length: lines }, (_, index) => ({
      description: `Consulting on payments, day ${index + 1}`,
      quantity: '8',
      unitAmount: BigInt(12_000 + index),
      taxes,
    })),
    seller: { logo: { type: 'png', bytes: logo } },
  });
  const { name } = invoice.seller;
  const payload = epcPayload({
    bic: '',
    name,
    iban: 'DE71110220330123456789',
    amount: invoice.total,
    text: 'INV-0001',
  });
  return { ...invoice, bankQr: { format: 'epc' as const, payload: payload ?? '' } };
}

/** The CPU time of a drawing in milliseconds. It does not depend on other processes of the machine. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  for (let count = 0; count < drawings; count++) await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000 / drawings;
}

/** Compares our documents with bare pdfkit in one thread. Then measures the whole path through a separate process. */
export async function benchDocuments(): Promise<Measure[]> {
  const invoice = invoiceOf(20);
  const picture = await preparePicture(logo);
  const ours = () => draw({ order: { kind: 'invoice', invoice }, logo: picture });
  const bare = () => drawBareInvoice(invoice);
  for (const work of [ours, bare]) await cpuOf(work);
  const results = [];
  for (let round = 0; round < rounds; round++) results.push({ ours: await cpuOf(ours), bare: await cpuOf(bare) });
  const ratio = median(results.map(result => result.ours / result.bare));
  console.log(
    `  20 lines: ${median(results.map(result => result.ours)).toFixed(1)} ms, bare ${median(results.map(result => result.bare)).toFixed(1)} ms`,
  );
  const many = await longInvoice();
  const wait = await longestWait();
  const svg = Array.from({ length: 50 }, (_, index) => {
    const started = performance.now();
    qrSvg(`https://pay.example.com/l/plink_0123456789abcdef0123456789_${index}`);
    return performance.now() - started;
  });
  return [
    {
      name: 'branded invoice of 20 lines against bare pdfkit',
      value: `${ratio.toFixed(2)}×`,
      target: 'at most 2× (moonshot 1.2×)',
      met: ratio <= 2,
    },
    { name: 'invoice of 500 lines', value: `${many.toFixed(0)} ms`, target: 'at most 1 s', met: many <= 1000 },
    {
      name: 'longest wait of other requests while 50 are drawn',
      value: `${wait.toFixed(0)} ms`,
      target: 'at most 60 ms',
      met: wait <= 60,
    },
    { name: 'QR code as SVG', value: `${median(svg).toFixed(1)} ms`, target: 'at most 10 ms', met: median(svg) <= 10 },
  ];
}

async function longInvoice(): Promise<number> {
  const invoice = invoiceOf(500);
  const times = [];
  for (let round = 0; round < 6; round++) {
    const started = performance.now();
    // A new number for each drawing, because drawings are cached.
    await drawInvoice({ ...invoice, number: `INV-${round}` });
    times.push(performance.now() - started);
  }
  return median(times.slice(1));
}

async function longestWait(): Promise<number> {
  const invoice = invoiceOf(20);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await Promise.all(Array.from({ length: 50 }, (_, index) => drawInvoice({ ...invoice, number: `INV-${index}` })));
  delay.disable();
  return delay.max / 1e6;
}
