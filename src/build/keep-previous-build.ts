import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesBelow } from './build-when-changed.ts';

/** Folders whose file names contain a hash of their content or build. Files of two builds therefore never clash. */
const folders = [
  ...['pay-checkout', 'card-frame', 'checkout', 'return', 'refund', 'invoice', 'link'],
  ...['dashboard/files', 'demo/files'],
];

/** Lists the files that a build copied from the previous build, so that the next build does not copy them again. */
const listFile = '.vite/previous-build.json';

/**
 * Copies files of the previous build into the next build. A page that was opened before a deploy, or has an older
 * script in its cache, can then still load its chunks. The folder has files of at most two builds.
 */
export async function keepPreviousBuild(previous: string, next: string): Promise<void> {
  const below = async (folder: string) => (await Promise.all(folders.map(path => filesBelow(folder, path)))).flat();
  const others = new Set([...(await below(next)), ...(await previousFiles(previous))]);
  const files = (await below(previous)).filter(file => !others.has(file));
  for (const file of files) {
    await mkdir(join(next, dirname(file)), { recursive: true });
    await copyFile(join(previous, file), join(next, file));
  }
  await mkdir(join(next, dirname(listFile)), { recursive: true });
  await writeFile(join(next, listFile), JSON.stringify(files));
}

/** The files of the folder that its build copied from an earlier build. */
export async function previousFiles(folder: string): Promise<string[]> {
  const file = join(folder, listFile);
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : [];
}
