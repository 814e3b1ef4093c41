import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { browserDir } from '../support/built.ts';

const root = join(import.meta.dirname, '../..');
/** Names in the Stellar SDK that minifiers keep. */
const sdkWords = ['pathPaymentStrictReceiveTooFewOffers', 'txFeeBumpInnerSuccess', 'ed25519SecretSeed'];

let folder = '';
let scripts: { readonly file: string; readonly text: string }[];
beforeAll(async () => {
  folder = join(browserDir, 'demo/files');
  scripts = readdirSync(folder)
    .filter(file => file.endsWith('.js'))
    .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}, 60_000);

it('loads nothing of the Stellar SDK in a browser', () => {
  const sdk = readFileSync(join(root, 'node_modules/@stellar/stellar-sdk/dist/stellar-sdk.min.js'), 'utf8');
  expect(sdkWords.filter(word => !sdk.includes(word))).toEqual([]);
  const found = scripts.filter(({ text }) => sdkWords.some(word => text.includes(word)));
  expect(found.map(({ file }) => file)).toEqual([]);
});

it('loads the QR reader and encoder at first use', () => {
  const page = readFileSync(join(folder, '../wallet.html'), 'utf8');
  const first = new Set<string>();
  const follow = (file: string) => {
    const script = scripts.find(candidate => candidate.file === file);
    if (!script || first.has(file)) return;
    first.add(file);
    // Minified static imports, without dynamic `import(`.
    for (const match of script.text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) follow(match[1] ?? '');
  };
  for (const match of page.matchAll(/src="\/demo\/files\/([^"]+)"/g)) follow(match[1] ?? '');
  expect(first.size).toBeGreaterThan(0);
  const late = ['jsQR', 'qrcode'].map(name => scripts.find(({ file }) => file.startsWith(name))?.file ?? `no ${name}`);
  expect(late.filter(file => first.has(file) || file.startsWith('no '))).toEqual([]);
});
