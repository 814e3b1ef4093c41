import type { EventEmitter } from 'node:events';
import type pg from 'pg';

/** Looks at whether a pool's connections can write. */
export interface WriteWatch {
  /** What the operator should see to: why writes failed of late, in the database's words. */
  readonly remarks: () => readonly string[];
}

/** SQLSTATEs of a database that answers and cannot write: no room, no memory, a read-only standby, a disk with faults. */
const states = /^(53[012]00|53000|25006|58030)$/;
/** A full disk lets some writes through: only what goes well this long after the last failure ends the trouble. */
const stickyMs = 60_000;

/**
 * Listens to what PostgreSQL says on each connection of the pool: requests and time-driven work alike write through it, and
 * what they do with an error is their own business.
 */
export function watchWrites(pool: pg.Pool): WriteWatch {
  let trouble: string | null = null;
  let failedAt = 0;
  pool.on('connect', client => {
    // The driver tells of these messages only here; its types do not name it.
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    connection.on('errorMessage', ({ code = '', message }: pg.DatabaseError) => {
      if (!states.test(code)) return;
      trouble = `${message} (${code})`;
      failedAt = performance.now();
    });
    connection.on('commandComplete', ({ text }: { readonly text: string }) => {
      if (trouble === null || !isWrite(text) || performance.now() - failedAt < stickyMs) return;
      trouble = null;
    });
  });
  return { remarks: () => (trouble === null ? [] : [`database: writes fail: ${trouble}`]) };
}

/** Whether the tag of a command, like `INSERT 0 1`, says that it wrote something. One that selects from what it writes does not. */
function isWrite(tag: string): boolean {
  return /^(INSERT 0|UPDATE|DELETE) [1-9]/.test(tag);
}
