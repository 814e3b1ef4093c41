import type pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { CryptoRail } from '../chains/chain.ts';
import type { Merchant } from '../merchants/merchant.ts';
import type { Db } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { GuessCounter } from '../platform/http/access/rate-limit.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Rails } from '../rails/rail.ts';
import type { Rates } from '../rates/rates.ts';
import type { DepositReadings } from './crypto/deposit-readings.ts';
import type { ChangeContext } from './payment-follower.ts';

/** What the payments module is given by the composition root. */
export interface PaymentDeps extends ChangeContext {
  readonly db: Db;
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Rates;
  readonly rails: Rails;
  /** Chains on which the service is paid. */
  readonly crypto: readonly CryptoRail[];
  /** When deposits were read last. */
  readonly readings: DepositReadings;
  readonly log: Log;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  /** Runs the named sweep soon, instead of at its next turn. */
  readonly wake: (sweep: string) => void;
}

/** What the payment routes are given besides. */
export interface PaymentRouteDeps extends PaymentDeps {
  readonly once: Once;
  readonly live: Live;
  /** Counts, by payment, what a payer has a chain asked. */
  readonly chainQuestions: GuessCounter;
}
