import type { Clock } from '../../../core/clock.ts';
import type { FiatSettlements } from '../../payments/settling/fiat-settlement.service.ts';
import type { DirectRoute } from '../../payouts/owned/direct-route.ts';
import type { OwnedPayouts } from '../../payouts/owned/owned-payout.service.ts';
import type { Db, Executor } from '../../platform/db/database.ts';
import type { Once } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import type { Merchant } from '../../platform/merchant.ts';

/** What settlement in currencies needs. */
export interface FiatDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly once: Once;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  readonly findMerchants: (db: Executor, ids: readonly string[]) => Promise<ReadonlyMap<string, Merchant>>;
  readonly fiatSettlements: FiatSettlements;
  readonly ownedPayouts: OwnedPayouts;
}

/** How the account's destination is paid in the currency. Null: it has no destination, or no rail pays it. */
export function routeTo(
  { ownedPayouts }: Pick<FiatDeps, 'ownedPayouts'>,
  { settlementDestination: destination }: Merchant,
  currency: string,
): DirectRoute | null {
  return destination === null ? null : ownedPayouts.routeOf(destination, currency);
}
