import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutBatch } from '../../src/api/payout.ts';
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
import { attachSignature, buildEnvelope, hashEnvelope } from '../../src/server/stellar/transaction/transaction.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type FiledOrder, fileComplaints, misfiled } from './file-complaints.ts';
import { horizonFaults } from './horizon-faults.ts';
import { call, secretKey } from './load.ts';
import { amountOf, endOf, isEnd, isToBank, payoutRows } from './payout-rows.ts';
import { breakRails, healRails } from './rail-faults.ts';
import { report, roundSeconds, seed, seeded } from './round.ts';

/** Number of payouts in the request, and number of kills until all have ended. */
const { payouts, kills } = roundSeconds === null ? { payouts: 10_000, kills: 20 } : { payouts: 300, kills: 3 };
const patienceMs = roundSeconds === null ? 1_800_000 : 180_000;
const longestBetweenKillsMs = roundSeconds === null ? 15_000 : 4_000;
const random = seeded(seed);
/** The merchant's balance before, in cents. */
const funds = 100_000_000_00;
const payees: Keypair[] = [];
const http = createHttpExchange();
const network = createHorizonNetwork({ http, passphrase: testPassphrase, url: () => `${server.url}/sandbox/horizon` });

let dataDir: string;
let server: ServerProcess;
let postgres: EmbeddedPostgres;
let database: Database;
let batch: PayoutBatch & { readonly id: string };
let killed = 0;
/** How many payouts had ended before the last kill. */
let endedBefore = 0;

const start = () =>
  startServerProcess({
    PAY_DATA_DIR: dataDir,
    PAY_SECRET_KEY: secretKey,
    PAY_LOG_LEVEL: 'error',
    PAY_LOG_REQUESTS: 'none',
    PAY_SANDBOX_LEDGER_MS: '500',
  });
const query = async (sql: string): Promise<pg.QueryResultRow[]> => (await database.pool.query(sql)).rows;

beforeAll(async () => {
  dataDir = makeDataFolder('pay-torture-');
  server = await start();
  postgres = await startEmbeddedPostgres({ dataDir, log: console });
  database = createDatabase({ connection: postgres.connection, max: 2, silenceMs: 0 });
  for (let i = 0; i < 4; i++) payees.push(await openPayee());
  await insist('POST /v1/test_helpers/fund', { currency: 'USD', amount: funds }, 'fund');
  await putFaults(horizonFaults);
  await breakRails(database.pool);
  const rows = payoutRows(
    payouts,
    payees.map(payee => payee.publicKey()),
  );
  const accepted = insist('POST /v1/payouts/bulk', { payouts: rows }, 'payroll');
  // The first kill may meet the acceptance itself; the others meet all that follows.
  while (killed < kills) {
    endedBefore = await untilEnded((payouts * killed) / kills);
    await sleep(500 + random() * 2_500);
    await server.stop('SIGKILL');
    server = await start();
    killed++;
  }
  batch = (await accepted).body;
  await putFaults([]);
  const met = await healRails(database.pool);
  await until('all payouts have ended', async () => {
    // The lease of a file ends by the real clock.
    if (roundSeconds !== null) await query('update bank_files set due_at = now() where due_at > now()');
    // Slow operators answer after a minute, banks within days, and leases of killed servers end.
    await call(server.url, 'POST /v1/test_helpers/clock', { advance: 'PT6H' });
    batch = (await call(server.url, `GET /v1/payout-batches/${batch.id}`)).body;
    return batch.completed_at !== null;
  });
  await until('all transfers are booked', async () => {
    const [row] = await query('select count(*)::int as open from outbound_transfers where not booked');
    return row?.['open'] === 0;
  });
  await until('all returns are booked', async () => {
    await call(server.url, 'POST /v1/test_helpers/clock', { advance: 'PT6H' });
    const rows = await query("select position from payouts where status = 'completed'");
    return rows.every(({ position }) => endOf(position) === 'completed');
  });
  batch = (await call(server.url, `GET /v1/payout-batches/${batch.id}`)).body;
  report(
    `${batch.counts.completed} of ${payouts} payouts completed, ${killed} kills (${endedBefore} had ended before the last), ${met} faults of banks and operators`,
  );
}, patienceMs);

afterAll(async () => {
  await database?.close();
  await postgres?.release();
  await server?.stop();
  http.close();
  await rm(dataDir, { recursive: true });
});

/** Repeats the call until it has a final answer, across kills of the server. */
async function insist(route: string, body: object, key: string) {
  const giveUp = performance.now() + 240_000;
  for (;;) {
    const reply = await call(server.url, route, body, key);
    const isBusy = reply.status === 409 && reply.body.error.code === 'idempotency_in_progress';
    if (reply.status > 0 && reply.status < 300) return reply;
    const isFinal = reply.status > 0 && reply.status < 500 && !isBusy;
    if (isFinal || performance.now() > giveUp)
      throw new Error(`${route}: ${reply.status} ${reply.failure ?? reply.text}`);
    await sleep(100);
  }
}

async function putFaults(faults: readonly object[]): Promise<void> {
  await until('faults are switched', async () => {
    return (await call(server.url, 'PUT /sandbox/stellar/faults', { faults })).status === 200;
  });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + patienceMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > giveUp) throw new Error(`not in time: ${what}`);
    await sleep(200);
  }
}

/** Waits until so many payouts have ended, but not for long, because a kill delays them. Returns how many have. */
async function untilEnded(count: number): Promise<number> {
  let ended = 0;
  for (const giveUp = performance.now() + longestBetweenKillsMs; performance.now() < giveUp; await sleep(200)) {
    const [row] = await query(
      "select count(*)::int as ended from payouts where status in ('completed', 'failed', 'returned')",
    );
    ended = row?.['ended'];
    if (ended >= count) break;
  }
  return ended;
}

/** Opens an account that can hold dollars. */
async function openPayee(): Promise<Keypair> {
  const key = Keypair.random();
  const source = key.publicKey();
  await until('friendbot has answered', async () => {
    return (await fetch(`${server.url}/sandbox/horizon/friendbot?addr=${source}`)).ok;
  });
  const { sequence = 0n } = (await network.account(source)) ?? {};
  const operations = [{ type: 'changeTrust', asset: sandboxAssets.USDC, limit: 2n ** 63n - 1n }] as const;
  const unsigned = buildEnvelope({ source, sequence: sequence + 1n, fee: 1_000n, timeBounds: null, operations });
  const hash = hashEnvelope(unsigned, testPassphrase);
  const signature = Buffer.from(key.sign(Buffer.from(hash, 'hex'))).toString('base64');
  await network.submit(attachSignature(unsigned, testPassphrase, { address: source, signature }));
  await until('the trustline is there', async () => (await network.status(hash)).state === 'applied');
  return key;
}

/** Payments to the payees in the ledger, by the muxed id of the address. */
async function arrivals(): Promise<Map<string, IncomingPayment[]>> {
  const all: IncomingPayment[] = [];
  for (const payee of payees) {
    for (let cursor: string | null = null; ; ) {
      const page = await network.incoming(payee.publicKey(), cursor, 200);
      all.push(...page.payments.filter(({ toMuxedId }) => toMuxedId !== null));
      if (!page.more) break;
      cursor = page.cursor;
    }
  }
  return Map.groupBy(all, ({ toMuxedId }) => toMuxedId ?? '');
}

describe('payouts of one request with faults, while the service is killed repeatedly', () => {
  it('were accepted once', async () => {
    expect(await query('select count(*)::int as batches from payout_batches')).toEqual([{ batches: 1 }]);
    const { total, accepted, pending } = batch.counts;
    expect({ total, accepted, pending }).toEqual({ total: payouts, accepted: payouts, pending: 0 });
  });

  it('end each as its payee decides, whatever happened on the way', async () => {
    const rows = await query('select position, status, failure_code from payouts');
    expect(rows.filter(({ position, status }) => !isEnd(status, endOf(position), isToBank(position)))).toEqual([]);
  });

  it('on Stellar are each applied on the ledger once when completed, exact to the stroop, and else never', async () => {
    const arrived = await arrivals();
    const rows = await query(
      `select position, status, paid_amount from payouts where rail = 'stellar' and destination ->> 'address' like 'M%'`,
    );
    expect(rows.length).toBeGreaterThan(payouts / 2);
    const wrong = rows.filter(({ position, status, paid_amount: amount }) => {
      const payments = arrived.get(String(position)) ?? [];
      return payments.length !== (status === 'completed' ? 1 : 0) || payments.some(one => one.amount !== amount);
    });
    expect(wrong).toEqual([]);
    expect([...arrived.keys()].filter(id => !rows.some(({ position }) => String(position) === id))).toEqual([]);
  });

  it('to banks are each in one valid file that the bank has', async () => {
    const files = await query('select f.name, content from bank_files f join sandbox.bank_files b on b.name = f.name');
    const contents = new Map(files.map(({ name, content }) => [String(name), String(content)]));
    const orders = await query(
      `select replace(o.rail, 'payout:', '') as rail, o.id, o.amount from payouts p
       join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id
       where p.destination ->> 'type' = 'bank_account'`,
    );
    expect(orders).toHaveLength((payouts / 10) * 3);
    expect(misfiled([...contents.values()], orders as FiledOrder[])).toEqual([]);
    expect(await fileComplaints(contents)).toEqual([]);
  }, 120_000);

  it('to mobile money are each paid by the operator once, and fail where it refuses', async () => {
    const wrong = await query(
      `select p.position, p.status, count(m.id)::int as paid from payouts p
       left join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id
       left join sandbox.mobile_transfers m on m.order_id = o.id and m.outcome = 'completed'
       where p.destination ->> 'type' = 'mobile_money' group by p.position, p.status
       having count(m.id) <> case when p.status in ('completed', 'returned') then 1 else 0 end`,
    );
    expect(wrong).toEqual([]);
  });

  it('have each one event for every step, in order', async () => {
    const wrong = await query(
      `select resource_id, array_agg(type order by sequence) from events where resource_id in (select id from payouts)
       group by resource_id having min(sequence) <> 1 or max(sequence) <> count(*) or count(distinct type) <> count(*)`,
    );
    expect(wrong).toEqual([]);
  });

  it('leave no transaction that is still open', async () => {
    expect(await query("select id, state from outbound_transfers where state not in ('completed', 'failed')")).toEqual(
      [],
    );
    expect(await query("select id, state from stellar_envelopes where state in ('built', 'submitted')")).toEqual([]);
  });

  it('never had two transactions at a time that could both be applied', async () => {
    const overlapping = await query(
      `select a.payout_id, a.hash, b.hash from audit_attempts a join audit_attempts b
         on a.payout_id = b.payout_id and a.inner_hash <> b.inner_hash and a.created_at < b.created_at
       where a.ended_at is null or a.ended_at > b.created_at`,
    );
    expect(overlapping).toEqual([]);
  });

  it('leave balances that are right to the cent, and consistent books', async () => {
    const paid = Array.from({ length: payouts }, (_, position) =>
      endOf(position) === 'completed' ? amountOf(position) : 0,
    );
    const { body } = await call(server.url, 'GET /v1/balance');
    expect(body.reserved).toEqual([]);
    expect(body.available).toMatchObject([{ currency: 'USD', amount: funds - paid.reduce((sum, one) => sum + one) }]);
    expect(await findUnsoundBooks(database.pool)).toEqual({});
  });
});
