import type { CryptoRail } from '../chains/chain.ts';
import type { Outbound } from '../outbound/outbound.service.ts';
import type { Db } from '../platform/db/database.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { Rates } from '../rates/rates.ts';

export interface BalanceMoveDeps {
  readonly db: Db;
  readonly once: Once;
  readonly rates: Rates;
  /** `conversionHourCap`: whole US dollars that a merchant may convert in an hour; 0: no limit. */
  readonly config: { readonly conversionHourCap: number };
  readonly crypto: readonly CryptoRail[];
  readonly outbound: Outbound;
}
