import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { benchOptions, benchPayment } from './bench-payment.ts';

const root = join(import.meta.dirname, '../..');
const browserDir = join(root, 'dist/browser');
const head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';

/** A page with the element and a bare Lit page of the same form, behind one server. */
export interface BenchPages {
  /** Serves `/ours.html` and `/bare.html`, which request the same payment. */
  readonly url: string;
  close(): void;
}

/** Serves both pages in brotli, and the payment as the service would answer it. */
export async function serveBenchPages(): Promise<BenchPages> {
  const bare = await buildBare();
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = files.get(path) ?? readScript(path);
    const type = { '.html': 'text/html', '.js': 'text/javascript' }[extname(path)] ?? 'application/json';
    const headers = { 'content-type': type, 'content-encoding': 'br', 'cache-control': 'no-store' };
    response.writeHead(body === null ? 404 : 200, body === null ? {} : headers);
    response.end(body === null ? '' : brotliCompressSync(body));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const script = '<script src="/pay-checkout.js" defer></script>';
  const element = '<pay-checkout payment-id="pay_bench" client-secret="pay_bench_secret_x"></pay-checkout>';
  files.set('/ours.html', `${head}${script}${element}`);
  files.set('/bare.html', `${head}<script src="/bare.js" defer></script><bare-checkout></bare-checkout>`);
  files.set('/bare.js', bare);
  files.set('/frame.html', `${head}<title>Card fields</title>`);
  // Another host name is another site, so the frame gets its own process, as on a shop's page.
  const options = benchOptions(`http://localhost:${port}/frame.html`);
  files.set('/v1/checkout/open', JSON.stringify({ payment: benchPayment(), options }));
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function readScript(path: string): Buffer | null {
  const file = join(browserDir, path);
  return extname(path) === '.js' && existsSync(file) ? readFileSync(file) : null;
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
