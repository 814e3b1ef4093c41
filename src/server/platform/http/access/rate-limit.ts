import ipaddr from 'ipaddr.js';

/** Limits the requests per second of each id, in this process only. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

const largestSize = 20_000;

/**
 * Creates a limiter with a token bucket for each id: it refills by `perSecond` tokens a second and holds at most
 * `burst`. `@fastify/rate-limit` has fixed windows, which allow twice the rate at their borders.
 */
export function createRateLimiter(perSecond: number, burst = perSecond) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const refill = perSecond / 1000;
  const fullAfterMs = (burst / perSecond) * 1000;

  /** Removes full buckets, because a new bucket would be full too. If too many buckets remain, removes the oldest. */
  function dropFull(now: number): void {
    for (const [id, bucket] of buckets) if (now - bucket.at >= fullAfterMs) buckets.delete(id);
    const [oldest] = buckets.keys();
    if (buckets.size >= largestSize && oldest !== undefined) buckets.delete(oldest);
  }

  return {
    /** Requests per second. 0 means no limit. */
    perSecond,
    /** Counts one request. Returns the number of remaining requests, or −1 to reject it. */
    take: (id: string): number => {
      if (perSecond === 0) return Number.POSITIVE_INFINITY;
      const now = performance.now();
      const known = buckets.get(id);
      if (known === undefined && buckets.size >= largestSize) dropFull(now);
      const bucket = known ?? { tokens: burst, at: now };
      if (known === undefined) buckets.set(id, bucket);
      bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * refill);
      bucket.at = now;
      if (bucket.tokens < 1) return -1;
      return Math.floor(--bucket.tokens);
    },
  };
}

/**
 * Counts wrong guesses or costly requests of each caller in windows of a minute. A caller is an IP address or an id.
 */
export type GuessCounter = ReturnType<typeof createGuessCounter>;

/** Creates a counter that allows `perMinute` guesses. */
export function createGuessCounter(perMinute: number) {
  let counts = new Map<string, number>();
  let windowEnds = 0;
  return {
    /** Returns null, or the seconds to wait. With `of`, each object has a separate limit for the caller. */
    count: (caller: string, of?: string): number | null => {
      const now = performance.now();
      if (now >= windowEnds || counts.size > largestSize) {
        counts = new Map();
        windowEnds = now + 60_000;
      }
      const network = networkOf(caller);
      const id = of === undefined ? network : `${network} ${of}`;
      const guesses = (counts.get(id) ?? 0) + 1;
      counts.set(id, guesses);
      return guesses > perMinute ? Math.max(1, Math.ceil((windowEnds - now) / 1000)) : null;
    },
  };
}

/** An IP address with a port, which some proxies add in X-Forwarded-For. An IPv6 address is then in brackets. */
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/**
 * The network of an IP address: an IPv6 /64, or the IPv4 address without a port. Returns other texts unchanged.
 * Undefined: the request's connection is closed, so its address is unknown.
 */
export function networkOf(from: string | undefined): string {
  if (from === undefined) return 'unknown';
  const [, v6, v4] = withPort.exec(from) ?? [];
  const address = v6 ?? v4 ?? from;
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toNormalizedString().split(':', 4).join(':') : parsed.toString();
}
