import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { sourceStamp } from './source-stamp.ts';

/** A folder of built files, and what it is made from. */
export interface BuiltFolder {
  /** Folder of the repository. */
  readonly root: string;
  /** Name below `dist`; `<name>.stamp` beside it says which sources it was built from. */
  readonly name: string;
  /** Files and folders below `root`. */
  readonly sources: readonly string[];
}

/**
 * Has `make` fill a fresh folder, which then takes the place of `dist/<name>`, unless the sources are those of the last
 * build; true when it built. `make` is told where the last build is, where there is one, to take over what must stay. A build that fails leaves the files of the last one in place. Of processes that ask at
 * once, one builds and the others wait for it.
 */
export async function buildWhenChanged(
  built: BuiltFolder,
  make: (folder: string, previous: string) => Promise<void>,
): Promise<boolean> {
  const dist = join(built.root, 'dist');
  const folder = join(dist, built.name);
  const stampFile = `${folder}.stamp`;
  const stamp = await sourceStamp(built.root, built.sources);
  const isBuilt = async () =>
    existsSync(folder) && existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp;
  if (await isBuilt()) return false;
  await mkdir(dist, { recursive: true });
  return await withLock(`${folder}.lock`, async () => {
    if (await isBuilt()) return false;
    const next = `${folder}-${process.pid}`;
    await mkdir(next, { recursive: true });
    try {
      await make(next, folder);
      await rm(folder, { recursive: true, force: true });
      await rename(next, folder);
      await writeFile(stampFile, stamp);
    } finally {
      await rm(next, { recursive: true, force: true });
    }
    return true;
  });
}
