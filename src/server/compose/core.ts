import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { ApprovalPurpose } from '../approvals/approval.ts';
import type { CryptoRail } from '../chains/chain.ts';
import type { Dns } from '../domains/dns.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import type { Lane } from '../outbound/sender.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import type { PayoutOwner } from '../payouts/payout-owner.ts';
import type { Passwords } from '../people/password.ts';
import type { AttentionSource } from '../platform/db/attention.ts';
import type { Database } from '../platform/db/database.ts';
import type { PageId, SearchSource } from '../platform/db/search.ts';
import type { Erasure } from '../platform/erasure.ts';
import { createLive } from '../platform/events/live.ts';
import type { EventCatalogue } from '../platform/events/sample.ts';
import type { Scopes } from '../platform/http/access/roles.ts';
import { createOnce } from '../platform/http/idempotency/idempotency.ts';
import type { Log } from '../platform/logging.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import { createSecrets } from '../platform/secrets.ts';
import type { RateSource } from '../rates/rates.ts';
import { createRates } from '../rates/rates.ts';
import type { Config } from '../settings/config.ts';
import { parseAssets } from '../settings/network-settings.ts';
import { createStellar, type Stellar } from './create-stellar.ts';
import { demoWebhookUrl } from './demo.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  /** Connection settings of the database. Live updates use a separate connection. */
  readonly connection: pg.ClientConfig;
  /** The 32-byte root secret. The service derives its encryption key, tokens and Stellar keys from it. */
  readonly rootSecret: Buffer;
  /** The newest migration that this server knows. Default: the newest migration in the database at the start. */
  readonly schemaVersion?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The service's base URL for browsers, without a final slash. Known once the server listens. */
  readonly publicUrl: () => string;
  /** The source of prices. Default: Stellar's market and the ECB; on the sandbox network, the sandbox market. */
  readonly rateSource?: RateSource;
  /** Chains on which payers pay besides Stellar. Default: none. */
  readonly chains?: readonly CryptoRail[];
  /** Hashes passwords. Default: at the usual cost, which is slow by intention. */
  readonly passwords?: Passwords;
  /** Makes DNS queries about merchants' domains. Default: with the name servers of this machine. */
  readonly dns?: Dns;
  /** The folder of the browser build. Null: the server has the API and no pages. */
  readonly browserDir: string | null;
  /** The first merchant, and its usable keys whose text the server knows. */
  readonly testKeys: () => Promise<TestKeys>;
}

/** The parts of the app that modules use. */
export interface AppHandle {
  /** Runs the named sweep soon. */
  readonly wake: (sweep: string) => void;
  /** Runs all sweeps until no due work remains. */
  readonly sweepAll: () => Promise<unknown>;
  /** The server's URL on this machine, or null before it listens. */
  readonly serverUrl: () => string | null;
  /** The events that the modules declare. */
  readonly events: EventCatalogue;
  /** The scopes that the modules declare. */
  readonly scopes: Scopes;
  /** Counts of objects that need a person's attention, as the modules declare them. */
  readonly attention: Readonly<Record<string, AttentionSource>>;
  /** The modules' searches for objects by text. */
  readonly searches: readonly SearchSource[];
  /** Ids in the URLs of hosted pages, by the first part of the path. */
  readonly pageIds: Readonly<Record<string, PageId>>;
}

/** Creates what needs no module: the database's calls, secrets, live notices, and the networks. */
export function createBase(deps: AppDeps, handle: AppHandle) {
  const { database, clock, log, publicUrl, config } = deps;
  const { db, pool } = database;
  const secrets = createSecrets(deps.rootSecret);
  const live = createLive({ connection: deps.connection, log });
  const sandbox = createSandbox({ ...deps, live });
  const stellar = stellarOf({ ...deps, db, secrets }, handle, sandbox);
  return {
    ...handle,
    ...deps,
    once: createOnce({ db, secrets, publicUrl }),
    db,
    pool,
    clock,
    secrets,
    live,
    sandbox,
    stellar,
    rates: ratesOf(deps, stellar, sandbox),
    purposes: [] as PaymentPurpose[],
    outboundPurposes: [] as OutboundPurpose[],
    approvalPurposes: [] as ApprovalPurpose[],
    payoutOwners: [] as PayoutOwner[],
    erasures: [] as Erasure[],
    lanes: [] as Lane[],
    afterClockMove: () => catchUp(handle.sweepAll, log),
    allowLocalhost: config.network === 'sandbox',
    allowLoopback: config.webhookAllowLoopback ?? config.network === 'sandbox',
    allowedNetworks: config.webhookAllowedNetworks,
    ownUrl: () => demoWebhookUrl(deps),
  };
}

/** The Stellar network. The sandbox network is part of this server. */
function stellarOf(
  deps: Omit<Parameters<typeof createStellar>[0], 'sandbox'>,
  { serverUrl }: AppHandle,
  { rates }: Sandbox,
) {
  const horizonUrl = () => `${serverUrl()}/sandbox/horizon`;
  return createStellar({ ...deps, sandbox: { horizonUrl, knownAssets: rates.wellKnownAssets } });
}

/** The rates of the network, for the assets that the operator lists. */
function ratesOf({ config, clock, rateSource, chains = [] }: AppDeps, stellar: Stellar, sandbox: Sandbox) {
  const source = rateSource ?? stellar.rateSource ?? sandbox.rates;
  const listed = config.assets === null ? undefined : parseAssets(config.assets, stellar.knownAssets);
  const ofChains = chains.flatMap(({ chain }) => chain.assets);
  return createRates(source, clock, listed, ofChains);
}

/** Maximum milliseconds to wait for the work that a move of the test clock makes due. Remaining work runs later. */
const catchUpMs = 3_000;

async function catchUp(sweepAll: AppHandle['sweepAll'], log: Log): Promise<void> {
  const done = sweepAll().catch(error => log.error({ err: error }, 'a sweep after a clock move failed'));
  await Promise.race([done, sleep(catchUpMs, undefined, { ref: false })]);
}
