import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { createRateLimiter, networkOf, type RateLimiter } from '../../platform/http/access/rate-limit.ts';

export interface RampStarts {
  /** Limits ramps that pages begin, by account and network: each reserves coins. */
  readonly starts: RateLimiter;
}

/** 20 ramps at once from one network (people may share an address), then 10 a minute. No limit if `clientRateLimit` is 0. */
export function limitStarts(clientRateLimit: number): RampStarts {
  return { starts: createRateLimiter(clientRateLimit === 0 ? 0 : 10 / 60, 20) };
}

/** Throws `rate_limited` if a network begins too many ramps with a publishable key. */
export function assertCalm({ starts }: RampStarts, request: FastifyRequest): void {
  const { kind, merchant } = callerOf(request);
  if (kind !== 'publishable' || starts.take(`${networkOf(request.ip)} ${merchant.id}`) >= 0) return;
  throw new PayError('rate_limited', 'Too many ramps were begun from your address. Wait a moment, then try again.', {
    retryAfterSeconds: Math.ceil(1 / starts.perSecond),
  });
}
