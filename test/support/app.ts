import type { AddressInfo } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import type { Clock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { type App, type AppModule, createApp, modules } from '../../src/server/app.ts';
import type { CryptoRail } from '../../src/server/chains/chain.ts';
import type { AppDeps } from '../../src/server/compose/core.ts';
import type { Dns } from '../../src/server/domains/dns.ts';
import { insertApiKey, newApiKey, newKeyText } from '../../src/server/merchants/api-key.store.ts';
import { insertMerchant, type MerchantChanges, updateMerchant } from '../../src/server/merchants/merchant.store.ts';
import { createPasswords, type Passwords } from '../../src/server/people/password.ts';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import type { ApiKeyType } from '../../src/server/platform/http/access/caller.ts';
import type { Sweep } from '../../src/server/platform/jobs/sweeper.ts';
import { createLog } from '../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../src/server/platform/root-secret.store.ts';
import type { RateSource } from '../../src/server/rates/rates.ts';
import { type Config, readConfig } from '../../src/server/settings/config.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** The cost of passwords in tests. At the usual cost, each password takes a fifth of a second of CPU time. */
export const quickCost = { log2: 10, r: 8, p: 1 };

/** The app's clock. Without the option `clock`, it moves only by `advance`. */
export interface TestClock extends Clock {
  advance(seconds: number): void;
}

/** A merchant with its keys of test mode. */
export interface TestMerchant {
  readonly id: string;
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** One request. `key` becomes the header Authorization. A `body` that is no text or Buffer is sent as JSON. */
export interface TestRequest {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer with its parsed JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** The real app with its own database. It listens on no port. */
export interface TestApp {
  readonly app: App;
  readonly database: TestDatabase;
  readonly clock: TestClock;
  /** The first merchant. `request` uses its secret key by default. */
  readonly merchant: TestMerchant;
  /** All log lines, as JSON. */
  readonly logs: readonly string[];
  /** Sends a request such as `POST /v1/payments` through the whole app. `key: null` sends no key. */
  request(call: `${string} /${string}`, request?: TestRequest): Promise<TestAnswer>;
  addMerchant(changes?: MerchantChanges): Promise<TestMerchant>;
  /** `person`: who made the key. */
  addKey(
    merchantId: string,
    type: ApiKeyType,
    options?: { livemode?: boolean; scopes?: string[]; person?: string },
  ): Promise<string>;
  /** Does all due work, or that of the named sweeps. Sweeps run automatically only with the option `sweeping`. */
  sweep(...names: string[]): Promise<number>;
  /** Ends the app and drops the database. Call it in afterAll. */
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** The database to use instead of a new one. `close` drops this database, too. */
  readonly database?: TestDatabase;
  /** Starts another server of this app: with its database, clock and merchant. `close` leaves the database. */
  readonly beside?: TestApp;
  /** The app's settings as environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly now?: Date;
  /** Another clock, such as the machine's for tests that wait. The default clock stands still. */
  readonly clock?: Clock;
  readonly merchant?: MerchantChanges;
  /** Keys of the first merchant that the app treats as set by the settings. */
  readonly givenKeys?: readonly ApiKeyType[];
  /** Whether sweeps run automatically. `when woken`: their intervals are four times as long as in production. */
  readonly sweeping?: boolean | 'when woken';
  /** Folder of a browser build, for tests of pages. */
  readonly browserDir?: string;
  readonly publicUrl?: () => string;
  /** A source of prices instead of the sandbox's market. */
  readonly rateSource?: RateSource;
  /** Chains besides Stellar. */
  readonly chains?: readonly CryptoRail[];
  /** Default: answers that no DNS record exists. */
  readonly dns?: Dns;
  /** Default: hashes passwords at the quick cost. */
  readonly passwords?: Passwords;
  readonly modules?: readonly AppModule[];
  /** Starts a proxy between the app and its database, and returns the proxy's port on 127.0.0.1. */
  readonly through?: (target: { path: string } | { host: string; port: number }) => Promise<number>;
}

/** Starts the real app with one merchant. The default database is new. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { beside } = options;
  const database = beside?.database ?? options.database ?? (await createTestDatabase());
  const reached = options.through === undefined ? database : await reachThrough(database, options.through);
  const clock = beside?.clock ?? testClock(options);
  const config: Config = readConfig({ PAY_LOG_LEVEL: 'debug', PAY_SANDBOX_LEDGER_MS: '40', ...options.settings });
  const logs: string[] = [];
  const parts: AppDeps = {
    config: options.sweeping ? config : { ...config, role: 'api' },
    database: reached,
    connection: reached.connection,
    rootSecret: await loadRootSecret(database.db),
    clock,
    log: createLog(config, line => logs.push(line)),
    // A function, because a test that listens learns its port only later.
    publicUrl: () => options.publicUrl?.() || config.publicUrl || 'http://localhost:4242',
    browserDir: options.browserDir ?? null,
    ...(options.rateSource && { rateSource: options.rateSource }),
    ...(options.chains && { chains: options.chains }),
    dns: options.dns ?? { cname: async () => [], txt: async () => [], addresses: async () => [] },
    passwords: options.passwords ?? createPasswords(quickCost),
    testKeys: async () => ({ ...merchant, merchantId: merchant.id, given: options.givenKeys ?? [] }),
  };
  const list = [...modules, ...(options.modules ?? [])];
  const app = await createApp(parts, options.sweeping === 'when woken' ? list.map(slowed) : list);
  await app.start();
  const people = createPeople(database, clock);
  const merchant = beside?.merchant ?? (await people.addMerchant(options.merchant));
  return {
    app,
    database,
    clock,
    merchant,
    logs,
    ...people,
    request: (call, request = {}) => send(app, call, { key: merchant.secretKey, ...request }),
    sweep: (...names) => app.sweeper.runAll(names.length === 0 ? undefined : names),
    close: async () => {
      await app.stop();
      if (reached !== database) await reached.close();
      if (beside === undefined) await database.drop();
    },
  };
}

function slowed(module: AppModule): AppModule {
  const { sweeps } = module;
  const slow = (sweep: Sweep) => ({ ...sweep, everyMs: 4 * (sweep.everyMs ?? 60_000) });
  return sweeps === undefined ? module : { ...module, sweeps: deps => sweeps(deps).map(slow) };
}

/** Makes the app listen at 127.0.0.1. Returns its port. */
export async function listen({ app: { http, sweeper } }: Pick<TestApp, 'app'>): Promise<number> {
  await http.listen({ host: '127.0.0.1', port: 0 });
  // Sweeps that could not reach the sandbox network yet look again now.
  sweeper.wake();
  return (http.server.address() as AddressInfo).port;
}

/** Opens the database through a proxy. Close it before you drop the database. */
export async function reachThrough({ connection }: TestDatabase, through: NonNullable<TestAppOptions['through']>) {
  const { connectionString, host = 'localhost', port = 5432 } = connection;
  const url = connectionString === undefined ? null : new URL(connectionString);
  const target =
    url === null && host.startsWith('/')
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: url?.hostname ?? host, port: Number(url?.port ?? port) };
  const reached = { ...connection, ...(url && fromUrl(url)), host: '127.0.0.1', port: await through(target) };
  delete reached.connectionString;
  return { ...createDatabase({ connection: reached }), connection: reached };
}

function fromUrl({ username, password, pathname }: URL) {
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  };
}

function testClock(options: TestAppOptions): TestClock {
  let now = (options.now ?? new Date('2026-11-02T09:00:00Z')).getTime();
  return {
    now: () => options.clock?.now() ?? new Date(now),
    advance: seconds => {
      now += seconds * 1000;
    },
  };
}

function createPeople({ db }: TestDatabase, clock: Clock) {
  const addKey: TestApp['addKey'] = async (merchantId, type, { livemode = false, scopes = ['*'], person } = {}) => {
    const text = newKeyText(type, livemode);
    const key = {
      merchant_id: merchantId,
      type,
      livemode,
      name: null,
      scopes,
      created_by: person ?? null,
      created_at: clock.now(),
    };
    await db.transaction().execute(tx => insertApiKey(tx, newApiKey(text, key)));
    return text;
  };
  const addMerchant: TestApp['addMerchant'] = async (changes = {}) => {
    const id = newId('account');
    await db.transaction().execute(async tx => {
      await insertMerchant(tx, { id, name: 'Test shop', clientAmounts: false });
      await updateMerchant(tx, id, changes);
    });
    return {
      id,
      secretKey: await addKey(id, 'secret'),
      publishableKey: await addKey(id, 'publishable'),
    };
  };
  return { addKey, addMerchant };
}

async function send({ http }: App, call: string, { key, headers = {}, body }: TestRequest): Promise<TestAnswer> {
  const [method = 'GET', url = '/'] = call.split(' ');
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await http.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(key != null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
  });
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    bytes: response.rawPayload,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : null,
  };
}
