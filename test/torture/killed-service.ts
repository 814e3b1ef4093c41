import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import type pg from 'pg';
import { testPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { sandboxAssets } from '../../src/sandbox/stellar/index.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon/horizon-network.ts';
import type { IncomingPayment } from '../../src/server/stellar/network.ts';
import { attachSignatures, buildEnvelope, hashEnvelope } from '../../src/server/stellar/transaction/transaction.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { call as callUrl, secretKey, watchClaim } from './load.ts';

/** Waits until `holds` answers true; an error counts as false. Throws after `patienceMs`, naming the goal. */
export async function waitUntil(goal: string, patienceMs: number, holds: () => Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + patienceMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > giveUp) throw new Error(`not in time: ${goal}`);
    await sleep(200);
  }
}

/** A service with the sandbox network, that a test kills and starts again on the same data. */
export class KilledService {
  /** Number of kills so far. */
  kills = 0;
  readonly #dataDir = makeDataFolder('pay-torture-');
  readonly #http = createHttpExchange();
  readonly #network = createHorizonNetwork({
    http: this.#http,
    passphrase: testPassphrase,
    url: () => `${this.#server?.url}/sandbox/horizon`,
  });
  readonly #ledgerMs: number;
  readonly #patienceMs: number;
  #server: ServerProcess | undefined;
  #opened: Promise<{ postgres: EmbeddedPostgres; database: Database }> | undefined;

  /** `ledgerMs`: time between ledgers. `patienceMs`: longest wait for a goal. */
  constructor({ ledgerMs, patienceMs }: { ledgerMs: number; patienceMs: number }) {
    this.#ledgerMs = ledgerMs;
    this.#patienceMs = patienceMs;
  }

  async start(): Promise<void> {
    this.#server = await startServerProcess({
      PAY_DATA_DIR: this.#dataDir,
      PAY_SECRET_KEY: secretKey,
      PAY_LOG_LEVEL: 'error',
      PAY_LOG_REQUESTS: 'none',
      PAY_SANDBOX_LEDGER_MS: String(this.#ledgerMs),
    });
  }

  async kill(): Promise<void> {
    await this.#server?.stop('SIGKILL');
    await this.start();
    this.kills++;
  }

  async close(): Promise<void> {
    const opened = await this.#opened;
    await opened?.database.close();
    await opened?.postgres.release();
    await this.#server?.stop();
    this.#http.close();
    await rm(this.#dataDir, { recursive: true });
  }

  until(goal: string, holds: () => Promise<boolean>): Promise<void> {
    return waitUntil(goal, this.#patienceMs, holds);
  }

  call(route: string, body?: object) {
    return callUrl(this.#server?.url ?? '', route, body);
  }

  /** Repeats the call until it has a final answer, across kills of the service. */
  async insist(route: string, body: object, key: string) {
    const giveUp = performance.now() + this.#patienceMs;
    const isFinal = watchClaim();
    for (;;) {
      const reply = await callUrl(this.#server?.url ?? '', route, body, key);
      if (isFinal(reply)) return reply;
      if (performance.now() > giveUp) throw new Error(`${route}: ${reply.status} ${reply.failure ?? reply.text}`);
      await sleep(100);
    }
  }

  /** The pool of the service's database. The database stays when the service is killed. */
  async pool(): Promise<pg.Pool> {
    this.#opened ??= this.#open();
    return (await this.#opened).database.pool;
  }

  async query(sql: string): Promise<pg.QueryResultRow[]> {
    return (await (await this.pool()).query(sql)).rows;
  }

  /** Pairs of transactions for one transfer that existed at the same time and could both be applied. */
  overlapping(): Promise<pg.QueryResultRow[]> {
    return this.query(
      `select a.payout_id, a.hash, b.hash from audit_attempts a join audit_attempts b
         on a.payout_id = b.payout_id and a.inner_hash <> b.inner_hash and a.created_at < b.created_at
       where a.ended_at is null or a.ended_at > b.created_at`,
    );
  }

  /** Makes the sandbox network answer with these faults from now on. */
  async putFaults(faults: readonly object[]): Promise<void> {
    await this.until(
      'faults are switched',
      async () => (await this.call('PUT /sandbox/stellar/faults', { faults })).status === 200,
    );
  }

  /** Opens an account that can hold dollars. Returns its address. */
  async openAccount(): Promise<string> {
    const key = Keypair.random();
    const address = key.publicKey();
    await this.until('friendbot has answered', async () => {
      return (await fetch(`${this.#server?.url}/sandbox/horizon/friendbot?addr=${address}`)).ok;
    });
    const { sequence = 0n } = (await this.#network.account(address)) ?? {};
    const operations = [{ type: 'changeTrust', asset: sandboxAssets.USDC, limit: 2n ** 63n - 1n }] as const;
    const terms = { source: address, sequence: sequence + 1n, fee: 1_000n, timeBounds: null };
    const unsigned = buildEnvelope({ ...terms, operations });
    const hash = hashEnvelope(unsigned, testPassphrase);
    const signature = Buffer.from(key.sign(Buffer.from(hash, 'hex'))).toString('base64');
    await this.#network.submit(attachSignatures(unsigned, testPassphrase, { address, signature }));
    await this.until('the trustline is there', async () => (await this.#network.status(hash)).state === 'applied');
    return address;
  }

  /** The payments in the ledger to muxed addresses of the accounts, by the muxed id. */
  async arrivals(accounts: readonly string[]): Promise<Map<string, IncomingPayment[]>> {
    const all: IncomingPayment[] = [];
    for (const account of accounts) {
      for (let cursor: string | null = null; ; ) {
        const page = await this.#network.incoming(account, cursor, 200);
        all.push(...page.payments.filter(({ toMuxedId }) => toMuxedId !== null));
        if (!page.more) break;
        cursor = page.cursor;
      }
    }
    return Map.groupBy(all, ({ toMuxedId }) => toMuxedId ?? '');
  }

  async #open() {
    const postgres = await startEmbeddedPostgres({ dataDir: this.#dataDir, log: console });
    return { postgres, database: createDatabase({ connection: postgres.connection, max: 2, silenceMs: 0 }) };
  }
}
