import type { FastifyInstance } from 'fastify';
import { registerApi } from './app-api.ts';
import { type AppDeps, type Core, createCore, showsDemo, webhookAddresses } from './app-core.ts';
import { registerSite } from './app-site.ts';
import { createWebhookSweeps } from './events/webhooks.ts';
import { sweepIdempotencyKeys } from './http/idempotency.ts';
import { closeGently, ownUrlOf } from './http/listening.ts';
import { findLinkOwner, findPayer } from './http/payer.store.ts';
import { createGuessCounter, createRateLimiter } from './http/rate-limit.ts';
import { createErrorReport, createRequestLog } from './http/request-log.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { closeStreamsOnDrain } from './http/sse.ts';
import { registerSystemRoutes } from './http/system.routes.ts';
import { invoiceSweeps } from './invoices/invoice.jobs.ts';
import { recurringSweeps } from './invoices/recurring/recurring.jobs.ts';
import { createReminderSweep } from './invoices/reminders/reminder.service.ts';
import { createSweeper, type Sweep, type Sweeper } from './jobs/sweeper.ts';
import { linkSweeps } from './links/link.jobs.ts';
import { tellOfDisabled } from './mail/endpoint-mail.ts';
import { registerSiteRoutes, showNotFound } from './pages/site.routes.ts';
import { paymentSweeps } from './payments/payment.jobs.ts';
import type { Secrets } from './secrets.ts';

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
    look: core.late.look,
    remarks: () =>
      [core.database.writes, core.money, core.payments.readings, core.mail, core.late].flatMap(({ remarks }) =>
        remarks(),
      ),
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
      core.mail.start();
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

function createServer(core: Core): HttpServer {
  const { config, log, metrics, publicUrl, clock, keys, secrets, isDraining } = core;
  return createHttpServer({
    publicUrl,
    isDraining,
    showNotFound,
    trustedProxies: config.trustedProxies,
    report: createErrorReport(log),
    observe: createRequestLog({ log, metrics, logRequests: config.logRequests }),
    auth: {
      ...{ keys, secrets, clock, publicUrl },
      findPayer: (merchantId, paymentId) => findPayer(core.database.db, merchantId, paymentId),
      findLinkOwner: linkId => findLinkOwner(core.database.db, linkId),
      keyLimit: createRateLimiter(config.rateLimit),
      clientLimit: createRateLimiter(config.clientRateLimit),
      wrongKeys: createGuessCounter(wrongKeysPerMinute),
      liveOnly: core.stellar.livemode,
    },
  });
}

const wrongKeysPerMinute = 60;

function createSweeps(core: Core): Sweep[] {
  const { database, clock, secrets, log, live, wake } = core;
  return [
    ...paymentSweeps(core.payments),
    ...linkSweeps(core.payments),
    ...core.money.sweeps,
    ...core.mail.sweeps,
    ...invoiceSweeps(core.payments),
    createReminderSweep(core.payments),
    ...recurringSweeps(core.payments),
    ...createWebhookSweeps({
      ...{ db: database.db, clock, secrets, log, live, wake },
      ...webhookAddresses(core),
      onDisabled: (tx, endpoints) => tellOfDisabled(tx, core, endpoints),
    }),
    { name: 'idempotency.expire', everyMs: 60_000, run: () => sweepIdempotencyKeys(database.db) },
  ];
}
