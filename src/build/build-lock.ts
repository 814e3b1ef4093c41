import { mkdir, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** No build takes this long: a lock so old was left behind by a process that was killed. */
const staleMs = 120_000;

/** Does the work while no other process does its own under the same lock folder. */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  while (!(await take(folder))) await sleep(100);
  try {
    return await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function take(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    const made = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (made !== null && Date.now() - made > staleMs) await rm(folder, { recursive: true, force: true });
    return false;
  }
}
