import type { Clock } from '../../core/clock.ts';
import type { Db } from './db/database.ts';
import type { Gauge } from './metrics.ts';

/** Work of a kind that is past its time: how much, and since when the oldest waits. */
export interface OverdueWork {
  readonly count: number;
  /** Null where there is none. */
  readonly since: Date | null;
}

/** Finds the work of one kind that is past its time at `now`, in few rows. Work due only on a test clock is left out. */
export type OverdueCheck = (db: Db, now: Date) => Promise<readonly OverdueWork[]>;

/** Looks for overdue work in every role, so that it also notices when no process does such work. */
export interface OverdueWatch {
  /** Looks, unless the last look is fresh; calls at the same time share one look. Rejects while the database is away. */
  look(): Promise<void>;
  /** What the metrics page shows of the last look. */
  readonly gauges: readonly Gauge[];
  /** What the operator should see to, by the last look. */
  readonly remarks: () => readonly string[];
}

/** Longer than a burst of work, a pause of a server or a deployment explains, in seconds. */
const longSeconds = 900;
/** How long a look counts, in milliseconds. */
const freshMs = 10_000;

interface Waiting {
  readonly kind: string;
  readonly count: number;
  readonly seconds: number;
}

/** Makes the watch; `checks` are by kind of work. */
export function createOverdueWatch(
  checks: Readonly<Record<string, OverdueCheck>>,
  { db, clock }: { readonly db: Db; readonly clock: Clock },
): OverdueWatch {
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
    remarks: () => waiting.filter(({ seconds }) => seconds >= longSeconds).map(remarkOn),
  };
}

function sum(kind: string, rows: readonly OverdueWork[], now: Date): Waiting {
  const late = rows
    .flatMap(({ count, since }) =>
      count === 0 || since === null ? [] : [{ count, seconds: secondsSince(since, now) }],
    )
    .filter(({ seconds }) => seconds >= 0);
  return {
    kind,
    count: late.reduce((total, { count }) => total + count, 0),
    seconds: Math.max(0, ...late.map(({ seconds }) => seconds)),
  };
}

function secondsSince(since: Date, now: Date): number {
  return Math.floor((now.getTime() - since.getTime()) / 1000);
}

function remarkOn({ kind, count, seconds }: Waiting): string {
  return `${kind}: ${count} ${count === 1 ? 'waits' : 'wait'}, the oldest for ${seconds} s`;
}
