import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { mountDemoShop, shopWebhookUrl } from '../../demo/mount.ts';
import type { Clock } from '../core/clock.ts';
import type { Config } from './config.ts';
import { createStellar, type Stellar } from './create-stellar.ts';
import type { Database } from './db/database.ts';
import { createResolve } from './events/address-guard.ts';
import { registerEndpointRoutes } from './events/endpoint.routes.ts';
import { registerEventRoutes } from './events/event.routes.ts';
import { createLive, type Live } from './events/live.ts';
import { createWebhookSweeps } from './events/webhooks.ts';
import { createOnce, sweepIdempotencyKeys } from './http/idempotency.ts';
import { closeGently, ownUrlOf } from './http/listening.ts';
import type { Once } from './http/once.ts';
import { readPageAssets } from './http/page-assets.ts';
import { registerRefundPage } from './http/page-refund.routes.ts';
import { registerPageRoutes } from './http/pages.routes.ts';
import { findPayer } from './http/payer.store.ts';
import { createGuessCounter, createRateLimiter } from './http/rate-limit.ts';
import { createErrorReport, createRequestLog } from './http/request-log.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { registerSiteRoutes } from './http/site.routes.ts';
import { closeStreamsOnDrain } from './http/sse.ts';
import { serveBrowserFiles } from './http/static-files.ts';
import { registerSystemRoutes } from './http/system.routes.ts';
import { createSweeper, type Sweep, type Sweeper } from './jobs/sweeper.ts';
import { registerBalanceRoutes } from './ledger/balance.routes.ts';
import type { Log } from './logging.ts';
import { registerAccountRoutes } from './merchants/account.routes.ts';
import { registerApiKeyRoutes } from './merchants/api-key.routes.ts';
import type { TestKeys } from './merchants/first-merchant.store.ts';
import { createKeyDirectory, type KeyDirectory } from './merchants/key-directory.ts';
import { findMerchant } from './merchants/merchant.store.ts';
import { registerTestClockRoutes } from './merchants/test-clock.routes.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createMoneyOnStellar, type MoneyOnStellar } from './money-on-stellar.ts';
import { registerCardFrameRoutes } from './payments/card-frame.routes.ts';
import { paymentSweeps } from './payments/payment.jobs.ts';
import { registerPaymentRoutes } from './payments/payment.routes.ts';
import type { PaymentKey } from './payments/payment.store.ts';
import { registerPaymentCreateRoutes } from './payments/payment-create.routes.ts';
import type { PaymentRouteDeps } from './payments/payment-deps.ts';
import { resumeSettlements } from './payments/payment-settlement.store.ts';
import { registerPaymentStreamRoutes } from './payments/payment-stream.routes.ts';
import { findPublicPayment } from './payments/public-payment.service.ts';
import { registerRefundRoutes } from './payments/refund.routes.ts';
import { claimRefund, findClaim } from './payments/refund-claim.service.ts';
import { registerTransferRoutes } from './payments/transfer.routes.ts';
import { registerWalletTransactionRoutes } from './payments/wallet-transaction.routes.ts';
import type { RateSource } from './rates/rate-source.ts';
import { registerRateRoutes } from './rates/rates.routes.ts';
import { createRates } from './rates/rates.ts';
import { createSandbox, registerSandbox, type Sandbox } from './sandbox.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { registerStellarToml } from './stellar/stellar-toml.routes.ts';

/** What the app is made of. */
export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  /** How the database is reached: live updates keep a connection of their own. */
  readonly connection: pg.ClientConfig;
  /** 32 bytes from which every secret is derived. */
  readonly rootSecret: Buffer;
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

/** The service, put together and ready to listen. */
export interface App {
  readonly http: FastifyInstance;
  readonly sweeper: Sweeper;
  readonly secrets: Secrets;
  /** Follows changes and, where the role says so, does time-driven work. */
  start(): Promise<void>;
  /** Says on /readyz that no more requests should come, finishes those under way, and ends all work. */
  stop(): Promise<void>;
}

/** What the modules share. */
interface Core extends AppDeps {
  readonly secrets: Secrets;
  readonly live: Live;
  readonly keys: KeyDirectory;
  readonly metrics: Metrics;
  readonly once: Once;
  readonly sandbox: Sandbox;
  readonly stellar: Stellar;
  readonly money: MoneyOnStellar;
  readonly payments: PaymentRouteDeps;
  readonly isDraining: () => boolean;
  readonly wake: (sweep: string) => void;
}

/** The composition root: the only place that knows every module and which adapters are used. */
export async function createApp(deps: AppDeps): Promise<App> {
  let isDraining = false;
  const core = createCore(deps, {
    isDraining: () => isDraining,
    wake: sweep => sweeper.wake(sweep),
    ownUrl: () => ownUrlOf(http),
  });
  const sweeper = createSweeper({ sweeps: createSweeps(core), log: deps.log, metrics: core.metrics });
  const { http, descriptions } = createServer(core);
  registerSystemRoutes(http, {
    ...{ db: deps.database.db, metrics: core.metrics, isDraining: core.isDraining },
    remarks: core.money.remarks,
  });
  if (deps.config.network === 'sandbox') await core.sandbox.stellar.register(http);
  if (deps.config.role !== 'worker') {
    closeStreamsOnDrain(http);
    await registerApi(http, core, sweeper);
    const site = { publicUrl: deps.publicUrl, testKeys: deps.testKeys, demo: showsDemo(deps) };
    registerSiteRoutes(http, { ...site, routes: () => descriptions });
    if (deps.browserDir !== null) await registerSite(http, core, deps.browserDir);
  }
  await http.ready();
  return {
    http,
    sweeper,
    secrets: core.secrets,
    start: async () => {
      await core.live.start();
      if (deps.config.network === 'sandbox') await core.sandbox.stellar.start();
      if (deps.config.role !== 'api') sweeper.start();
    },
    stop: async () => {
      isDraining = true;
      await closeGently(http);
      await sweeper.stop();
      core.stellar.close();
      await core.sandbox.stellar.stop();
      core.keys.close();
      await core.live.stop();
    },
  };
}

/** What is known of the app only once it is there. */
interface Later {
  readonly isDraining: () => boolean;
  readonly wake: (sweep: string) => void;
  readonly ownUrl: () => string | null;
}

function createCore(deps: AppDeps, later: Later): Core {
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
  const shared = {
    ...{ db, pool, clock, secrets, once, live, log, publicUrl, wake: later.wake },
    rates: createRates(deps.rateSource ?? stellar.rateSource ?? sandbox.rates, clock),
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
  };
  const metrics = createMetrics([
    { name: 'pay_database_connections', help: 'Connections to the database.', read: () => pool.totalCount },
    { name: 'pay_database_connections_idle', help: 'Of those, idle ones.', read: () => pool.idleCount },
    { name: 'pay_database_waiting', help: 'Requests that wait for a connection.', read: () => pool.waitingCount },
    { ...money.gauge, help: 'What the treasury could send, in whole units.' },
  ]);
  return { ...deps, ...later, secrets, live, keys, once, sandbox, stellar, money, payments, metrics };
}

async function requireMerchant({ db }: Database, merchantId: string) {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`);
  return merchant;
}

function createServer(core: Core): HttpServer {
  const { config, log, metrics, publicUrl, clock, keys, secrets, isDraining } = core;
  return createHttpServer({
    publicUrl,
    isDraining,
    trustedProxies: config.trustedProxies,
    report: createErrorReport(log),
    observe: createRequestLog({ log, metrics, logRequests: config.logRequests }),
    auth: {
      ...{ keys, secrets, clock, publicUrl },
      findPayer: (merchantId, paymentId) => findPayer(core.database.db, merchantId, paymentId),
      keyLimit: createRateLimiter(config.rateLimit),
      clientLimit: createRateLimiter(config.clientRateLimit),
      wrongKeys: createGuessCounter(wrongKeysPerMinute),
      liveOnly: core.stellar.livemode,
    },
  });
}

const wrongKeysPerMinute = 60;

async function registerApi(http: FastifyInstance, core: Core, sweeper: Sweeper): Promise<void> {
  const { database, clock, keys, once, payments, live, secrets, publicUrl, wake } = core;
  const { db } = database;
  registerPaymentCreateRoutes(http, payments);
  registerPaymentRoutes(http, payments);
  registerRefundRoutes(http, payments);
  registerTransferRoutes(http, payments);
  registerWalletTransactionRoutes(http, payments);
  registerPaymentStreamRoutes(http, payments);
  registerBalanceRoutes(http, { db, once });
  registerRateRoutes(http, payments);
  const events = { db, clock, secrets, once, live, publicUrl, wake, ...webhookAddresses(core) };
  registerEndpointRoutes(http, events);
  registerEventRoutes(http, events);
  registerAccountRoutes(http, {
    ...{ db, keys, onAddress: resumeSettlements },
    assertAsset: (text, param) => void payments.rates.asset(text, param),
  });
  registerApiKeyRoutes(http, { db, once, keys });
  registerStellarToml(http, {
    passphrase: core.stellar.network.passphrase,
    uriSigningKey: core.stellar.uriSigningKey,
    accounts: [core.stellar.signer.treasury],
  });
  if (core.stellar.livemode) return;
  registerTestClockRoutes(http, { once, clock, keys, afterClockMove: () => catchUp(sweeper, core.log) });
  await registerSandbox(http, core);
}

/** Longest wait for what a move of the test clock brings about, in milliseconds; the rest goes on afterwards. */
const catchUpMs = 3_000;

async function catchUp(sweeper: Sweeper, log: Log): Promise<void> {
  const done = sweeper.runAll().catch(error => log.error({ err: error }, 'a sweep after a clock move failed'));
  await Promise.race([done, sleep(catchUpMs, undefined, { ref: false })]);
}

function showsDemo({ config, browserDir }: AppDeps): boolean {
  return config.demo && config.network !== 'public' && browserDir !== null;
}

async function registerSite(http: FastifyInstance, core: Core, browserDir: string): Promise<void> {
  const { secrets, clock, publicUrl, database, payments } = core;
  const assets = readPageAssets(browserDir);
  const find = {
    findMerchant: (merchantId: string) => findMerchant(database.db, merchantId),
    findPublicPayment: (key: PaymentKey) => findPublicPayment(payments, key),
  };
  registerPageRoutes(http, { secrets, assets, publicUrl, ...find });
  await registerRefundPage(http, {
    ...{ secrets, assets, findMerchant: find.findMerchant },
    findClaim: ids => findClaim(payments, ids),
    claim: (ids, target) => claimRefund(payments, ids, target),
  });
  const { card } = payments.rails;
  if (card !== null) registerCardFrameRoutes(http, { secrets, clock, card, assets, publicUrl, ...find });
  if (showsDemo(core)) mountDemoShop(http, { browserDir, publicUrl, testKeys: core.testKeys });
  await serveBrowserFiles(http, browserDir, showsDemo(core) ? [] : ['demo/**']);
}

function webhookAddresses(core: Core) {
  const ownUrl = () => (showsDemo(core) ? shopWebhookUrl(core.publicUrl()) : null);
  return { resolve: createResolve(), allowLoopback: core.config.webhookAllowLoopback, ownUrl };
}

function createSweeps(core: Core): Sweep[] {
  const { database, clock, secrets, log, live, wake } = core;
  return [
    ...paymentSweeps(core.payments),
    ...core.money.sweeps,
    ...createWebhookSweeps({
      ...{ db: database.db, clock, secrets, log, live, wake },
      ...webhookAddresses(core),
    }),
    { name: 'idempotency.expire', everyMs: 60_000, run: () => sweepIdempotencyKeys(database.db) },
  ];
}
