/**
 * Builds everything a browser loads from the service into `dist/browser`: the script tag's core and chunks, the
 * pages' scripts and styles, `integrity.json`, and a compressed twin beside each file. Does nothing when no source has
 * changed since the last build.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { withLock } from './build-lock.ts';
import { compressFiles } from './compress-files.ts';
import { filesBelow, sourceStamp } from './source-stamp.ts';

const root = resolve(import.meta.dirname, '..');
const browser = join(root, 'dist/browser');
const stampFile = join(root, 'dist/browser.stamp');

/** What the browser files are made from. */
const sources = [
  'src/core',
  'src/api',
  'src/element',
  'src/pages',
  'public',
  'demo',
  'scripts',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/** Builds where it is needed; true when it built. A build that fails leaves the files of the last one in place. */
export async function buildBrowser(): Promise<boolean> {
  const stamp = await sourceStamp(root, sources);
  if (await isBuilt(stamp)) return false;
  await mkdir(join(root, 'dist'), { recursive: true });
  return await withLock(join(root, 'dist/browser.lock'), async () => {
    if (await isBuilt(stamp)) return false;
    await buildAnew(stamp);
    return true;
  });
}

async function isBuilt(stamp: string): Promise<boolean> {
  return existsSync(browser) && existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp;
}

async function buildAnew(stamp: string): Promise<void> {
  const next = join(root, `dist/browser-${process.pid}`);
  await mkdir(next, { recursive: true });
  try {
    for (const mode of ['script', 'pages', 'demo']) await build({ root, mode, build: { outDir: next } });
    await nameByVersion(next);
    await compressFiles(next);
    await rm(browser, { recursive: true, force: true });
    await rename(next, browser);
    await writeFile(stampFile, stamp);
  } finally {
    await rm(next, { recursive: true, force: true });
  }
}

/** Adds `pay-checkout-<version>.js`, and `integrity.json` with the SHA-384 of each script in the form of SRI. */
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

if (import.meta.main) {
  const start = performance.now();
  const built = await buildBrowser();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(built ? `browser files built in ${seconds} s` : 'browser files are up to date');
}
