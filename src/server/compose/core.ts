import type pg from 'pg';
import { shopWebhookUrl } from '../../../demo/mount.ts';
import type { Clock } from '../../core/clock.ts';
import { type ArrivalRateDeps, createArrivalRates } from '../invoices/arrival-rate.service.ts';
import type { InvoiceContext } from '../invoices/invoice-deps.ts';
import { createInvoiceFollower } from '../invoices/invoice-follower.ts';
import { createInvoicePapers } from '../invoices/letters/invoice-papers.ts';
import { tellMailFailed } from '../invoices/letters/letter-failure.ts';
import { createLinkFollower } from '../links/link-follower.ts';
import type { TestKeys } from '../merchants/first-merchant.store.ts';
import { createKeyDirectory, type KeyDirectory } from '../merchants/key-directory.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { createDepositReadings } from '../payments/crypto/deposit-watch.service.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { PaymentFollower } from '../payments/payment-purpose.ts';
import type { Database } from '../platform/db/database.ts';
import { createLive, type Live } from '../platform/events/live.ts';
import { createGuessCounter } from '../platform/http/access/rate-limit.ts';
import { createOnce } from '../platform/http/idempotency/idempotency.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { createSchemaWatch, type SchemaWatch } from '../platform/http/schema-watch.ts';
import type { Log } from '../platform/logging.ts';
import { createMail, type Mail } from '../platform/mail/create-mail.ts';
import { createMetrics, type Gauge, type Metrics } from '../platform/metrics.ts';
import { createSecrets, type Secrets } from '../platform/secrets.ts';
import { createResolve } from '../platform/webhooks/address-guard.ts';
import type { RateSource } from '../rates/rates.ts';
import { createRates } from '../rates/rates.ts';
import type { Config } from '../settings/config.ts';
import { createStellar, type Stellar } from './create-stellar.ts';
import { createLateWatch, type LateWatch } from './overdue-jobs.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { createMoneyOnStellar, type MoneyOnStellar } from './stellar-rail.ts';

/** What the app is made of. */
export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  /** How the database is reached: live updates keep a connection of their own. */
  readonly connection: pg.ClientConfig;
  /** 32 bytes from which every secret is derived. */
  readonly rootSecret: Buffer;
  /** The newest migration that this server knows; what the database is at when left out. */
  readonly schemaVersion?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Base address under which browsers reach the service, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string;
  /** Where prices come from; the sandbox market when left out. */
  readonly rateSource?: RateSource;
  /** The folder of the browser build; null: no pages, the API alone. */
  readonly browserDir: string | null;
  /** The first merchant’s test keys, as far as they are known. */
  readonly testKeys: () => Promise<TestKeys>;
}

/** What looks at the database as a whole. */
interface Watches {
  readonly late: LateWatch;
  readonly schema: SchemaWatch;
}

/** What the modules share. */
export interface Core extends AppDeps, Watches {
  readonly secrets: Secrets;
  readonly live: Live;
  readonly keys: KeyDirectory;
  readonly metrics: Metrics;
  readonly once: Once;
  readonly sandbox: Sandbox;
  readonly stellar: Stellar;
  readonly money: MoneyOnStellar;
  readonly mail: Mail;
  readonly payments: PaymentRouteDeps;
  readonly isDraining: () => boolean;
  readonly wake: (sweep: string) => void;
}

/** What is known of the app only once it is there. */
export interface Later {
  readonly isDraining: () => boolean;
  readonly wake: (sweep: string) => void;
  readonly ownUrl: () => string | null;
}

/** Puts the modules together; what the app itself knows comes with `later`. */
export function createCore(deps: AppDeps, later: Later): Core {
  const { database, clock, log, publicUrl } = deps;
  const { db, pool } = database;
  const secrets = createSecrets(deps.rootSecret);
  const live = createLive({ connection: deps.connection, log });
  const keys = createKeyDirectory({ db, live });
  const once = createOnce({ db, secrets, publicUrl });
  const sandbox = createSandbox({ ...deps, live });
  const stellar = createStellar({
    ...{ config: deps.config, db, secrets, clock, publicUrl },
    sandbox: { horizonUrl: () => `${later.ownUrl()}/sandbox/horizon`, knownAssets: sandbox.rates.wellKnownAssets },
  });
  const rates = createRates(deps.rateSource ?? stellar.rateSource ?? sandbox.rates, clock);
  const shared = {
    ...{ db, pool, clock, secrets, once, live, log, publicUrl, rates, wake: later.wake },
    followers: createFollowers({ db, clock, secrets, publicUrl, rates }),
    findMerchant: (merchantId: string) => requireMerchant(database, merchantId),
  };
  const money = createMoneyOnStellar({
    ...{ payments: shared, log, stellar },
    faucet: deps.config.network === 'sandbox' ? sandbox.faucet : null,
    isReachable: () => deps.config.network !== 'sandbox' || later.ownUrl() !== null,
  });
  const payments: PaymentRouteDeps = {
    ...shared,
    // Where money is real there is no sandbox to charge a card or take a transfer.
    rails: stellar.livemode ? { card: null, banks: [] } : { card: sandbox.card, banks: sandbox.banks },
    crypto: [money.rail],
    readings: createDepositReadings(clock),
    chainQuestions: createGuessCounter(chainQuestionsPerMinute),
  };
  const mail = createMail({
    ...{ ...shared, config: deps.config, documents: createInvoicePapers(shared) },
    onGivenUp: (tx, given) => tellMailFailed(tx, shared, given),
  });
  const watches = createWatches(deps);
  const metrics = createMetrics([...gaugesOf(pool, payments), ...money.gauges, mail.gauge, ...watches.late.gauges]);
  return { ...deps, ...later, ...watches, secrets, live, keys, once, sandbox, stellar, money, mail, payments, metrics };
}

function createWatches({ database: { db }, clock, log, schemaVersion }: AppDeps): Watches {
  const schema = createSchemaWatch({ db, log, known: schemaVersion ?? null });
  return { late: createLateWatch({ db, clock }), schema };
}

type Follows = ArrivalRateDeps & InvoiceContext;

/** The modules for which payments are made, in the order in which they hear of them. */
function createFollowers({ secrets, publicUrl, ...deps }: Follows): PaymentFollower[] {
  return [createLinkFollower({ publicUrl }), createInvoiceFollower({ secrets, publicUrl }, createArrivalRates(deps))];
}

function gaugesOf(pool: pg.Pool, payments: PaymentRouteDeps): Gauge[] {
  return [
    { name: 'pay_database_connections', help: 'Connections to the database.', read: () => pool.totalCount },
    { name: 'pay_database_connections_idle', help: 'Of those, idle ones.', read: () => pool.idleCount },
    { name: 'pay_database_waiting', help: 'Requests that wait for a connection.', read: () => pool.waitingCount },
    {
      name: 'pay_deposits_unread_seconds',
      help: 'Seconds since what payers sent was last read to the end.',
      label: 'chain',
      read: payments.readings.ages,
    },
  ];
}

/** Looks at a wallet and transactions made for one, of each payment. */
const chainQuestionsPerMinute = 30;

async function requireMerchant({ db }: Database, merchantId: string) {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`);
  return merchant;
}

/** Whether the demo shop is part of the site. */
export function showsDemo({ config, browserDir }: AppDeps): boolean {
  return config.demo && config.network !== 'public' && browserDir !== null;
}

/** How webhook addresses are judged and resolved. */
export function webhookAddresses(core: Core) {
  const ownUrl = () => (showsDemo(core) ? shopWebhookUrl(core.publicUrl()) : null);
  return { resolve: createResolve(), allowLoopback: core.config.webhookAllowLoopback, ownUrl };
}
