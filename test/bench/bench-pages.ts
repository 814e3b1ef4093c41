import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build } from 'vite';
import { escapeHtml } from '../../src/core/escape-html.ts';
import { benchOptions, benchPayment } from './bench-payment.ts';

const root = join(import.meta.dirname, '../..');
const browserDir = join(root, 'dist/browser');
const head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const forAnySite = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'timing-allow-origin': '*',
};

/** The pages of one server: with the element, with Adyen's drop-in, and with bare Lit. */
export interface BenchPages {
  /** Serves `/ours.html`, `/opened.html`, `/adyen.html` and `/bare.html`. `/opened.html` contains the first answer. */
  readonly url: string;
  close(): void;
}

/** Serves the pages in brotli, and the payment with the service's answer. */
export async function serveBenchPages(): Promise<BenchPages> {
  const files = new Map<string, Buffer>();
  const put = (path: string, body: string | Uint8Array) => files.set(path, brotliCompressSync(body));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = request.method === 'OPTIONS' ? undefined : (files.get(path) ?? fromAdyen(path));
    const type = types[extname(path)] ?? 'application/json';
    const headers = { 'content-type': type, 'content-encoding': 'br', 'cache-control': 'no-store', ...forAnySite };
    if (path === '/v1/checkout/stream') response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    else if (body === undefined) response.writeHead(request.method === 'OPTIONS' ? 204 : 404, forAnySite).end();
    else response.writeHead(200, headers).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // Another host name is another site. The frame then gets its own process, as on a shop's page.
  const options = benchOptions(`http://localhost:${port}/frame.html`);
  const opened = JSON.stringify({ payment: benchPayment(), options, answered_at: new Date().toISOString() });
  putOurs(put, opened);
  await putBare(put);
  await putAdyen(put);
  put('/frame.html', `${head}<title>Card fields</title>`);
  put('/v1/checkout/open', opened);
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

type Put = (path: string, body: string | Uint8Array) => void;

/** Compresses every script before the first request, so that compression delays no page. */
function putOurs(put: Put, opened: string): void {
  const page = (more: string) =>
    `${head}<script src="/pay-checkout.js" defer></script>` +
    `<pay-checkout payment-id="pay_bench" client-secret="pay_bench_secret_x"${more}></pay-checkout>`;
  put('/ours.html', page(''));
  put('/opened.html', page(` opened="${escapeHtml(opened)}"`));
  const chunks = readdirSync(join(browserDir, 'pay-checkout')).filter(file => file.endsWith('.js'));
  for (const file of ['pay-checkout.js', ...chunks.map(chunk => `pay-checkout/${chunk}`)]) {
    put(`/${file}`, readFileSync(join(browserDir, file)));
  }
}

async function putBare(put: Put): Promise<void> {
  put('/bare.html', `${head}<script src="/bare.js" defer></script><bare-checkout></bare-checkout>`);
  const entry = join(import.meta.dirname, 'bare/bare-checkout.ts');
  const [bundle] = await bundleOf({ target: 'chrome100', lib: { entry, formats: ['iife'], name: 'bare' } });
  if (bundle?.type !== 'chunk') throw new Error('the bare page did not build');
  put('/bare.js', bundle.code);
}

/** Adyen's page as a shop builds it: Vite's defaults, only the imported components, and Adyen's style sheet. */
async function putAdyen(put: Put): Promise<void> {
  const names = { entryFileNames: 'adyen.js', assetFileNames: 'adyen[extname]' };
  const input = join(import.meta.dirname, 'adyen/adyen-checkout.ts');
  for (const file of await bundleOf({ rolldownOptions: { input, output: names } })) {
    put(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source);
  }
  const files = '<script type="module" src="/adyen.js"></script><link rel="stylesheet" href="/adyen.css">';
  put('/adyen.html', `${head}${files}<div id="dropin"></div>`);
}

/** Small answers instead of the files and calls of Adyen's own servers. */
const adyenAnswers: Readonly<Record<string, Buffer>> = {
  '.svg': brotliCompressSync('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 26"/>'),
  '.html': brotliCompressSync(`${head}<title>Card fields</title>`),
  '': brotliCompressSync('{"checkoutAttemptId":"bench"}'),
};

function fromAdyen(path: string): Buffer | undefined {
  return path.startsWith('/adyen/') ? adyenAnswers[extname(path)] : undefined;
}

async function bundleOf(options: BuildOptions) {
  const output = await build({ root, configFile: false, logLevel: 'silent', build: { write: false, ...options } });
  const bundles = Array.isArray(output) ? output : [output];
  return bundles.flatMap(bundle => ('output' in bundle ? bundle.output : []));
}
