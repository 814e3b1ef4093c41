import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Transfers that wait to leave, by why. */
export interface WaitingTransfers {
  readonly state: 'queued' | 'held';
  /** Why it is held, as far as that is known. */
  readonly reason: string | null;
  readonly count: number;
  /** How long the oldest of them has waited, in whole seconds by the database's clock. */
  readonly oldestSeconds: number;
}

/** What waits to leave the treasury. Reads the index of waiting transfers only. */
export async function readWaiting(db: Db): Promise<readonly WaitingTransfers[]> {
  const { rows } = await sql<WaitingTransfers>`
    select state, failure_code as reason, count(*)::int as count,
      extract(epoch from now() - min(queued_at))::int as "oldestSeconds"
    from outgoing_transfers where state in ('queued', 'held')
    group by state, failure_code order by state, failure_code`.execute(db);
  return rows;
}
