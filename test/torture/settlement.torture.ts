import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { sandboxAssets } from '../../src/sandbox/stellar/index.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon/horizon-network.ts';
import { createHttpExchange } from '../../src/server/stellar/http-exchange.ts';
import type { IncomingPayment } from '../../src/server/stellar/network.ts';
import { muxedAddress } from '../../src/server/stellar/transaction/muxed-address.ts';
import { attachSignature, buildEnvelope, hashEnvelope } from '../../src/server/stellar/transaction/transaction.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { horizonFaults } from './horizon-faults.ts';
import { call, secretKey } from './load.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

/** Amount of work without a time limit. With a limit, half of the round's seconds is used. */
const thorough = { settlements: 500, kills: 20 };
/** The least number of settlements, also on a slow machine. */
const fewest = 40;
const random = seeded(seed);
const done = { made: 0, kills: 0 };

let dataDir: string;
let server: ServerProcess;
let postgres: EmbeddedPostgres;
let database: Database;
const merchants: Keypair[] = [];
/** The expected amount of each created payment, by the id in its muxed settlement address. */
const created = new Map<string, { readonly paymentId: string; readonly amount: string }>();
/** The paid payments of `created`. After a kill, some are paid only when the acquirer's state is read. */
let expected: typeof created;
const http = createHttpExchange();
const network = createHorizonNetwork({ http, passphrase: testPassphrase, url: () => `${server.url}/sandbox/horizon` });

const start = () =>
  startServerProcess({
    PAY_DATA_DIR: dataDir,
    PAY_SECRET_KEY: secretKey,
    PAY_LOG_LEVEL: 'error',
    PAY_LOG_REQUESTS: 'none',
    PAY_SANDBOX_LEDGER_MS: '100',
  });
const query = async (sql: string): Promise<pg.QueryResultRow[]> => (await database.pool.query(sql)).rows;

beforeAll(async () => {
  dataDir = makeDataFolder('pay-torture-');
  server = await start();
  for (let i = 0; i < 4; i++) merchants.push(await openMerchant());
  await putFaults(horizonFaults);
  const part = beginPart(0.5);
  const isBounded = roundSeconds !== null;
  const load = pay(() => done.made >= fewest && (isBounded ? part.isOver() : done.made >= thorough.settlements));
  while (isBounded ? !part.isOver() : done.kills < thorough.kills) {
    await part.pause(500 + random() * 1_500);
    await server.stop('SIGKILL');
    server = await start();
    done.kills++;
  }
  await load;
  await putFaults([]);
  // Charges of a killed server are checked within half a minute.
  for (let i = 0; i < 3; i++) await call(server.url, 'POST /v1/test_helpers/clock', { advance: 'PT1M' });
  postgres = await startEmbeddedPostgres({ dataDir, log: console });
  database = createDatabase({ connection: postgres.connection, max: 2, silenceMs: 0 });
  await until('everything has ended', async () => {
    const unsettled = "status = 'completed' and (settlement_status <> 'settled' or settlement_due_at is not null)";
    const [row] = await query(`select count(*)::int as open from payments where phase = 'processing' or ${unsettled}`);
    return row?.['open'] === 0;
  });
  const paid = new Set((await query("select id from payments where status = 'completed'")).map(row => row['id']));
  expected = new Map([...created].filter(([, { paymentId }]) => paid.has(paymentId)));
  report(`${expected.size} settlements, ${done.kills} kills`);
}, 600_000);

afterAll(async () => {
  await database?.close();
  await postgres?.release();
  await server?.stop();
  http.close();
  await rm(dataDir, { recursive: true });
});

async function putFaults(list: readonly object[]): Promise<void> {
  await until('faults are switched', async () => {
    const reply = await call(server.url, 'PUT /sandbox/stellar/faults', { faults: list });
    return reply.status === 200;
  });
}

async function until(what: string, holds: () => Promise<boolean>, patienceMs = 120_000): Promise<void> {
  const giveUp = performance.now() + patienceMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > giveUp) throw new Error(`not in time: ${what}`);
    await sleep(100);
  }
}

/** Opens an account that can hold dollars. */
async function openMerchant(): Promise<Keypair> {
  const key = Keypair.random();
  const address = key.publicKey();
  await until('friendbot has answered', async () => {
    const answer = await fetch(`${server.url}/sandbox/horizon/friendbot?addr=${address}`);
    return answer.ok;
  });
  const account = await network.account(address);
  const unsigned = buildEnvelope({
    ...{ source: address, sequence: (account?.sequence ?? 0n) + 1n, fee: 1_000n, timeBounds: null },
    operations: [{ type: 'changeTrust', asset: sandboxAssets.USDC, limit: 2n ** 63n - 1n }],
  });
  const hash = hashEnvelope(unsigned, testPassphrase);
  const signature = Buffer.from(key.sign(Buffer.from(hash, 'hex'))).toString('base64');
  await network.submit(attachSignature(unsigned, testPassphrase, { address, signature }));
  await until('the trustline is there', async () => (await network.status(hash)).state === 'applied');
  return key;
}

/** Repeats the call until it has a final answer, across kills of the server. */
async function insist(route: string, body: object, key: string) {
  const giveUp = performance.now() + 240_000;
  for (;;) {
    const reply = await call(server.url, route, body, key);
    const isBusy = reply.status === 409 && reply.body.error.code === 'idempotency_in_progress';
    if (reply.status > 0 && reply.status < 500 && !isBusy) return reply;
    if (performance.now() > giveUp) throw new Error(`${route}: ${reply.status} ${reply.failure ?? reply.text}`);
    await sleep(100);
  }
}

/** Pays by card, one payment after the other, each settled to its own muxed address. */
async function pay(isOver: () => boolean): Promise<void> {
  const client = async () => {
    while (!isOver()) {
      const id = String(++done.made);
      const merchant = merchants[done.made % merchants.length]?.publicKey() ?? '';
      const body = {
        ...{ amount: 1_000 + done.made, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar' },
        ...{ payment_methods: ['card'], customer: { email: 'ada@example.com' } },
        settlement_address: muxedAddress(merchant, BigInt(id)),
      };
      const { body: payment } = await insist('POST /v1/payments', body, `settle-${id}`);
      const token = { method: 'card', token: 'tok_visa' };
      created.set(id, { paymentId: payment.id, amount: payment.quote.settlement_amount });
      await insist(`POST /v1/payments/${payment.id}/confirm`, token, `pay-${id}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

/** Payments to the merchants in the ledger, by the muxed id of the address. */
async function arrivals(): Promise<Map<string, IncomingPayment[]>> {
  const byId = new Map<string, IncomingPayment[]>();
  for (const merchant of merchants) {
    for (let cursor: string | null = null; ; ) {
      const page = await network.incoming(merchant.publicKey(), cursor, 200);
      for (const payment of page.payments) {
        if (payment.toMuxedId === null) continue;
        byId.set(payment.toMuxedId, [...(byId.get(payment.toMuxedId) ?? []), payment]);
      }
      if (!page.more) break;
      cursor = page.cursor;
    }
  }
  return byId;
}

describe('settlements with faults, while the service is killed repeatedly', () => {
  it('are enough for a result, and have met faults', async () => {
    expect(expected.size).toBeGreaterThan(done.made * 0.9);
    const [attempts] = await query('select count(*) filter (where attempts > 2)::int as again from stellar_envelopes');
    // A short round may have no repeated attempt.
    if (roundSeconds === null) expect(attempts?.['again']).toBeGreaterThan(0);
  });

  it('are each applied on the ledger exactly once, exact to the stroop', async () => {
    const arrived = await arrivals();
    const wrong = [...expected].filter(([id, { amount }]) => {
      const payments = arrived.get(id) ?? [];
      return payments.length !== 1 || payments[0]?.amount !== BigInt(amount.replace('.', ''));
    });
    expect(wrong).toEqual([]);
    expect([...arrived.keys()].filter(id => !expected.has(id)).length).toBe(0);
  });

  it('are reported as settled, each with its transaction', async () => {
    const arrived = await arrivals();
    const hashes = new Map(
      (await query('select id, settlement_tx_hash from payments')).map(row => [row['id'], row['settlement_tx_hash']]),
    );
    const known = new Map(
      (await query('select hash, inner_hash from sandbox.stellar_transactions')).map(row => [
        row['hash'],
        row['inner_hash'],
      ]),
    );
    const wrong = [...expected].filter(([id, { paymentId }]) => {
      const [payment] = arrived.get(id) ?? [];
      const reported = hashes.get(paymentId);
      return reported !== payment?.transactionHash && reported !== known.get(payment?.transactionHash);
    });
    expect(wrong).toEqual([]);
  });

  it('are all completed', async () => {
    expect(await query("select id, state from outbound_transfers where state not in ('completed', 'failed')")).toEqual(
      [],
    );
    expect(await query("select id, state from stellar_envelopes where state in ('built', 'submitted')")).toEqual([]);
    expect(await query('select address from channel_accounts where envelope_id is not null')).toEqual([]);
  });

  it('never had two transactions at a time that could both be applied', async () => {
    const overlapping = await query(
      `select a.payout_id, a.hash, b.hash from audit_attempts a join audit_attempts b
         on a.payout_id = b.payout_id and a.inner_hash <> b.inner_hash and a.created_at < b.created_at
       where a.ended_at is null or a.ended_at > b.created_at`,
    );
    expect(overlapping).toEqual([]);
  });

  it('keep the books consistent', async () => {
    expect(await findUnsoundBooks(database.pool)).toEqual({});
  });
});
