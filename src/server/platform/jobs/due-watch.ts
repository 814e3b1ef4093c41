import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import { createDueNames } from '../db/lease.ts';
import type { Sweep } from './sweeper.ts';

const dueWatch = 'sweeps.due';

/** Milliseconds between two looks. Other processes' work, and work that became due with time, waits at most as long. */
const everyMs = 1_000;
/** Milliseconds between two looks while changes follow each other. */
const restMs = 200;

interface DueWatchDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly wake: (sweep: string) => void;
  /** Notices of changes in any process, which may have made work due. */
  readonly live: { subscribeToAll(look: () => void): unknown };
}

/** Wakes the sweeps that have due work. One query a second, and after changes, replaces a query of each sweep. */
export function createDueWatch({ db, clock, wake, live }: DueWatchDeps, sweeps: readonly Sweep[]): Sweep {
  const works = sweeps.flatMap(({ name, due = [] }) => due.map(each => [name, each] as const));
  const findDueNames = createDueNames(db, works);
  live.subscribeToAll(() => wake(dueWatch));
  return {
    name: dueWatch,
    everyMs,
    rest: { ms: restMs, fullBatch: 1 },
    run: async () => {
      for (const name of await findDueNames(clock.now())) wake(name);
      return 0;
    },
  };
}
