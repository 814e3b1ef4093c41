import { sql } from 'kysely';
import { addSeconds, type Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Moment } from '../platform/db/tables.ts';
import { type Reading, type Readings, seasonSeconds, windows } from './rate-readings.ts';

declare module '../platform/db/tables.ts' {
  interface Tables {
    rate_readings: { asset: string; read_at: Moment; low: bigint; high: bigint };
  }
}

/** Readings of one span share a row. */
const spanMs = 60_000;

/** Readings in the database, which all servers share. */
export function createReadings(db: Db, clock: Clock): Readings {
  return {
    of: async asset => {
      const now = clock.now();
      const since = windows.map(({ seconds }) => addSeconds(now, -seconds));
      const found = await Promise.all(
        since.map(async at => {
          const { rows } = await sql<{ low: bigint | null; high: bigint | null }>`
            select min(low) as low, max(high) as high from rate_readings
            where asset = ${asset} and read_at >= ${at}`.execute(db);
          return rows[0];
        }),
      );
      return found.map((row): Reading | null =>
        row === undefined || row.low === null || row.high === null ? null : { low: row.low, high: row.high },
      );
    },
    isSeasoned: async asset => {
      const { rows } = await sql`
        select from rate_readings where asset = ${asset} and read_at <= ${addSeconds(clock.now(), -seasonSeconds)}
        limit 1`.execute(db);
      return rows.length > 0;
    },
    keep: async (asset, prices) => {
      const now = clock.now();
      const span = new Date(Math.floor(now.getTime() / spanMs) * spanMs);
      const [low, high] = [prices, prices].map((all, index) =>
        all.reduce((best, price) => (price < best === (index === 0) ? price : best)),
      );
      await sql`
        insert into rate_readings (asset, read_at, low, high) values (${asset}, ${span}, ${low}, ${high})
        on conflict (asset, read_at) do update set
          low = least(rate_readings.low, excluded.low), high = greatest(rate_readings.high, excluded.high)`.execute(db);
      const oldest = addSeconds(now, -(windows.at(-1)?.seconds ?? 0));
      await sql`delete from rate_readings where asset = ${asset} and read_at < ${oldest}`.execute(db);
    },
  };
}
