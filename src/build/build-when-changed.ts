import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A folder below `dist` and the sources from which it is built. */
export interface BuiltFolder {
  /** The repository's folder. */
  readonly root: string;
  /** Name below `dist`. The file `<name>.stamp` beside the folder identifies the sources of the last build. */
  readonly name: string;
  /** Files and folders, relative to `root`. */
  readonly sources: readonly string[];
}

/** Age in milliseconds from which a lock counts as left by a killed process. No build takes so long. */
const staleLockMs = 120_000;

/**
 * Calls `make` to fill a new folder, which then replaces `dist/<name>`. Does nothing when the sources have not changed
 * since the last build. `make` also receives the folder of the last build, which may not exist. A failed build does not
 * replace the last one. Only one process builds at a time; the others wait. Returns whether it built.
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

/** Paths of all files at or below `path`, relative to `root`, sorted. */
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

/** The SHA-256 of the names and contents of all files at or below the paths. A missing path counts as empty. */
async function sourceStamp(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesBelow(root, path)) {
      hash.update(`${file}\n`).update(await readFile(join(root, file)));
    }
  }
  return hash.digest('hex');
}

/** Runs the work while this process holds the lock. The lock is a folder, because creating a folder is atomic. */
async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await takeLock(lock))) await sleep(100);
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const takenMs = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (takenMs !== null && Date.now() - takenMs > staleLockMs) await rm(lock, { recursive: true, force: true });
    return false;
  }
}
