import type { DeliveryKey } from './delivery-claim.store.ts';

/** How many attempts may be under way in a process. */
export interface FlightLimits {
  /** Attempts that are not slow yet. */
  readonly total: number;
  /** From this age on (milliseconds) an attempt counts as slow and gives its place back: waiting costs next to nothing. */
  readonly slowAfterMs: number;
  /** Attempts of every kind. */
  readonly ceiling: number;
  /** Attempts at one endpoint. */
  readonly perEndpoint: number;
  /** Attempts at one endpoint whose last attempt failed: it shows that it works again with one. */
  readonly perFailingEndpoint: number;
}

/** Counts the attempts under way, so that a hanging endpoint delays only itself. */
export interface Flights {
  /** How many more attempts may begin now. */
  room(): number;
  /** Endpoints that have attempts under way, with how many more each may get. */
  roomByEndpoint(): ReadonlyMap<string, number>;
  takeOff(key: DeliveryKey, failing: boolean): void;
  land(key: DeliveryKey, delivered: boolean): void;
  /** Resolves when nothing is under way. */
  allLanded(): Promise<void>;
}

interface Endpoint {
  flying: number;
  failing: boolean;
}

/** Makes an empty count. */
export function createFlights(limits: FlightLimits): Flights {
  /** When each attempt began, oldest first. */
  const begun = new Map<DeliveryKey, number>();
  const endpoints = new Map<string, Endpoint>();
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
    room: () => Math.max(0, Math.min(limits.total - countYoung(), limits.ceiling - begun.size)),
    roomByEndpoint: () =>
      new Map(
        [...endpoints].map(([id, { flying, failing }]) => [
          id,
          (failing ? limits.perFailingEndpoint : limits.perEndpoint) - flying,
        ]),
      ),
    takeOff: (key, failing) => {
      begun.set(key, performance.now());
      const flying = endpoints.get(key.endpointId)?.flying ?? 0;
      endpoints.set(key.endpointId, { flying: flying + 1, failing });
    },
    land: (key, delivered) => {
      if (!begun.delete(key)) return;
      const endpoint = endpoints.get(key.endpointId);
      if (endpoint === undefined || endpoint.flying === 1) endpoints.delete(key.endpointId);
      else endpoints.set(key.endpointId, { flying: endpoint.flying - 1, failing: !delivered });
      if (begun.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    allLanded: () => (begun.size === 0 ? Promise.resolve() : new Promise(resolve => waiting.push(resolve))),
  };
}
