import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Sweep } from '../jobs/sweeper.ts';

const hourMs = 3_600_000;

/** Makes the partitions of this month and the next two. A service that was off for months needs it before it writes its first event. */
export async function ensureEventPartitions(db: Db): Promise<void> {
  await sql`select ensure_event_partitions()`.execute(db);
}

/** Keeps partitions ready while the service runs. */
export function createPartitionSweep(db: Db): Sweep {
  return {
    name: 'events.partitions',
    everyMs: 6 * hourMs,
    run: async () => {
      await ensureEventPartitions(db);
      return 0;
    },
  };
}
