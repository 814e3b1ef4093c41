import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../http/access/caller.ts';
import type { Once } from '../http/idempotency/idempotent-execution.ts';
import type { Secrets } from '../secrets.ts';
import type { AddressRules, Resolve } from '../webhooks/address-guard.ts';
import type { Live } from './live.ts';
import type { EventCatalogue } from './sample.ts';

/** What the routes of events and webhooks are given by the composition root. */
export interface EventRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly once: Once;
  readonly live: Live;
  readonly events: EventCatalogue;
  readonly resolve: Resolve;
  /** The setting `PAY_WEBHOOK_ALLOW_LOOPBACK`. */
  readonly allowLoopback: boolean;
  /** The webhook address of the service's own demo shop, which test mode may call on this machine; null without it. */
  readonly ownUrl: () => string | null;
  /** Base address of the service, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Runs the named sweep soon: `sweeper.wake`. */
  readonly wake: (sweep: string) => void;
}

/** Where the caller's webhooks may go. */
export function rulesOf({ livemode }: Caller, { allowLoopback, ownUrl }: EventRouteDeps): AddressRules {
  return { livemode, allowLoopback, ownUrl };
}

/** Whose objects the caller sees. */
export function scopeOf(caller: Caller): { readonly merchantId: string; readonly livemode: boolean } {
  return { merchantId: caller.merchant.id, livemode: caller.livemode };
}
