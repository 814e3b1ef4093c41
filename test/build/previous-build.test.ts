import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWhenChanged } from '../../src/build/build-when-changed.ts';
import { keepPreviousBuild } from '../../src/build/keep-previous-build.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pay-builds-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Builds these files (path → text) from the sources of another version. */
async function deploy(version: string, files: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(join(root, 'source.ts'), version);
  const built = await buildWhenChanged({ root, name: 'browser', sources: ['source.ts'] }, async (folder, previous) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await keepPreviousBuild(previous, folder);
  });
  expect(built).toBe(true);
}

const read = (path: string) => readFile(join(root, 'dist/browser', path), 'utf8');
const isThere = (path: string) => existsSync(join(root, 'dist/browser', path));

const build = (version: string) => ({
  'pay-checkout.js': `core of ${version}`,
  [`pay-checkout/card-${version}.js`]: `card of ${version}`,
  [`pay-checkout/card-${version}.js.br`]: `card of ${version}, small`,
  [`checkout/checkout-${version}.css`]: `styles of ${version}`,
  'checkout/checkout-same.js': 'a script that no build has changed',
});

describe('a new build', () => {
  it('keeps the chunks of the previous build, but none of earlier builds', async () => {
    await deploy('one', build('one'));
    await deploy('two', build('two'));
    expect(await read('pay-checkout.js')).toBe('core of two');
    for (const version of ['one', 'two']) {
      expect(await read(`pay-checkout/card-${version}.js`)).toBe(`card of ${version}`);
      expect(await read(`pay-checkout/card-${version}.js.br`)).toBe(`card of ${version}, small`);
      expect(await read(`checkout/checkout-${version}.css`)).toBe(`styles of ${version}`);
    }
    await deploy('three', build('three'));
    expect(['one', 'two', 'three'].map(version => isThere(`pay-checkout/card-${version}.js`))).toEqual([
      false,
      true,
      true,
    ]);
    expect(isThere('checkout/checkout-same.js')).toBe(true);
  });

  it('keeps a chunk that it shares with the build before the previous one', async () => {
    await deploy('four', build('one'));
    expect(['one', 'two', 'three'].map(version => isThere(`pay-checkout/card-${version}.js`))).toEqual([
      true,
      false,
      true,
    ]);
  });
});
