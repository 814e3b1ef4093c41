import type { Clock } from '../../../core/clock.ts';
import type { Db, Tx } from '../db/database.ts';
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import { judgeAttempt, type Outcome } from './delivery.ts';
import { type ClaimedDelivery, claimDeliveries, type DeliveryKey } from './delivery-claim.store.ts';
import { type AttemptResult, type DisabledEndpoint, writeResults } from './delivery-result.store.ts';
import type { Sender } from './sender.ts';

interface DelivererDeps {
  /** Of the sweep. */
  readonly name: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly sender: Sender;
  readonly log: Log;
  readonly limits: FlightLimits;
  /** The lease of a claimed delivery: longer than an attempt may take. */
  readonly leaseSeconds: number;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  /** Told in the transaction that disables them. */
  readonly onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) => Promise<void>;
  /** Called when an attempt has ended and another may begin. */
  readonly onRoom: () => void;
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

/** Results that arrive during a write are written together. */
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

/** How many attempts may be under way in a process. */
export interface FlightLimits {
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
  const begun = new Map<DeliveryKey, number>();
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
    takeOff: (key: DeliveryKey, failing: boolean) => {
      begun.set(key, performance.now());
      const flying = endpoints.get(key.endpointId)?.flying ?? 0;
      endpoints.set(key.endpointId, { flying: flying + 1, failing });
    },
    land: (key: DeliveryKey, delivered: boolean) => {
      if (!begun.delete(key)) return;
      const endpoint = endpoints.get(key.endpointId);
      if (endpoint === undefined || endpoint.flying === 1) endpoints.delete(key.endpointId);
      else endpoints.set(key.endpointId, { flying: endpoint.flying - 1, failing: !delivered });
      if (begun.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    /** Resolves when no attempt is under way. */
    allLanded: () => (begun.size === 0 ? Promise.resolve() : new Promise<void>(resolve => waiting.push(resolve))),
  };
}
