import type { Clock } from '../../core/clock.ts';
import type { Db } from './db/database.ts';
import type { Gauge } from './metrics.ts';

/** Overdue work of a kind: how much, and since when the oldest waits. */
export interface OverdueWork {
  readonly count: number;
  readonly since: Date | null;
}

/** Finds the work of one kind that is past its time at `now`, in few rows. Work due only on a test clock is left out. */
export type OverdueCheck = (db: Db, now: Date) => Promise<readonly OverdueWork[]>;

/** Longer than a burst of work or a deployment explains, in seconds. */
const longSeconds = 900;
/** How long a look counts, in milliseconds. */
const freshMs = 10_000;

type Waiting = ReturnType<typeof sum>;

/** Watches for overdue work in every role, so that it also notices when no process does such work. */
export function createOverdueWatch(
  checks: Readonly<Record<string, OverdueCheck>>,
  { db, clock }: { readonly db: Db; readonly clock: Clock },
) {
  let waiting: readonly Waiting[] = Object.keys(checks).map(kind => ({ kind, count: 0, seconds: 0 }));
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function read(): Promise<void> {
    const now = clock.now();
    const entries = Object.entries(checks);
    waiting = await Promise.all(entries.map(async ([kind, check]) => sum(kind, await check(db, now), now)));
    lookedAt = now.getTime();
  }
  const gauge = (name: string, help: string, of: (one: Waiting) => number): Gauge => ({
    ...{ name, help, label: 'kind' },
    read: () => new Map(waiting.map(one => [one.kind, of(one)])),
  });
  return {
    /** Looks, unless the last look is fresh. Concurrent calls share one look. Rejects while the database is away. */
    look: async () => {
      // A clock may also be set back.
      if (Math.abs(clock.now().getTime() - lookedAt) < freshMs) return;
      looking ??= read().finally(() => {
        looking = null;
      });
      await looking;
    },
    gauges: [
      gauge('pay_waiting', 'Work that is past its time, by kind.', one => one.count),
      gauge('pay_waiting_seconds', 'How long the oldest of it is past its time.', one => one.seconds),
    ],
    /** Sentences for the operator, by the last look. */
    remarks: () => waiting.filter(({ seconds }) => seconds >= longSeconds).map(remarkOn),
  };
}

function sum(kind: string, rows: readonly OverdueWork[], now: Date) {
  const late = rows.flatMap(({ count, since }) => {
    const seconds = since === null ? -1 : Math.floor((now.getTime() - since.getTime()) / 1000);
    return count === 0 || seconds < 0 ? [] : [{ count, seconds }];
  });
  return {
    kind,
    count: late.reduce((total, { count }) => total + count, 0),
    seconds: Math.max(0, ...late.map(({ seconds }) => seconds)),
  };
}

function remarkOn({ kind, count, seconds }: Waiting): string {
  return `${kind}: ${count} ${count === 1 ? 'waits' : 'wait'}, the oldest for ${seconds} s`;
}
