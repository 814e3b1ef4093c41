import type { SettlementDestination } from '../../api/payout.ts';
import type { Clock } from '../../core/clock.ts';
import type { CryptoRail } from '../chains/chain.ts';
import type { Outbound } from '../outbound/outbound.service.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import type { Live } from '../platform/events/live.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import type { GuessCounter } from '../platform/http/access/rate-limit.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import type { Merchant, MerchantScope } from '../platform/merchant.ts';
import type { PageDeps } from '../platform/pages/static-files.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Rails } from '../rails/rails.ts';
import type { Rates } from '../rates/rates.ts';
import type { ChangeContext } from './payment-purpose.ts';
import type { TopUpTransfer } from './transfer.store.ts';

/** The services that payments need. */
export interface PaymentDeps extends ChangeContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Rates;
  readonly rails: Rails;
  readonly ownedPayouts: SettlementPaths;
  /** Chains on which payers can pay. */
  readonly crypto: readonly CryptoRail[];
  readonly readings: DepositReadings;
  readonly topUps: TopUps;
  /** The queue of outbound transfers. */
  readonly outbound: Outbound;
  readonly log: Log;
  /** Base URL of the service, without a final slash. */
  readonly publicUrl: () => string;
  readonly hosts: PageHosts;
  readonly findMerchant: (merchantId: string) => Promise<Merchant>;
  /** Runs the named sweep soon, instead of at its next interval. */
  readonly wake: (sweep: string) => void;
}

/** Whether settlements in a currency can be paid (`payouts/`). */
interface SettlementPaths {
  routeOf(destination: SettlementDestination, currency: string): object | null;
}

export interface PaymentRouteDeps extends PaymentDeps {
  readonly once: Once;
  readonly live: Live;
  /** The customer with this id. Null if the merchant has none in this mode. */
  readonly findCustomer: (scope: MerchantScope, id: string) => Promise<{ email: string; name: string | null } | null>;
  /** When the open ones among these settlements in a currency are paid out next, by id (`settlement/`). */
  readonly openSettlementTimes: (
    db: Executor,
    merchantId: string,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, Date | null>>;
  /** Counts the chain requests of payers, by payment. */
  readonly chainQuestions: GuessCounter;
}

export type PaymentPageDeps = PaymentDeps & PageDeps;

/** The time of the last complete reading of each chain's service accounts by any server, as this process knows it. */
export interface DepositReadings {
  /** Records the last reading of a chain's account. Null if the account was never read. */
  note(chain: string, readAt: Date | null): void;
  /** Seconds since the last reading, by chain. For an account that was never read, seconds since the first `note`. */
  ages(): ReadonlyMap<string, number>;
  /** Messages about problems, for the operator. */
  remarks(): readonly string[];
}

/** Top-ups of balances. The readers of banks and chains credit money that names one. */
export interface TopUps {
  /** The id of the merchant's top-up with one of these bank references, or null. */
  findByReference(tx: Tx, merchantId: string, rail: string, references: readonly string[]): Promise<string | null>;
  /** Credits a transfer to the available balance, or stores it as unmatched. Throws `invalid_amount` above the maximum. */
  credit(tx: Tx, merchant: Merchant, topUpId: string, transfer: TopUpTransfer): Promise<void>;
}
