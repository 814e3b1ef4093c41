import type { FastifyInstance } from 'fastify';
import { registerApi } from './compose/api.ts';
import { type AppDeps, type Core, createCore, showsDemo, webhookAddresses } from './compose/core.ts';
import { registerSite } from './compose/site.ts';
import { invoiceSweeps } from './invoices/invoice.jobs.ts';
import { recurringSweeps } from './invoices/recurring/recurring.jobs.ts';
import { createReminderSweep } from './invoices/reminders/reminder.service.ts';
import { linkSweeps } from './links/link.jobs.ts';
import { paymentSweeps } from './payments/payment.jobs.ts';
import { createForwardedWatch, type ForwardedWatch } from './platform/http/access/forwarded-watch.ts';
import { findLinkOwner, findPayer } from './platform/http/access/payer.store.ts';
import { createGuessCounter, createRateLimiter } from './platform/http/access/rate-limit.ts';
import { sweepIdempotencyKeys } from './platform/http/idempotency/idempotency.ts';
import { closeGently, ownUrlOf } from './platform/http/listening.ts';
import { createErrorReport, createRequestLog } from './platform/http/request-log.ts';
import { createHttpServer, type HttpServer } from './platform/http/server.ts';
import { closeStreamsOnDrain } from './platform/http/sse.ts';
import { registerSystemRoutes } from './platform/http/system.routes.ts';
import { createSweeper, type Sweep, type Sweeper } from './platform/jobs/sweeper.ts';
import { tellOfDisabled } from './platform/mail/endpoint-mail.ts';
import { registerSiteRoutes, showNotFound } from './platform/pages/site.routes.ts';
import type { Secrets } from './platform/secrets.ts';
import { createWebhookSweeps } from './platform/webhooks/webhooks.ts';

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
  const forwarded = createForwardedWatch(deps.log);
  const { http, descriptions } = createServer(core, forwarded);
  registerSystemRoutes(http, {
    ...{ schema: core.schema, metrics: core.metrics, isDraining: core.isDraining },
    look: core.late.look,
    remarks: () => [...remarksOf(core), ...forwarded.remarks()],
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
    start: () => start(core, sweeper),
    stop: async () => {
      isDraining = true;
      core.schema.stop();
      // Beside each other: each may need most of the time that a process has to stop.
      await Promise.all([closeGently(http), sweeper.stop()]);
      core.stellar.close();
      await core.sandbox.stellar.stop();
      core.keys.close();
      await core.live.stop();
    },
  };
}

async function start({ config, mail, schema, live, sandbox }: Core, sweeper: Sweeper): Promise<void> {
  mail.start();
  await schema.start();
  await live.start();
  if (config.network === 'sandbox') await sandbox.stellar.start();
  if (config.role !== 'api') sweeper.start();
}

function remarksOf({ schema, database: { writes }, money, payments: { readings }, mail, late }: Core): string[] {
  return [schema, writes, money, readings, mail, late].flatMap(({ remarks }) => remarks());
}

function createServer(core: Core, forwarded: ForwardedWatch): HttpServer {
  const { config, log, metrics, publicUrl, clock, keys, secrets, isDraining, schema } = core;
  const observe = createRequestLog({ log, metrics, logRequests: config.logRequests });
  return createHttpServer({
    publicUrl,
    isDraining,
    isOutdated: schema.isTooNew,
    showNotFound,
    trustedProxies: config.trustedProxies,
    report: createErrorReport(log),
    observe: (request, reply) => {
      observe(request, reply);
      forwarded.look(request);
    },
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
  const sweeps: Sweep[] = [
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
  return sweeps.map(sweep => ({ ...sweep, run: async () => (core.schema.isTooNew() ? 0 : await sweep.run()) }));
}
