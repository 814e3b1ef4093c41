import type { Clock } from '../../../core/clock.ts';
import type { Db, Tx } from '../db/database.ts';
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import { judgeAttempt, type Outcome } from './delivery.ts';
import { type ClaimedDelivery, claimDeliveries } from './delivery-claim.store.ts';
import { createFlights, type FlightLimits } from './delivery-concurrency.ts';
import { type AttemptResult, type DisabledEndpoint, writeResults } from './delivery-result.store.ts';
import type { Sender } from './sender.ts';

/** What delivering needs. */
export interface DelivererDeps {
  /** Of the sweep. */
  readonly name: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly sender: Sender;
  readonly log: Log;
  readonly limits: FlightLimits;
  /** How long a claimed delivery is this process's own: longer than an attempt may take. */
  readonly leaseSeconds: number;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  /** Told in the transaction that disables them. */
  readonly onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) => Promise<void>;
  /** Called when an attempt has ended and another may begin. */
  readonly onRoom: () => void;
}

/** How long attempts under way may go on when the process stops, in milliseconds. What is cut off is tried again. */
const graceMs = 5_000;

/** Delivers due events: claims as many as there is room for and runs the attempts in parallel. */
export function createDeliverer(deps: DelivererDeps): Sweep {
  const flights = createFlights(deps.limits);
  const stopping = new AbortController();
  const results = createResultWriter(deps);

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await deps.sender.send(delivery, stopping.signal);
    if (outcome !== null) await results.write(resultOf(delivery, outcome, deps.random()));
    flights.land(delivery.key, outcome?.delivered ?? false);
  }

  return {
    name: deps.name,
    everyMs: 1_000,
    run: async () => {
      const limit = flights.room();
      if (limit === 0 || stopping.signal.aborted) return 0;
      const claim = await claimDeliveries(deps.db, {
        now: deps.clock.now(),
        limit,
        perEndpoint: deps.limits.perEndpoint,
        perFailingEndpoint: deps.limits.perFailingEndpoint,
        room: flights.roomByEndpoint(),
        leaseSeconds: deps.leaseSeconds,
      });
      for (const delivery of claim.deliveries) {
        flights.takeOff(delivery.key, delivery.failing);
        void attempt(delivery)
          .catch(error => {
            flights.land(delivery.key, false);
            deps.log.error({ err: error, delivery: delivery.key.id }, 'the result of a delivery could not be written');
          })
          .finally(deps.onRoom);
      }
      return claim.looked;
    },
    settled: flights.allLanded,
    stop: async () => {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await flights.allLanded();
      clearTimeout(timer);
      await deps.sender.close();
    },
  };
}

/** Writes results together with all that come in while a write is under way. */
function createResultWriter(deps: DelivererDeps): GroupWriter<AttemptResult, null> {
  return createGroupWriter<AttemptResult, null>({
    maxBatch: 200,
    maxParallel: 1,
    write: async batch => {
      const now = deps.clock.now();
      // Only a failure can disable an endpoint; the common batch is one statement.
      const disabled = batch.every(({ status }) => status === 'delivered')
        ? await writeResults(deps.db, batch, now)
        : await deps.db.transaction().execute(async tx => {
            const endpoints = await writeResults(tx, batch, now);
            if (endpoints.length > 0) await deps.onDisabled(tx, endpoints);
            return endpoints;
          });
      for (const { merchantId, endpointId, reason } of disabled) {
        deps.log.warn({ merchantId, endpointId, reason }, 'a webhook endpoint was disabled');
      }
      return batch.map(() => null);
    },
  });
}

function resultOf(delivery: ClaimedDelivery, outcome: Outcome, random: number): AttemptResult {
  const verdict = judgeAttempt(delivery.key.attempt, outcome, random);
  return { key: delivery.key, ...verdict, responseStatus: outcome.responseStatus, error: outcome.error };
}
