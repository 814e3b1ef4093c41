import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** What a PostgreSQL of tests may come to need, in bytes. */
const room = 2 ** 30;

/**
 * Makes a folder for a database of tests, in memory where there is room for one: a database is some hundred files, and
 * none of them need outlive the machine.
 */
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
