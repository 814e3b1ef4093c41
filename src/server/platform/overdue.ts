import type { Clock } from '../../core/clock.ts';
import type { Db } from './db/database.ts';
import type { Gauge } from './metrics.ts';

/** Overdue work of a kind: the number of items, and the time when the oldest item began to wait. */
export interface OverdueWork {
  readonly count: number;
  readonly since: Date | null;
}

/** Finds the overdue work of one kind at `now`. The caller adds the rows up. Omits work due only on a test clock. */
export type OverdueCheck = (db: Db, now: Date) => Promise<readonly OverdueWork[]>;

/** Seconds after which a wait is reported. Bursts of work and deployments take less. */
const longSeconds = 900;
/** Milliseconds for which a result is reused. */
const freshMs = 10_000;

type Waiting = ReturnType<typeof sum>;

/** Watches for overdue work in processes of every role. API servers therefore notice that no worker runs. */
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
    name,
    help,
    label: 'kind',
    read: () => new Map(waiting.map(one => [one.kind, of(one)])),
  });
  return {
    /** Checks, unless the last result is recent. Concurrent calls share one check. Rejects during a database outage. */
    refresh: async () => {
      // `Math.abs`, because a clock may also be set back.
      if (Math.abs(clock.now().getTime() - lookedAt) < freshMs) return;
      looking ??= read().finally(() => {
        looking = null;
      });
      await looking;
    },
    gauges: [
      gauge('pay_waiting', 'Overdue work items, by kind.', one => one.count),
      gauge('pay_waiting_seconds', 'Seconds by which the oldest work item is overdue, by kind.', one => one.seconds),
    ],
    /** Messages for the operator, from the last check. */
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
