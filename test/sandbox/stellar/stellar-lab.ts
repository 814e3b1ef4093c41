import { createHash } from 'node:crypto';
import {
  Asset,
  type FeeBumpTransaction,
  Horizon,
  Keypair,
  type Memo,
  Networks,
  type Operation,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk';
import { systemClock } from '../../../src/core/clock.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/seeded/accounts.ts';
import { createApp } from '../../../src/server/app.ts';
import { createDatabase } from '../../../src/server/platform/db/database.ts';
import { createLog } from '../../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../../src/server/platform/root-secret.store.ts';
import { readConfig } from '../../../src/server/settings/config.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

type OperationXdr = ReturnType<typeof Operation.payment>;

export interface TransactionParts {
  readonly memo?: Memo;
  /** Stroops for each operation. */
  readonly fee?: string;
  readonly signers?: readonly Keypair[];
  readonly timeout?: number;
}

/** An answer with its JSON read. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** A server of the sandbox network, used over HTTP. */
export interface StellarServer {
  /** URL of its Horizon, without a trailing slash. */
  readonly url: string;
  readonly sdk: Horizon.Server;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** `POST` of a form with the envelope. */
  post(path: '/transactions' | '/transactions_async', envelope: string): Promise<Answer>;
  /** A signed transaction with the account’s next sequence. */
  build(source: Keypair, operations: readonly OperationXdr[], parts?: TransactionParts): Promise<Transaction>;
  /** Builds and submits it, and waits for its ledger. */
  send(
    source: Keypair,
    operations: readonly OperationXdr[],
    parts?: TransactionParts,
  ): Promise<Horizon.HorizonApi.SubmitTransactionResponse>;
  /** An account with 10,000 XLM from the friendbot. */
  newAccount(): Promise<Keypair>;
  /** Stops this server; the network stays in the database. */
  stop(): Promise<void>;
}

/** The sandbox network in its own database, with one server. */
export interface StellarLab extends StellarServer {
  readonly app: TestApp;
  /** Another server on the same database, in this process, with its own settings. */
  anotherServer(settings?: Readonly<Record<string, string>>): Promise<StellarServer>;
  close(): Promise<void>;
}

const usualSettings = { PAY_SANDBOX_LEDGER_MS: '40' };

/** Starts the real app on a port, with quick ledgers. */
export async function startStellarLab(settings: Readonly<Record<string, string>> = {}): Promise<StellarLab> {
  const all = { ...usualSettings, ...settings };
  const app = await startTestApp({ settings: all, clock: systemClock });
  const server = await listening(app.app.http, async () => {});
  return {
    ...server,
    app,
    anotherServer: (own = {}) => startServer(app, { ...all, ...own }),
    close: () => app.close(),
  };
}

/** Another server on the database of a test’s app. */
export async function startServer(
  first: Pick<TestApp, 'database' | 'merchant'>,
  settings: Readonly<Record<string, string>>,
): Promise<StellarServer> {
  const { connection } = first.database;
  const database = createDatabase({ connection });
  const config = readConfig({ PAY_LOG_LEVEL: 'silent', ...settings });
  const app = await createApp({
    config,
    database,
    connection,
    clock: systemClock,
    rootSecret: await loadRootSecret(database.db),
    log: createLog(config, () => {}),
    publicUrl: () => 'http://localhost:4242',
    browserDir: null,
    testKeys: async () => ({ ...first.merchant, merchantId: first.merchant.id, given: [] }),
  });
  await app.start();
  return await listening(app.http, async () => {
    await app.stop();
    await database.close();
  });
}

async function listening(http: TestApp['app']['http'], stop: () => Promise<void>): Promise<StellarServer> {
  await http.listen({ port: 0, host: '127.0.0.1' });
  const address = http.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}/sandbox/horizon`;
  const sdk = new Horizon.Server(url, { allowHttp: true });
  const build: StellarServer['build'] = async (
    source,
    operations,
    { memo, fee = '100', signers = [], timeout = 60 } = {},
  ) => {
    const account = await sdk.loadAccount(source.publicKey());
    const builder = new TransactionBuilder(account, { fee, networkPassphrase: Networks.TESTNET });
    for (const operation of operations) builder.addOperation(operation);
    if (memo !== undefined) builder.addMemo(memo);
    const transaction = builder.setTimeout(timeout).build();
    transaction.sign(source, ...signers);
    return transaction;
  };
  return {
    url,
    sdk,
    build,
    stop,
    get: async (path, headers = {}) => await read(await fetch(url + path, { headers })),
    post: async (path, tx) => {
      return await read(await fetch(url + path, { method: 'POST', body: new URLSearchParams({ tx }) }));
    },
    send: async (source, operations, parts) => {
      return await sdk.submitTransaction(await build(source, operations, parts), { skipMemoRequiredCheck: true });
    },
    newAccount: async () => {
      const key = Keypair.random();
      await sdk.friendbot(key.publicKey()).call();
      return key;
    },
  };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    type,
    headers: response.headers,
    body: type.includes('json') && text !== '' ? JSON.parse(text) : text,
  };
}

/** An asset of the sandbox in the SDK’s form. */
export function assetOf(code: keyof typeof sandboxAssets): Asset {
  const [name = '', issuer] = sandboxAssets[code].split(':');
  return new Asset(name, issuer);
}

/** The public issuer key of a sandbox asset, listed or not. */
export function issuerOf(code: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(`pay-checkout sandbox/issuer/${code}`).digest());
}

/** A transaction’s envelope in base64. */
export function envelopeOf(transaction: Transaction | FeeBumpTransaction): string {
  return transaction.toEnvelope().toXdr('base64');
}

/** The result codes of a submission that was refused or failed. */
export async function codesOf(submission: Promise<unknown>): Promise<unknown> {
  try {
    await submission;
  } catch (error) {
    const { response } = error as {
      readonly response?: { readonly data?: { readonly extras?: { result_codes?: unknown } } };
    };
    return response?.data?.extras?.result_codes ?? error;
  }
  return 'it went through';
}
