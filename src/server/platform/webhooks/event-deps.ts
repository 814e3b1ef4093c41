import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../db/database.ts';
import type { Live } from '../events/live.ts';
import type { EventCatalogue } from '../events/sample.ts';
import type { Once } from '../http/idempotency/idempotent-execution.ts';
import type { Secrets } from '../secrets.ts';
import type { AddressRules, Resolve } from './address-guard.ts';

export interface EventRouteDeps extends Omit<AddressRules, 'livemode'> {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly once: Once;
  readonly live: Live;
  readonly events: EventCatalogue;
  readonly resolve: Resolve;
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: () => string;
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
}
