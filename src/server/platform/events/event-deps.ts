import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../http/access/caller.ts';
import type { Once } from '../http/idempotency/idempotent-execution.ts';
import type { Secrets } from '../secrets.ts';
import type { AddressRules, Resolve } from '../webhooks/address-guard.ts';
import type { Live } from './live.ts';
import type { EventCatalogue } from './sample.ts';

/** What the routes of events and webhooks are given by the composition root. */
export interface EventRouteDeps extends Omit<AddressRules, 'livemode'> {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly once: Once;
  readonly live: Live;
  readonly events: EventCatalogue;
  readonly resolve: Resolve;
  /** Base address of the service, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Runs the named sweep soon: `sweeper.wake`. */
  readonly wake: (sweep: string) => void;
}

/** Whose objects the caller sees. */
export function scopeOf(caller: Caller): { readonly merchantId: string; readonly livemode: boolean } {
  return { merchantId: caller.merchant.id, livemode: caller.livemode };
}
