/**
 * Builds all files for browsers into `dist/browser`: the script tag's core and chunks, scripts and styles of the pages,
 * the dashboard and the demo, `integrity.json` and `custom-elements.json`. Adds compressed copies of text files, and
 * keeps the hashed files of the previous build.
 */
import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { buildWhenChanged, filesBelow } from './build-when-changed.ts';
import { compressFiles } from './compress-files.ts';
import { keepPreviousBuild } from './keep-previous-build.ts';

const root = resolve(import.meta.dirname, '../..');

const sources = [
  'src/core',
  'src/api',
  'src/element',
  'src/pages',
  'src/dashboard',
  'public',
  'demo',
  'src/build',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/** Builds if a source has changed. Returns whether it built. */
export async function buildBrowser(): Promise<boolean> {
  return await buildWhenChanged({ root, name: 'browser', sources }, async (folder, previous) => {
    for (const mode of ['script', 'pages', 'dashboard', 'demo']) await build({ root, mode, build: { outDir: folder } });
    await nameByVersion(folder);
    // Imported here, because an unchanged build needs no analyzer.
    const { elementManifest } = await import('./element-manifest.ts');
    await writeFile(join(folder, 'custom-elements.json'), `${JSON.stringify(await elementManifest(), null, 2)}\n`);
    await compressFiles(folder);
    await keepPreviousBuild(previous, folder);
  });
}

/** Adds `pay-checkout-<version>.js`, and `integrity.json` with each script's SHA-384 as Subresource Integrity text. */
async function nameByVersion(folder: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  await copyFile(join(folder, 'pay-checkout.js'), join(folder, `pay-checkout-${version}.js`));
  const files = ['pay-checkout.js', `pay-checkout-${version}.js`, ...(await filesBelow(folder, 'pay-checkout'))];
  const integrity = Object.fromEntries(
    await Promise.all(files.map(async file => [`/${file}`, await integrityOf(join(folder, file))])),
  );
  await writeFile(join(folder, 'integrity.json'), `${JSON.stringify({ version, integrity }, null, 2)}\n`);
}

async function integrityOf(file: string): Promise<string> {
  return `sha384-${createHash('sha384')
    .update(await readFile(file))
    .digest('base64')}`;
}
