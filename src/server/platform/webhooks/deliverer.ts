import type { Tx } from '../db/database.ts';
import { createGroupWriter } from '../db/group-writer.ts';
import type { EventRouteDeps } from '../events/event-deps.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import { deliverySweep, judgeAttempt } from './delivery.ts';
import { type ClaimedDelivery, claimDeliveries } from './delivery-claim.store.ts';
import { type AttemptResult, type DisabledEndpoint, writeResults } from './delivery-result.store.ts';
import type { Sender } from './sender.ts';

/** What attempts need. */
export interface DelivererDeps extends Pick<EventRouteDeps, 'db' | 'clock' | 'wake'> {
  readonly sender: Sender;
  readonly log: Log;
  readonly limits: FlightLimits;
  /** The lease of a claimed delivery: longer than an attempt may take. */
  readonly leaseSeconds: number;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  /** Told in the transaction that disables them. */
  readonly onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) => Promise<void>;
}

/** How long attempts may go on when the process stops, in milliseconds. Attempts cut off are repeated. */
const graceMs = 5_000;

/** Delivers due events: claims as many as there is room for and runs the attempts in parallel. */
export function createDeliverer(deps: DelivererDeps): Sweep {
  const flights = createFlights(deps.limits);
  const stopping = new AbortController();
  const results = createResultWriter(deps);

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await deps.sender.send(delivery, stopping.signal);
    if (outcome !== null) {
      const { responseStatus: response_status, error } = outcome;
      await results.write({
        ...delivery,
        ...judgeAttempt(delivery.attempts, outcome, deps.random()),
        response_status,
        error,
      });
    }
    flights.land(delivery, outcome?.delivered ?? false);
  }

  return {
    name: deliverySweep,
    everyMs: 1_000,
    run: async () => {
      const limit = flights.room();
      if (limit === 0 || stopping.signal.aborted) return 0;
      const wanted = { now: deps.clock.now(), limit, room: flights.roomByEndpoint(), leaseSeconds: deps.leaseSeconds };
      const { looked, deliveries } = await claimDeliveries(deps.db, { ...deps.limits, ...wanted });
      for (const delivery of deliveries) {
        flights.takeOff(delivery);
        void attempt(delivery)
          .catch(error => {
            flights.land(delivery, false);
            deps.log.error(
              { err: error, delivery: delivery.delivery_id },
              'the result of a delivery could not be written',
            );
          })
          .finally(() => deps.wake(deliverySweep));
      }
      return looked;
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

/** Results that arrive during a write are written together. */
function createResultWriter(deps: DelivererDeps) {
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

/** How many attempts may be under way in a process. */
interface FlightLimits {
  /** Attempts that are not slow yet. */
  readonly total: number;
  /** From this age on (milliseconds) an attempt is slow and no longer counts in `total`: waiting costs next to nothing. */
  readonly slowAfterMs: number;
  /** Attempts of every kind. */
  readonly ceiling: number;
  /** Attempts at one endpoint. */
  readonly perEndpoint: number;
  /** Attempts at one endpoint whose last attempt failed. */
  readonly perFailingEndpoint: number;
}

/** Counts the attempts under way, so that a hanging endpoint delays only itself. */
function createFlights(limits: FlightLimits) {
  /** When each attempt began, oldest first. */
  const begun = new Map<ClaimedDelivery, number>();
  const endpoints = new Map<string, { readonly flying: number; readonly failing: boolean }>();
  let waiting: (() => void)[] = [];

  function countYoung(): number {
    const slowSince = performance.now() - limits.slowAfterMs;
    let young = begun.size;
    for (const at of begun.values()) {
      if (at > slowSince) break;
      young--;
    }
    return young;
  }

  return {
    /** How many more attempts may begin now. */
    room: () => Math.max(0, Math.min(limits.total - countYoung(), limits.ceiling - begun.size)),
    /** Endpoints with attempts under way, and how many more each may get. */
    roomByEndpoint: () =>
      new Map(
        [...endpoints].map(([id, { flying, failing }]) => [
          id,
          (failing ? limits.perFailingEndpoint : limits.perEndpoint) - flying,
        ]),
      ),
    takeOff: (delivery: ClaimedDelivery) => {
      const { endpoint_id: id, failing } = delivery;
      begun.set(delivery, performance.now());
      endpoints.set(id, { flying: (endpoints.get(id)?.flying ?? 0) + 1, failing });
    },
    land: (delivery: ClaimedDelivery, delivered: boolean) => {
      begun.delete(delivery);
      const { endpoint_id: id } = delivery;
      const flying = (endpoints.get(id)?.flying ?? 0) - 1;
      if (flying > 0) endpoints.set(id, { flying, failing: !delivered });
      else endpoints.delete(id);
      if (begun.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    /** Resolves when no attempt is under way. */
    allLanded: () => (begun.size === 0 ? Promise.resolve() : new Promise<void>(resolve => waiting.push(resolve))),
  };
}
