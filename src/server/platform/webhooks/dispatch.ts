import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import type { Sweep } from '../jobs/sweeper.ts';
import { dispatchEvents } from './delivery.store.ts';

/** What dispatching needs. */
export interface DispatchDeps {
  /** Of the sweep. */
  readonly name: string;
  readonly db: Db;
  readonly clock: Clock;
  /** Called when there is something to deliver. */
  readonly onDispatched: () => void;
}

const batchSize = 200;

/** Turns events into deliveries. An event and the mark that it was dispatched are one transaction: none is lost, none goes twice. */
export function createDispatch({ name, db, clock, onDispatched }: DispatchDeps): Sweep {
  return {
    name,
    everyMs: 1_000,
    run: async () => {
      const done = await db.transaction().execute(tx => dispatchEvents(tx, batchSize, clock.now()));
      if (done.deliveries > 0) onDispatched();
      return done.events;
    },
  };
}
