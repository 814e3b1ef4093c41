import ipaddr from 'ipaddr.js';

/** Limits the requests of each id per second, in this process only. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

const largestSize = 20_000;

/**
 * Makes a token bucket that allows one second's worth, or `burst` requests, at once. `@fastify/rate-limit` counts in
 * fixed windows, which allow twice the rate at their borders. It answers with promises and needs a request, while
 * services use this limiter, too.
 */
export function createRateLimiter(perSecond: number, burst = perSecond) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const refill = perSecond / 1000;
  const fullAfterMs = (burst / perSecond) * 1000;

  /** Drops full buckets, which allow as much as a new one; when none is full, the oldest. */
  function dropFull(now: number): void {
    for (const [id, bucket] of buckets) if (now - bucket.at >= fullAfterMs) buckets.delete(id);
    const [oldest] = buckets.keys();
    if (buckets.size >= largestSize && oldest !== undefined) buckets.delete(oldest);
  }

  return {
    /** Requests per second; 0: no limit. */
    perSecond,
    /** Counts one request. Returns how many are left now, or −1 when it must be refused. */
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

/** Counts wrong guesses per address in windows of a minute. */
export type GuessCounter = ReturnType<typeof createGuessCounter>;

/** Makes a counter that allows `perMinute` guesses. */
export function createGuessCounter(perMinute: number) {
  let counts = new Map<string, number>();
  let windowEnds = 0;
  return {
    /** Returns null, or the seconds to wait. With `of`, visitors behind one address block only that object. */
    count: (address: string, of?: string): number | null => {
      const now = performance.now();
      if (now >= windowEnds || counts.size > largestSize) {
        counts = new Map();
        windowEnds = now + 60_000;
      }
      const network = networkOf(address);
      const id = of === undefined ? network : `${network} ${of}`;
      const guesses = (counts.get(id) ?? 0) + 1;
      counts.set(id, guesses);
      return guesses > perMinute ? Math.max(1, Math.ceil((windowEnds - now) / 1000)) : null;
    },
  };
}

/** An address with the port that some proxies add to it in X-Forwarded-For, IPv6 in brackets then. */
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/** The network of an address: an IPv6 /64, or the IPv4 address without a port. Other text is returned unchanged. */
export function networkOf(from: string): string {
  const [, v6, v4] = withPort.exec(from) ?? [];
  const address = v6 ?? v4 ?? from;
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toNormalizedString().split(':', 4).join(':') : parsed.toString();
}
