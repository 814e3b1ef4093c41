import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { PayError } from '../core/error.ts';
import type { App } from './app.ts';
import { migrateSchema, type OpenedDatabase, openDatabase } from './open-database.ts';
import { createLineWriter, createLog, type Log, readable } from './platform/logging.ts';
import { welcome } from './platform/pages/welcome.ts';
import { type Config, ConfigError, readConfig, settings, strangeSettings } from './settings/config.ts';

/** Maximum time for the process to stop after `PAY_DRAIN_SECONDS`, in milliseconds. */
const stopWithinMs = 9_500;
/** A further signal this soon is the same request to stop, in milliseconds: npm repeats a signal to its group. */
const sameSignalMs = 500;
const packageRoot = join(import.meta.dirname, '../..');

/**
 * Runs the service as a process and prints `ready <public url>`. SIGTERM or SIGINT stops it gracefully with exit code
 * 0; a later second signal stops it at once.
 */
export async function serve(): Promise<void> {
  const config = settingsOrExit();
  // The service keeps running if it cannot write its log.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const write = createLineWriter(process.stderr);
  const log = createLog(config, process.stderr.isTTY ? line => write(readable(line)) : write);
  exitOnFaults(log);
  for (const setting of strangeSettings(process.env)) log.warn({ setting }, 'unknown setting');
  let starting: ReturnType<typeof start> | null = null;
  stopOnSignals(log, config.drainSeconds * 1000 + stopWithinMs, async () => (await starting)?.stop());
  try {
    starting = start(config, log);
    const { url } = await starting;
    console.log(`ready ${url}`);
  } catch (error) {
    console.error(`The service could not start. ${startProblem(error)}`);
    process.exit(1);
  }
}

/** Reads the settings. Then deletes the secrets from the environment, which crash reports and child processes show. */
function settingsOrExit(): Config {
  try {
    const config = readConfig(process.env);
    for (const { name, secret } of Object.values(settings)) if (secret) delete process.env[name];
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Why the service could not start. The operator reads the message. */
class StartError extends Error {
  override readonly name = 'StartError';
}

function startProblem(error: unknown): string {
  return error instanceof Error ? error.message || String(codeOf(error)) : String(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Explains an error of the database or of the connection to it. */
function databaseProblem(error: unknown, { databaseUrl }: Config): unknown {
  if (error instanceof PayError || databaseUrl === null) return error;
  const message = `${startProblem(error)} (check DATABASE_URL, and that the database runs)`;
  return new StartError(message, { cause: error });
}

const noSuchHost = ({ host }: Config) =>
  `HOST is ${host}, which is not an address of this machine. Set HOST to one, such as 127.0.0.1, or to 0.0.0.0 for all.`;

/** Explanations of failures to listen, by error code. */
const listenProblems: Readonly<Record<string, (config: Config) => string>> = {
  EADDRINUSE: ({ host, port }) => `Port ${port} of ${host} is taken. Set PORT to another one, or to 0.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
  EAI_AGAIN: noSuchHost,
};

/** An uncaught exception leaves an unknown state, so the process ends. After an unhandled rejection, it continues. */
function exitOnFaults(log: Log): void {
  process.on('unhandledRejection', err => log.error({ err }, 'a promise rejection was not handled'));
  process.on('uncaughtException', err => {
    log.fatal({ err }, 'the process ends after an uncaught exception');
    process.exit(1);
  });
}

function stopOnSignals(log: Log, withinMs: number, stop: () => Promise<void>): void {
  let stoppingSince: number | null = null;
  const handle = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== null && performance.now() - stoppingSince < sameSignalMs) return;
    if (stoppingSince !== null) process.exit(1);
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), withinMs).unref();
    stop().then(
      () => process.exit(0),
      err => {
        log.error({ err }, 'the server could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  followNpm(() => stoppingSince === null && handle('SIGTERM'));
}

/** Stops the service when npm, or npm's shell, has ended: a signal to either may not reach this process. */
function followNpm(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500).unref();
}

async function start(config: Config, log: Log) {
  // Loads the app's code while the database starts.
  const [{ createApp }, opened] = await Promise.all([import('./app.ts'), openDatabase(config, log)]);
  try {
    const { madeKeys, settlement, dashboard, ...first } = await prepare(config, opened).catch(error => {
      throw databaseProblem(error, config);
    });
    let url = config.publicUrl ?? '';
    const app = await createApp({
      config,
      log,
      ...opened,
      ...first,
      clock: systemClock,
      publicUrl: () => url,
      browserDir: join(packageRoot, 'dist/browser'),
    });
    const port = await listen(app, config);
    url ||= localUrl(config.host, port);
    await app.start();
    opened.database.limitSilence();
    if (config.role !== 'worker') {
      const demo = config.demo && config.network !== 'public';
      const [keys, settlesTo, path] = await Promise.all([first.testKeys(), settlement(), dashboard()]);
      const { network } = config;
      console.log(welcome({ url, keys, madeKeys, network, demo, dashboard: `${url}${path}`, settlesTo }));
    }
    return {
      url,
      stop: async () => {
        await app.stop();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function listen({ http }: App, config: Config): Promise<number> {
  const { host, port } = config;
  await http.listen({ host, port }).catch(error => {
    const problem = listenProblems[String(codeOf(error))];
    throw problem === undefined ? error : new StartError(problem(config), { cause: error });
  });
  const address = http.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function localUrl(host: string, port: number): string {
  const isEverywhere = ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'].includes(host);
  return `http://${isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Migrates the schema and creates event partitions. Creates the root secret, the first merchant and its keys if they are
 * missing. Throws if the database belongs to another network.
 */
async function prepare(config: Config, { database, connection }: OpenedDatabase) {
  const [
    { claimNetwork, loadRootSecret },
    { ensureFirstMerchant, findTestKeys },
    { createSecrets },
    { ensureEventPartitions },
    { findMerchant },
    { localKey },
    { isClaimed },
  ] = await Promise.all([
    import('./platform/root-secret.store.ts'),
    import('./merchants/first-merchant.store.ts'),
    import('./platform/secrets.ts'),
    import('./platform/events/event.store.ts'),
    import('./merchants/merchant.store.ts'),
    import('./stellar/transaction/signing-key.ts'),
    import('./people/person.store.ts'),
  ]);
  const { version: schemaVersion } = await migrateSchema(connection);
  await ensureEventPartitions(database.db);
  const rootSecret = await loadRootSecret(database.db);
  await claimNetwork(database.db, config.network);
  const { secretKey, publishableKey } = config;
  const livemode = config.network === 'public';
  const secrets = createSecrets(rootSecret);
  const stellarAddress = config.network === 'sandbox' ? localKey(secrets.stellarSeed('settlement')).address : null;
  const given = { livemode, secretKey, publishableKey, stellarAddress };
  const deps = { db: database.db, secrets, clock: systemClock, ...given };
  const { merchantId, madeKeys } = await ensureFirstMerchant(deps);
  return {
    schemaVersion,
    rootSecret,
    madeKeys,
    testKeys: () => findTestKeys(deps, merchantId),
    dashboard: async () =>
      (await isClaimed(database.db)) ? '/dashboard/' : `/dashboard/#start=${secrets.startToken(merchantId)}`,
    settlement: async () => (await findMerchant(database.db, merchantId))?.stellarAddress ?? null,
  };
}
