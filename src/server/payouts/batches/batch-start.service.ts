import type { Clock } from '../../../core/clock.ts';
import { changeRow } from '../../platform/events/change.ts';
import { runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import { startPayouts } from '../actions.service.ts';
import { lockBatches } from '../payout.store.ts';
import { batchResource } from '../payout.ts';
import { payoutSweep } from '../sending/payout-queue.service.ts';
import { type DueBatch, dueBatches, findDueBatches, lockBatchPayouts } from './batch.store.ts';
import { type RunDeps, runOnce } from './recurring-run.service.ts';

export interface BatchStartDeps extends RunDeps {
  readonly clock: Clock;
  readonly wake: (sweep: string) => void;
}

/** The sweep that starts scheduled batches, and creates the runs of recurring batches. */
export const batchSweep = 'payouts.batches';

/** Starts due batches, each in its own transaction. Creates at most one run of a recurring batch per sweep. */
export function createBatchSweep(deps: BatchStartDeps): Sweep {
  return {
    name: batchSweep,
    due: [dueBatches],
    run: async () => {
      const due = await findDueBatches(deps.db, { now: deps.clock.now(), limit: 20 });
      await runEach(due, one => (one.isRecurring ? runOnce(deps, one) : start(deps, one)));
      if (due.length > 0) deps.wake(payoutSweep);
      return due.length;
    },
  };
}

async function start(deps: BatchStartDeps, { merchant_id: merchantId, id, clock: now }: DueBatch): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const payouts = await lockBatchPayouts(tx, merchantId, id);
    const [batch] = await lockBatches(tx, merchantId, [id]);
    // Another server or the merchant has changed the batch.
    if (batch?.status !== 'scheduled' || batch.due_at === null || batch.due_at > now) return;
    await startPayouts(tx, deps, payouts, now);
    await changeRow(tx, batchResource, deps, batch, { to: 'processing', set: { due_at: null }, now });
  });
}
