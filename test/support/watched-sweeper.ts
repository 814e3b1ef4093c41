import { systemClock } from '../../src/core/clock.ts';
import type { Db } from '../../src/server/platform/db/database.ts';
import { createDueWatch } from '../../src/server/platform/jobs/due-watch.ts';
import { createSweeper, type Log, type Sweep, type Sweeper } from '../../src/server/platform/jobs/sweeper.ts';

/** A sweeper of these sweeps that looks for their due work, as the server's does, by the machine's clock. */
export function createWatchedSweeper({ db, sweeps, log }: { db: Db; sweeps: readonly Sweep[]; log: Log }): Sweeper {
  const live = { subscribeToAll: () => undefined };
  const watch = createDueWatch({ db, live, clock: systemClock, wake: name => sweeper.wake(name) }, sweeps);
  const sweeper = createSweeper({ sweeps: [...sweeps, watch], log });
  return sweeper;
}
