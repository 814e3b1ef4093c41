import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright';
import { build } from 'vite';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { type Measure, median } from './table.ts';

const rounds = 7;
const root = join(import.meta.dirname, '../..');
const browserDir = join(root, 'dist/browser');

interface Sample {
  readonly readyMs: number;
  readonly blockingMs: number;
}

/** Time to interactive and blocking time of a page with the element, against a bare Lit page of the same form, both behind the same slow line. */
export async function benchBrowser(): Promise<Measure[]> {
  const bare = await buildBare();
  const server = await serve(bare);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const executablePath = findBrowser();
  const browser = await chromium.launch({ args: browserArgs, ...(executablePath === null ? {} : { executablePath }) });
  const pairs: { ours: Sample; bare: Sample }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ours = await load(browser, `${url}/ours.html`);
    const floor = await load(browser, `${url}/bare.html`);
    if (round > 0) pairs.push({ ours, bare: floor });
  }
  await browser.close();
  server.close();
  const ready = median(pairs.map(pair => pair.ours.readyMs / pair.bare.readyMs));
  const blocking =
    median(pairs.map(pair => pair.ours.blockingMs)) / Math.max(1, median(pairs.map(pair => pair.bare.blockingMs)));
  const shown = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick)).toFixed(0);
  console.log(
    `  ready ${shown(p => p.ours.readyMs)} ms, bare ${shown(p => p.bare.readyMs)} ms; blocking ${shown(p => p.ours.blockingMs)} ms, bare ${shown(p => p.bare.blockingMs)} ms`,
  );
  return [
    {
      name: 'time to interactive against a bare Lit page',
      value: `${ready.toFixed(2)}×`,
      target: 'at most 1.15×',
      met: ready <= 1.15,
    },
    {
      name: 'blocking time against a bare Lit page',
      value: `${blocking.toFixed(2)}×`,
      target: 'at most 1.3×',
      met: blocking <= 1.3,
    },
  ];
}

/** One cold load at 150 ms, 1.6 Mbit/s, CPU 4× slower, on a phone's screen. Ready: the first tab can be pressed, and a frame has passed. */
async function load(browser: Browser, url: string): Promise<Sample> {
  const context = await browser.newContext({ viewport: { width: 412, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    const blocked = { ms: 0 };
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) blocked.ms += entry.duration - 50;
    }).observe({ type: 'longtask', buffered: true });
    const find = (tree: Document | ShadowRoot): boolean =>
      [...tree.querySelectorAll('*')].some(
        node => node.matches('[role=tab]') || (node.shadowRoot !== null && find(node.shadowRoot)),
      );
    const look = () =>
      find(document)
        ? requestAnimationFrame(() => Object.assign(window, { sample: { readyMs: performance.now(), blocked } }))
        : requestAnimationFrame(look);
    requestAnimationFrame(look);
  });
  await page.goto(url);
  await page.waitForFunction(() => 'sample' in window, undefined, { timeout: 30_000 });
  await page.waitForTimeout(500);
  const sample = await page.evaluate(() => {
    const { readyMs, blocked } = (window as unknown as { sample: { readyMs: number; blocked: { ms: number } } }).sample;
    return { readyMs, blockingMs: blocked.ms };
  });
  await context.close();
  return sample;
}

async function buildBare(): Promise<string> {
  const output = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'chrome100',
      lib: { entry: join(import.meta.dirname, 'bare/bare-checkout.ts'), formats: ['iife'], name: 'bare' },
    },
  });
  const [bundle] = Array.isArray(output) ? output : [output];
  const chunk = bundle !== undefined && 'output' in bundle ? bundle.output[0] : undefined;
  if (chunk?.type !== 'chunk') throw new Error('the bare page did not build');
  return chunk.code;
}

/** Both pages, their scripts in brotli, and the payment that both ask for. */
async function serve(bare: string): Promise<Server> {
  const now = Date.now();
  const expiresAt = new Date(now + 900_000).toISOString();
  const payment = JSON.stringify({
    ...benchPayment,
    expires_at: expiresAt,
    session_expires_at: new Date(now + 86_400_000).toISOString(),
    quote: { ...benchPayment.quote, expires_at: expiresAt },
    created_at: new Date(now).toISOString(),
  });
  const head =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
  const files: Record<string, string | Buffer> = {
    '/ours.html': `${head}<script src="/pay-checkout.js" defer></script><pay-checkout payment-id="pay_bench" client-secret="pay_bench_secret_x"></pay-checkout>`,
    '/bare.html': `${head}<script src="/bare.js" defer></script><bare-checkout></bare-checkout>`,
    '/bare.js': bare,
    '/frame.html': `${head}<title>Card fields</title>`,
    '/v1/payments/pay_bench': payment,
    '/v1/payments/pay_bench/options': JSON.stringify(benchOptions),
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const onDisk = join(browserDir, path);
    const body = files[path] ?? (extname(path) === '.js' && existsSync(onDisk) ? readFileSync(onDisk) : null);
    if (body === null) {
      response.writeHead(404).end();
      return;
    }
    const type = { '.html': 'text/html', '.js': 'text/javascript' }[extname(path)] ?? 'application/json';
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'br', 'cache-control': 'no-store' });
    response.end(brotliCompressSync(body));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const benchOptions = {
  object: 'payment_options',
  card: { brands: ['visa'], frame_url: '/frame.html', amount: 12_840, currency: 'EUR' },
  bank_transfer: { rails: [{ rail: 'sepa', currency: 'EUR', amount: 12_840, settlement_days: 0 }] },
};

const benchPayment = {
  id: 'pay_bench',
  object: 'payment',
  status: 'pending',
  phase: 'awaiting_payer',
  exception: null,
  checkout_url: 'http://127.0.0.1/checkout/x',
  amount: 12_840,
  currency: 'EUR',
  amount_received: 0,
  amount_refunded: 0,
  description: 'Order A-1042',
  reference: 'A-1042',
  line_items: [],
  locale: null,
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  settlement_address: null,
  settlement_mode: 'custodial',
  payment_methods: ['card', 'bank_transfer', 'crypto'],
  redirect_url: null,
  method: null,
  next_action: null,
  last_attempt: null,
  quote: { id: 'quote_bench', settlement_asset: 'USDC', settlement_amount: '139.9560000', rate: '1.09' },
  settlement: { status: 'none', asset: 'USDC', amount: null, tx_hash: null, ledger: null },
  failure: null,
  merchant: { name: 'Nordlys Supply', support_email: null, support_url: null, logo: null, primary_color: null },
  created_via: 'server',
  livemode: false,
  completed_at: null,
};
