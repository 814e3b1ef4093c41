import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesBelow } from './source-stamp.ts';

/** Where every file is named by its content or its build: under such a name there is never anything else. */
const folders = ['pay-checkout', 'card-frame', 'checkout', 'return', 'demo/files'];

/** Says which files of a build are another's, so that none is handed on twice. */
const listFile = '.vite/previous-build.json';

/**
 * Takes the files of the previous build into the next one, where they cannot be mistaken for its own: a page that was
 * opened before a deploy, or has the script in its cache, still finds the chunks of its build. What that build had
 * taken from the one before it goes, so that the files of two builds are there at any time.
 */
export async function keepPreviousBuild(previous: string, next: string): Promise<void> {
  const below = async (folder: string) => (await Promise.all(folders.map(path => filesBelow(folder, path)))).flat();
  const others = new Set([...(await below(next)), ...(await readList(previous))]);
  const files = (await below(previous)).filter(file => !others.has(file));
  for (const file of files) {
    await mkdir(join(next, dirname(file)), { recursive: true });
    await copyFile(join(previous, file), join(next, file));
  }
  await mkdir(join(next, dirname(listFile)), { recursive: true });
  await writeFile(join(next, listFile), JSON.stringify(files));
}

async function readList(folder: string): Promise<string[]> {
  const file = join(folder, listFile);
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : [];
}
