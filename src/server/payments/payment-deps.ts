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
import type { ChangeContext } from './payment-purpose.ts';

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

/** When the service’s accounts were last read for deposits to the end, by whichever server, as far as is known here. */
export interface DepositReadings {
  /** What is known of a chain’s account; null: it was never read. */
  note(chain: string, readAt: Date | null): void;
  /** Seconds since the last reading, by chain. Of one that was never read: since that is known. */
  ages(): ReadonlyMap<string, number>;
  /** What the operator should see to. */
  remarks(): readonly string[];
}
