import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalPurpose } from './approvals/approval.ts';
import { approvals } from './approvals/module.ts';
import { balance } from './balance/module.ts';
import { capabilities } from './capabilities/module.ts';
import { adapters } from './compose/adapters.ts';
import { type AppDeps, createBase } from './compose/core.ts';
import { demo, showsDemo } from './compose/demo.ts';
import { identity } from './compose/identity.ts';
import { sandbox } from './compose/sandbox.ts';
import { customers } from './customers/module.ts';
import { domains } from './domains/module.ts';
import { invoices } from './invoices/module.ts';
import { kyc } from './kyc/module.ts';
import { ledger } from './ledger/module.ts';
import { links } from './links/module.ts';
import { merchants } from './merchants/module.ts';
import { outbound } from './outbound/module.ts';
import type { OutboundPurpose } from './outbound/outbound.ts';
import { payments } from './payments/module.ts';
import type { PaymentPurpose } from './payments/payment-purpose.ts';
import { payouts } from './payouts/module.ts';
import type { PayoutOwner } from './payouts/payout-owner.ts';
import { people } from './people/module.ts';
import { isOpenSandbox } from './people/session/sign-in.service.ts';
import { createEventCatalogue } from './platform/events/sample.ts';
import type { GuestCredential } from './platform/http/access/guest.ts';
import { createGuessCounter, createRateLimiter } from './platform/http/access/rate-limit.ts';
import { createScopes } from './platform/http/access/roles.ts';
import { createForwardedWatch, type ForwardedWatch } from './platform/http/access/visitor.ts';
import { requests } from './platform/http/calls/module.ts';
import type { HttpApp } from './platform/http/http-app.ts';
import { service } from './platform/http/module.ts';
import { createErrorReport, createRequestLog } from './platform/http/request-log.ts';
import { createSchemaWatch, type SchemaWatch } from './platform/http/schema-watch.ts';
import { closeGently, createHttpServer, type HttpServer, ownUrlOf } from './platform/http/server.ts';
import { closeStreamsOnDrain } from './platform/http/sse.ts';
import { registerSystemRoutes } from './platform/http/system.routes.ts';
import { createDueWatch } from './platform/jobs/due-watch.ts';
import { createFailureReport } from './platform/jobs/failure-report.ts';
import { createSweeper, type Sweeper } from './platform/jobs/sweeper.ts';
import { mail } from './platform/mail/module.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { type Declarations, declarationsOf, type Module } from './platform/module.ts';
import { createOverdueWatch } from './platform/overdue.ts';
import { registerDashboardRoutes } from './platform/pages/dashboard.routes.ts';
import { registerDocsRoutes } from './platform/pages/docs.routes.ts';
import { limitedTo } from './platform/pages/page-guard.ts';
import { registerSiteRoutes, showNotFound } from './platform/pages/site.routes.ts';
import { readPageAssets, serveBrowserFiles } from './platform/pages/static-files.ts';
import type { Secrets } from './platform/secrets.ts';
import { type Provided, provideServices } from './platform/services.ts';
import { webhooks } from './platform/webhooks/module.ts';
import { bankFiles } from './rails/bank-files/module.ts';
import { mobileMoney } from './rails/mobile-money/module.ts';
import { ramps } from './ramps/module.ts';
import { rates } from './rates/module.ts';
import { reports } from './reports/module.ts';
import { search } from './search/module.ts';
import { settlement } from './settlement/module.ts';
import { stellar } from './stellar/module.ts';

/** All modules of the service. Add a new module here. */
const list = [
  ...[payments, links, invoices, customers, kyc, ramps, ledger, balance, rates, reports, search, capabilities],
  ...[settlement, approvals, payouts, outbound, bankFiles, mobileMoney, stellar],
  ...[webhooks, merchants, domains, people, mail, service, requests],
  ...[adapters, identity, sandbox, demo],
] as const;

/** What modules may use: the base, and the services of all modules. */
type Core = ReturnType<typeof createBase> & Provided<typeof list>;

export type AppModule = Module<
  Core,
  {
    purposes: PaymentPurpose;
    outbound: OutboundPurpose;
    approvals: ApprovalPurpose;
    payoutOwners: PayoutOwner;
    services: Record<string, unknown>;
  }
>;
export const modules: readonly AppModule[] = list;

/** The whole service, ready to listen. */
export interface App {
  readonly http: HttpApp;
  readonly sweeper: Sweeper;
  readonly secrets: Secrets;
  /** Starts the modules, and notices of changed objects. Starts the sweeps too, unless the role is `api`. */
  start(): Promise<void>;
  /**
   * Makes `/readyz` fail, so that load balancers send no new requests. Serves requests for `drainSeconds` more. Then
   * finishes open requests and stops all work.
   */
  stop(): Promise<void>;
}

interface Parts {
  readonly core: Core;
  readonly list: readonly AppModule[];
  readonly declared: Declarations;
  readonly schema: SchemaWatch;
  readonly metrics: Metrics;
  readonly forwarded: ForwardedWatch;
  readonly isDraining: () => boolean;
}

/** The composition root: combines the modules into one service. */
export async function createApp(deps: AppDeps, list: readonly AppModule[] = modules): Promise<App> {
  const { config, database, clock, log } = deps;
  let isDraining = false;
  const declared = declarationsOf(list);
  const base = createBase(deps, {
    wake: sweep => sweeper.wake(sweep),
    sweepAll: () => sweeper.runAll(),
    serverUrl: () => ownUrlOf(http),
    events: createEventCatalogue(declared.events),
    scopes: createScopes(declared.scopes),
    attention: declared.attention,
    searches: declared.search,
    pageIds: declared.pageIds,
  });
  const core = provideServices(base, list) as Core;
  collectPurposes(core, list);
  const schema = createSchemaWatch({ db: database.db, log, known: deps.schemaVersion ?? null });
  const overdue = createOverdueWatch(declared.overdue, { db: database.db, clock });
  const failing = createFailureReport(() => sweeper.failing());
  const metrics = createMetrics([...gaugesOf(list, core), ...overdue.gauges, failing.gauge]);
  const sweeper = createSweeper({ sweeps: sweepsOf(list, core, schema), log, metrics });
  const forwarded = createForwardedWatch(log);
  const parts: Parts = { core, list, declared, schema, metrics, forwarded, isDraining: () => isDraining };
  const { http, descriptions } = createServer(parts);
  registerSystemRoutes(http, {
    schema,
    metrics,
    isDraining: parts.isDraining,
    refresh: overdue.refresh,
    remarks: () => [schema, modulesIn(list, core), overdue, forwarded, failing].flatMap(part => part.remarks()),
  });
  for (const module of list) await module.sharedRoutes?.(http, core);
  if (config.role !== 'worker') await registerModules(parts, http, descriptions);
  await http.ready();
  return {
    http,
    sweeper,
    secrets: core.secrets,
    ...lifeOf(parts, http, sweeper, () => {
      isDraining = true;
    }),
  };
}

/** How the app starts and stops. `drain`: called first when the app stops. */
function lifeOf({ core, list, schema }: Parts, http: HttpApp, sweeper: Sweeper, drain: () => void) {
  const { drainSeconds, role } = core.config;
  return {
    start: async () => {
      await schema.start();
      for (const module of list) await module.start?.(core);
      await core.live.start();
      if (role !== 'api') sweeper.start();
    },
    stop: async () => {
      drain();
      await sleep(drainSeconds * 1000);
      // Each may need most of the time for the shutdown, so both run in parallel.
      await Promise.all([closeGently(http), sweeper.stop(), schema.stop()]);
      for (const module of list) await module.stop?.(core);
      await core.live.stop();
    },
  };
}

function modulesIn(list: readonly AppModule[], core: Core) {
  return { remarks: () => list.flatMap(module => module.remarks?.(core) ?? []) };
}

function gaugesOf(list: readonly AppModule[], core: Core) {
  return list.flatMap(module => module.gauges?.(core) ?? []);
}

function guestsOf(core: Core, list: readonly AppModule[]): ReadonlyMap<string, GuestCredential> {
  const kinds = list.flatMap(({ guests = {} }) => Object.entries(guests));
  return new Map(kinds.map(([kind, { create }]) => [kind, create(core)]));
}

/** Collects what the modules do for each other. */
function collectPurposes(core: Core, list: readonly AppModule[]): void {
  core.purposes.push(...list.flatMap(({ purposes }) => purposes?.(core) ?? []));
  core.outboundPurposes.push(...list.flatMap(module => module.outbound?.(core) ?? []));
  core.approvalPurposes.push(...list.flatMap(module => module.approvals?.(core) ?? []));
  core.erasures.push(...list.flatMap(module => module.erasures?.(core) ?? []));
  core.payoutOwners.push(...list.flatMap(module => module.payoutOwners?.(core) ?? []));
}

function sweepsOf(list: readonly AppModule[], core: Core, schema: SchemaWatch) {
  const sweeps = list.flatMap(module => module.sweeps?.(core) ?? []);
  return [...sweeps, createDueWatch(core, sweeps)].map(sweep => ({
    ...sweep,
    run: async () => (schema.isTooNew() ? 0 : await sweep.run()),
  }));
}

/** Registers the API and the site. If there is a browser build, also registers the pages. */
async function registerModules(
  { core, list, declared }: Parts,
  http: HttpApp,
  descriptions: HttpServer['descriptions'],
): Promise<void> {
  const { browserDir, publicUrl, testKeys } = core;
  closeStreamsOnDrain(http);
  for (const module of list) module.routes?.(http, core);
  if (!core.stellar.livemode) for (const module of list) await module.testRoutes?.(http, core);
  const hasDemo = showsDemo(core);
  registerSiteRoutes(http, {
    publicUrl,
    testKeys,
    demo: hasDemo,
    sandboxSignIn: browserDir === null ? null : () => isOpenSandbox(core),
    document: { ...declared, publicUrl, routes: descriptions },
  });
  if (browserDir === null) return;
  const pages = { ...core, browserDir, assets: readPageAssets(browserDir), limitWrong: limitedTo(wrongPagesPerMinute) };
  for (const module of list) await module.pages?.(http, pages);
  registerDashboardRoutes(http, pages.assets.dashboard);
  await serveBrowserFiles(http, browserDir, hasDemo ? [] : ['demo/**']);
  registerDocsRoutes(http, { publicUrl, docsDir: join(browserDir, '../docs') });
}

function createServer({ core, list, schema, metrics, forwarded, isDraining }: Parts): HttpServer {
  const { config, log, publicUrl, hosts, clock, keys, sessions } = core;
  const observe = createRequestLog({ log, metrics, logRequests: config.logRequests });
  return createHttpServer({
    publicUrl,
    hosts,
    isDraining,
    isOutdated: schema.isTooNew,
    showNotFound,
    scopes: core.scopes,
    trustedProxies: config.trustedProxies,
    report: createErrorReport(log),
    observe: (request, reply) => {
      observe(request, reply);
      core.callLog.note(request, reply);
      forwarded.note(request);
    },
    auth: {
      keys,
      guests: guestsOf(core, list),
      sessions,
      clock,
      publicUrl,
      hosts,
      scopes: core.scopes,
      keyLimit: createRateLimiter(config.rateLimit),
      clientLimit: createRateLimiter(config.clientRateLimit),
      wrongKeys: createGuessCounter(wrongKeysPerMinute),
      liveOnly: core.stellar.livemode,
    },
  });
}

const wrongKeysPerMinute = 60;
/** Maximum number of wrong URLs of links, invoices and receipts, per minute and IP address (IPv6: /64 network). */
const wrongPagesPerMinute = 30;
