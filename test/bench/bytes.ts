import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, minifySync, type Plugin } from 'vite';
import type { Measure } from './table.ts';
import { measurePages } from './wire-bytes.ts';

const root = join(import.meta.dirname, '../..');
const firstScript = 'pay-checkout.js';
const firstBudget = 13_700;
const formBudget = 12_000;
const linkPageBudget = firstBudget + 5_000;
const typingBudget = 22_000;
const requestBudget = 9;

/** The modules of a chunk: path of the module → its code before the chunk is minified. */
type Modules = ReadonlyMap<string, string>;

const brotli = (code: string) => brotliCompressSync(code).length;
const list = (rows: readonly (readonly [string, number])[]) =>
  [...rows].sort((a, b) => b[1] - a[1]).map(([name, size]) => `  ${String(size).padStart(6)}  ${name}`);

/**
 * The brotli bytes that a shop's page loads: the first script module by module, then each chunk. A module's share is
 * the saving of a script without it. The shares add up to less than the whole, because text that two modules share
 * counts for neither.
 */
export async function benchBytes(): Promise<Measure[]> {
  const { files, modules } = await buildScripts();
  const whole = brotli(minified(modules, null));
  const shares = [...modules.keys()].map(id => [id, whole - brotli(minified(modules, id))] as const);
  const sizes = [...files].map(([name, code]) => [name, brotli(code)] as const);
  console.log(['  the first script, by module', ...list(shares), '  all scripts', ...list(sizes)].join('\n'));
  const { shop, link } = await measurePages();
  return [
    measure('first load of a shop’s page, brotli', shop.first, firstBudget, ' (moonshot 10.9 kB)'),
    measure('what follows until a card can be typed in, brotli', shop.form, formBudget),
    measure(
      'page and frame until a card can be typed in, brotli',
      shop.first + shop.form,
      typingBudget,
      ' (moonshot 18 kB)',
    ),
    count('requests until then, API calls included', shop.requests, requestBudget),
    count('preflight requests until then', shop.preflights, 0),
    measure('first load of a payment link’s page, brotli', link.first, linkPageBudget),
    measure('what follows until its payer can type, brotli', link.form, formBudget),
  ];
}

function measure(name: string, bytes: number, budget: number, more = ''): Measure {
  const kilobytes = (count: number) => `${(count / 1000).toFixed(2)} kB`;
  const target = `at most ${kilobytes(budget)}${more}`;
  return { name, value: kilobytes(bytes), target, met: bytes <= budget };
}

function count(name: string, requests: number, budget: number): Measure {
  return { name, value: String(requests), target: `at most ${budget}`, met: requests <= budget };
}

function minified(modules: Modules, without: string | null): string {
  const code = [...modules].map(([id, text]) => (id === without ? '' : text)).join('\n');
  // Without `compress`, code that only the removed module used stays, because it belongs to other modules.
  return minifySync(firstScript, code, { module: true, compress: false, mangle: { toplevel: true } }).code;
}

/** Builds as for a release, but writes no files. */
async function buildScripts(): Promise<{ files: ReadonlyMap<string, string>; modules: Modules }> {
  const modules = new Map<string, string>();
  const reader: Plugin = {
    name: 'module-reader',
    enforce: 'pre',
    generateBundle(_options, bundle) {
      const core = bundle[firstScript];
      if (core?.type !== 'chunk') return;
      for (const [id, { code }] of Object.entries(core.modules)) modules.set(relative(root, id), code ?? '');
    },
  };
  const built = await build({ root, mode: 'script', logLevel: 'silent', plugins: [reader], build: { write: false } });
  const bundles = Array.isArray(built) ? built : [built];
  const outputs = bundles.flatMap(bundle => ('output' in bundle ? bundle.output : []));
  const texts = outputs.map(file => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)] as const);
  return { files: new Map(texts.filter(([name]) => name.endsWith('.js'))), modules };
}
