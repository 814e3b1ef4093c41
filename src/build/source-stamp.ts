import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** SHA-256 over the names and contents of the files, folders included; what does not exist counts as empty. */
export async function sourceStamp(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesBelow(root, path)) {
      hash.update(`${file}\n`).update(await readFile(join(root, file)));
    }
  }
  return hash.digest('hex');
}

/** Paths of all files at or below `path`, relative to `root`, in a fixed order. */
export async function filesBelow(root: string, path: string): Promise<string[]> {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if ((await stat(full)).isFile()) return [path];
  const entries = await readdir(full, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(path, join(entry.parentPath, entry.name).slice(full.length + 1)))
    .sort();
}
