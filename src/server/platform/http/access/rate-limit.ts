import ipaddr from 'ipaddr.js';

/** Limits the requests of each id per second, in this process only. */
export interface RateLimiter {
  /** Requests per second; 0 means no limit. */
  readonly perSecond: number;
  /** Counts one request. Returns how many are left now, or −1 when it must be refused. */
  take(id: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const largestSize = 20_000;

/**
 * Makes a token bucket that allows one second's worth, or `burst` requests, at once. `monotonicMs` measures elapsed
 * time. `@fastify/rate-limit` counts in fixed windows, which allow twice the rate at their borders. It answers with
 * promises and needs a request, while services use this limiter, too.
 */
export function createRateLimiter(
  perSecond: number,
  monotonicMs = () => performance.now(),
  burst = perSecond,
): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const refill = perSecond / 1000;
  const fullAfterMs = (burst / perSecond) * 1000;

  function bucketOf(id: string, now: number): Bucket {
    const known = buckets.get(id);
    if (known !== undefined) return known;
    if (buckets.size >= largestSize) dropFull(now);
    const fresh = { tokens: burst, at: now };
    buckets.set(id, fresh);
    return fresh;
  }

  /** Drops full buckets, which allow as much as a new one; when none is full, the oldest. */
  function dropFull(now: number): void {
    for (const [id, bucket] of buckets) if (now - bucket.at >= fullAfterMs) buckets.delete(id);
    const [oldest] = buckets.keys();
    if (buckets.size >= largestSize && oldest !== undefined) buckets.delete(oldest);
  }

  return {
    perSecond,
    take: id => {
      if (perSecond === 0) return Number.POSITIVE_INFINITY;
      const now = monotonicMs();
      const bucket = bucketOf(id, now);
      bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * refill);
      bucket.at = now;
      if (bucket.tokens < 1) return -1;
      return Math.floor(--bucket.tokens);
    },
  };
}

/** Counts wrong guesses per address in windows of a minute. */
export interface GuessCounter {
  /**
   * Counts one. Returns null, or the seconds to wait. `of` counts each object separately, so visitors behind one
   * address block only that object.
   */
  count(address: string, of?: string): number | null;
}

/** Makes a counter that allows `perMinute` guesses. */
export function createGuessCounter(perMinute: number, monotonicMs = () => performance.now()): GuessCounter {
  let counts = new Map<string, number>();
  let windowEnds = 0;
  return {
    count: (address, of) => {
      const now = monotonicMs();
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
