import type { Tx } from '../db/database.ts';
import { createGroupWriter } from '../db/group-writer.ts';
import type { Log, Sweep } from '../jobs/sweeper.ts';
import { deliverySweep, judgeAttempt } from './delivery.ts';
import { type ClaimedDelivery, claimDeliveries, waitingEndpoints } from './delivery-claim.store.ts';
import { type AttemptResult, type DisabledEndpoint, writeResults } from './delivery-result.store.ts';
import type { EventRouteDeps } from './event-deps.ts';
import type { Sender } from './sender.ts';

export interface DelivererDeps extends Pick<EventRouteDeps, 'db' | 'clock' | 'wake'> {
  readonly sender: Sender;
  readonly log: Log;
  readonly limits: AttemptLimits;
  /** Seconds of a claimed delivery's lease: longer than an attempt may take. */
  readonly leaseSeconds: number;
  /** Returns a random number from 0 to below 1, which spreads retries. */
  readonly random: () => number;
  /** Called in the transaction that disables the endpoints. */
  readonly onDisabled: (tx: Tx, endpoints: readonly DisabledEndpoint[]) => Promise<void>;
}

/** Milliseconds for which attempts may continue when the process stops. Longer attempts are aborted and repeated. */
const graceMs = 5_000;

/** Delivers due events: claims as many deliveries as `limits` allows, and runs the attempts in parallel. */
export function createDeliverer(deps: DelivererDeps): Sweep {
  const running = createAttemptCounter(deps.limits);
  const stopping = new AbortController();
  const results = createResultWriter(deps);

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await deps.sender.send(delivery, stopping.signal);
    if (outcome !== null) {
      const { responseStatus: response_status, error, body, durationMs: duration_ms } = outcome;
      await results.write({
        ...delivery,
        ...judgeAttempt(delivery.attempts, outcome, deps.random()),
        response_status,
        error,
        body,
        duration_ms,
      });
    }
    running.end(delivery, outcome?.delivered ?? false);
  }

  return {
    name: deliverySweep,
    due: [waitingEndpoints],
    run: async () => {
      const limit = running.room();
      if (limit === 0 || stopping.signal.aborted) return 0;
      const wanted = { now: deps.clock.now(), limit, room: running.roomByEndpoint(), leaseSeconds: deps.leaseSeconds };
      const { looked, deliveries } = await claimDeliveries(deps.db, { ...deps.limits, ...wanted });
      for (const delivery of deliveries) {
        running.begin(delivery);
        void attempt(delivery)
          .catch(error => {
            running.end(delivery, false);
            deps.log.error(
              { err: error, delivery: delivery.delivery_id },
              'the result of a delivery could not be written',
            );
          })
          .finally(() => deps.wake(deliverySweep));
      }
      return looked;
    },
    settled: running.allEnded,
    stop: async () => {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await running.allEnded();
      clearTimeout(timer);
      await deps.sender.close();
    },
  };
}

/** Stores results. Results that arrive during a write share the next write. */
function createResultWriter(deps: DelivererDeps) {
  return createGroupWriter<AttemptResult, null>({
    maxBatch: 200,
    maxParallel: 1,
    write: async batch => {
      const now = deps.clock.now();
      // Only a failure can disable an endpoint, so a batch without failures needs no transaction.
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

/** Maximum numbers of running attempts in a process. */
interface AttemptLimits {
  /** Maximum number of attempts that are not slow. */
  readonly total: number;
  /** Milliseconds after which an attempt is slow. Slow attempts do not count in `total`, because waiting is cheap. */
  readonly slowAfterMs: number;
  /** Maximum number of all attempts, including slow attempts. */
  readonly ceiling: number;
  readonly perEndpoint: number;
  /** Maximum number of attempts at one endpoint whose last attempt failed. */
  readonly perFailingEndpoint: number;
}

/** Counts the running attempts. Limits per endpoint keep a slow endpoint from delaying other endpoints. */
function createAttemptCounter(limits: AttemptLimits) {
  /** The time when each attempt began, oldest first. */
  const begun = new Map<ClaimedDelivery, number>();
  const endpoints = new Map<string, { readonly running: number; readonly failing: boolean }>();
  let waiting: (() => void)[] = [];

  function countNotSlow(): number {
    const slowSince = performance.now() - limits.slowAfterMs;
    let notSlow = begun.size;
    for (const at of begun.values()) {
      if (at > slowSince) break;
      notSlow--;
    }
    return notSlow;
  }

  return {
    room: () => Math.max(0, Math.min(limits.total - countNotSlow(), limits.ceiling - begun.size)),
    /** By endpoint with running attempts: how many more attempts the endpoint may get. */
    roomByEndpoint: () =>
      new Map(
        [...endpoints].map(([id, { running, failing }]) => [
          id,
          (failing ? limits.perFailingEndpoint : limits.perEndpoint) - running,
        ]),
      ),
    begin: (delivery: ClaimedDelivery) => {
      const { endpoint_id: id, failing } = delivery;
      begun.set(delivery, performance.now());
      endpoints.set(id, { running: (endpoints.get(id)?.running ?? 0) + 1, failing });
    },
    end: (delivery: ClaimedDelivery, delivered: boolean) => {
      begun.delete(delivery);
      const { endpoint_id: id } = delivery;
      const running = (endpoints.get(id)?.running ?? 0) - 1;
      if (running > 0) endpoints.set(id, { running, failing: !delivered });
      else endpoints.delete(id);
      if (begun.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    /** Resolves when no attempt is running. */
    allEnded: () => (begun.size === 0 ? Promise.resolve() : new Promise<void>(resolve => waiting.push(resolve))),
  };
}
