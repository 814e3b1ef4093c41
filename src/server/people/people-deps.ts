import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { Scopes } from '../platform/http/access/roles.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Passwords } from './password.ts';

/** Dependencies of the calls for people. */
export interface PeopleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly once: Once;
  readonly scopes: Pick<Scopes, 'testData'>;
  readonly live: Live;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly config: { readonly network: string };
  readonly wake: (sweep: string) => void;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  /** Returns the first merchant, and its usable keys whose text the server knows. */
  readonly testKeys: () => Promise<TestKeys>;
}

/** Whether the server takes real money. Such a server has live mode only. */
export function isLiveOnly({ config }: PeopleDeps): boolean {
  return config.network === 'public';
}
