import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** The space that a PostgreSQL server of the tests may need, in bytes. */
const room = 2 ** 30;

/** Makes a folder for a test database, in memory if there is room: a database has hundreds of temporary files. */
export function makeDataFolder(prefix: string): string {
  return mkdtempSync(join(hasRoom() ? memory : tmpdir(), prefix));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > room;
  } catch {
    return false;
  }
}
