import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parseSync } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildBrowser } from '../../src/build/build-browser.ts';

const folder = join(import.meta.dirname, '../../dist/browser');
const read = (file: string) => readFileSync(join(folder, file));
const text = (file: string) => read(file).toString();
const kilobytes = (count: number) => count * 1000;

/** `card` for `pay-checkout/card-0123abcd.js`. */
const nameOf = (chunk: string) => chunk.slice('pay-checkout/'.length).replace(/-[0-9a-f]{8}\.js$/, '');

/** The names of the chunks that a chunk waits for before it runs. */
function awaitedBy(code: string): string[] {
  const [list = '[]'] = /(?<=await Promise\.all\()\["[^\]]*\]/.exec(code) ?? [];
  return JSON.parse(list);
}

/** The names of the chunks and of all chunks that they wait for, without the `known` ones. */
function importsOf(names: readonly string[], known: readonly string[] = []): string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name) || known.includes(name)) return;
    found.add(name);
    const chunk = chunks.find(file => nameOf(file) === name);
    if (chunk === undefined) throw new Error(`no chunk ${name}`);
    for (const next of awaitedBy(text(chunk))) add(next);
  };
  names.forEach(add);
  return [...found];
}

let files: string[];
let chunks: string[];
beforeAll(async () => {
  await buildBrowser();
  const older: string[] = JSON.parse(text('.vite/previous-build.json'));
  files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(file => !older.includes(file));
  chunks = files.filter(file => /^pay-checkout\/.*\.js$/.test(file));
}, 60_000);

describe('the script tag', () => {
  it('is a classic script, and its chunks are modules', () => {
    expect(() => new Script(text('pay-checkout.js'))).not.toThrow();
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) {
      expect(parseSync(chunk, text(chunk), { sourceType: 'module' }).errors).toEqual([]);
      expect(text(chunk)).toMatch(/export/);
    }
  });

  it('contains Lit and each line of the core once', () => {
    const withLit = files.filter(file => /\.js$/.test(file) && /createPolicy\(["'`]lit-html/.test(text(file)));
    expect(withLit.filter(file => !/^(demo\/|dashboard\/|pay-checkout-\d)/.test(file))).toEqual(['pay-checkout.js']);
    for (const chunk of chunks) expect(text(chunk)).not.toMatch(/from\s*["'`](lit|[^"'`]*\/pay-checkout\.js)/);
  });

  it('loads each chunk by its name, and none by an import that Chromium would not repeat', () => {
    const scripts = [...chunks, 'pay-checkout.js'].map(text);
    const asked = scripts.flatMap(code => [
      ...awaitedBy(code),
      ...[...code.matchAll(/payImport\(["`]([\w-]+)/g)].map(([, name = '']) => name),
    ]);
    expect(new Set(asked)).toEqual(new Set(chunks.map(nameOf)));
    expect(scripts.join('').match(/import\(|\bfrom\s*["`]\.|import\s*["`]/g)).toEqual(['import(']);
  });

  it('is also served under its version, and integrity.json has the hash of every script', () => {
    const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
    const named = `pay-checkout-${version}.js`;
    expect(text(named)).toBe(text('pay-checkout.js'));
    const hashOf = (file: string) => `sha384-${createHash('sha384').update(read(file)).digest('base64')}`;
    expect(JSON.parse(text('integrity.json'))).toEqual({
      version,
      integrity: Object.fromEntries(['pay-checkout.js', named, ...chunks].map(file => [`/${file}`, hashOf(file)])),
    });
  });
});

describe('the browser files', () => {
  it('contain no decorators, no development build, no server code and no chain code', () => {
    const unwanted = [
      /@(property|state|query|customElement)\(/,
      /Lit is in dev mode/,
      /stellar-(sdk|base)|js-xdr|\bKeypair\b/,
      /["'`]node:\w+|process\.env|typebox/i,
    ];
    const found = files
      .filter(file => file.endsWith('.js') && !file.startsWith('demo/'))
      .flatMap(file => unwanted.filter(pattern => pattern.test(text(file))).map(pattern => `${file}: ${pattern}`));
    expect(found).toEqual([]);
  });

  it('have compressed copies that decompress to the same bytes', () => {
    const compressed = files.filter(file => /\.(br|gz)$/.test(file));
    expect(compressed.length).toBeGreaterThan(10);
    for (const file of compressed) {
      const open = file.endsWith('.br') ? brotliDecompressSync : gunzipSync;
      expect(open(read(file)).equals(read(file.slice(0, -3))), file).toBe(true);
    }
  });

  it('keep the first load of a shop’s page, checkout and widget together, within 13.7 kB', () => {
    expect(read('pay-checkout.js.br').length).toBeLessThanOrEqual(kilobytes(13.7));
  });

  /** The compressed size of these chunks. */
  const size = (names: readonly string[]) =>
    names.reduce((sum, name) => {
      const chunk = chunks.find(file => nameOf(file) === name);
      return sum + read(`${chunk}${existsSync(join(folder, `${chunk}.br`)) ? '.br' : ''}`).length;
    }, 0);

  it('keep the tab of mobile money within 5 kB, besides the parts of other tabs, and each language of it within 1.5 kB', () => {
    const tab = importsOf(['mobile-money'], importsOf(['form', 'rows']));
    expect(tab).toContain('mobile-money');
    expect(size(tab)).toBeLessThanOrEqual(kilobytes(5));
    for (const language of ['ar', 'ja']) {
      expect(size(importsOf([`${language}-mobile-money`]))).toBeLessThanOrEqual(kilobytes(1.5));
    }
  });

  it('keep the crypto tab within 9 kB until its QR code is shown, and Freighter within 3.5 kB', () => {
    const tab = importsOf(['crypto', 'qr-code'], importsOf(['form']));
    expect(tab).toContain('crypto');
    expect(size(tab)).toBeLessThanOrEqual(kilobytes(9));
    expect(size(importsOf(['freighter'], tab))).toBeLessThanOrEqual(kilobytes(3.5));
  });

  it('keep the widget of ramps within 14 kB besides the checkout’s form, and each language of it within 2.5 kB', () => {
    expect(size(importsOf(['widget'], importsOf(['form'])))).toBeLessThanOrEqual(kilobytes(14));
    for (const language of ['ar', 'ja']) {
      expect(size(importsOf([`${language}-ramp`]))).toBeLessThanOrEqual(kilobytes(2.5));
    }
  });

  it('add a language with one file of at most 6 kB, which is not part of the first load', () => {
    for (const language of ['ar', 'ja']) {
      expect(importsOf([language])).toEqual([language]);
      const chunk = chunks.find(file => new RegExp(`/${language}-[0-9a-f]{8}\\.js$`).test(file));
      expect(read(`${chunk}.br`).length).toBeLessThanOrEqual(kilobytes(6));
    }
    expect(text('pay-checkout.js')).not.toMatch(/[\p{Script=Arabic}\p{Script=Hiragana}\p{Script=Han}]/u);
  });

  it('have no crypto code in the first load', () => {
    const core = text('pay-checkout.js');
    for (const words of ['web+stellar:', 'Freighter', 'crypto_transfer', 'wallet_transactions', 'payer_address']) {
      expect(core).not.toContain(words);
    }
  });

  it('keep script and style of the card frame within 3.4 kB, of the hosted page within 2.5 kB, of the invoice page within 5 kB', () => {
    const entries: { name?: string; isEntry?: boolean; file: string; css?: string[] }[] = Object.values(
      JSON.parse(text('.vite/manifest.json')),
    );
    const size = (page: string) => {
      const entry = entries.find(({ name, isEntry }) => isEntry && name === page);
      return [entry?.file, ...(entry?.css ?? [])].reduce((sum, file) => sum + read(`${file}.br`).length, 0);
    };
    expect(size('card-frame')).toBeLessThanOrEqual(kilobytes(3.4));
    expect(size('checkout')).toBeLessThanOrEqual(kilobytes(2.5));
    expect(size('invoice')).toBeLessThanOrEqual(kilobytes(5));
  });
});

describe('the build', () => {
  it('does nothing when no source has changed', async () => {
    expect(await buildBrowser()).toBe(false);
  });
});
