import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutBatch } from '../../src/api/payout.ts';
import { systemClock } from '../../src/core/clock.ts';
import { sandboxPayingIban } from '../../src/sandbox/bank-payouts/bank-answers.ts';
import { createSandboxBankExchange } from '../../src/sandbox/bank-payouts/bank-exchange.ts';
import { post } from '../../src/server/ledger/ledger.store.ts';
import { move } from '../../src/server/ledger/posting.ts';
import { orderUuid } from '../../src/server/rails/mobile-money/connector.ts';
import { type FakeMpesa, startFakeMpesa } from '../server/rails/fake-mpesa.ts';
import { type FakeMtn, startFakeMtn } from '../server/rails/fake-mtn.ts';
import { operatorSettings } from '../server/rails/operator-settings.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type BankProgram, startBankProgram } from './bank-program.ts';
import { type FaultyLine, startFaultyLine } from './faulty-line.ts';
import { type FiledOrder, fileComplaints, misfiled } from './file-complaints.ts';
import { waitUntil } from './killed-service.ts';
import { amountOf, currencies, endOf, isToBank, liveRows, numberOf, railOf } from './live-rows.ts';
import { call } from './load.ts';
import { isEnd } from './payout-rows.ts';
import { report, roundSeconds, seed, seeded } from './round.ts';

/** How many payouts one request brings, and how often the service is killed until they have ended. */
const { payouts, kills, perFile } =
  roundSeconds === null ? { payouts: 4_000, kills: 20, perFile: 100 } : { payouts: 120, kills: 3, perFile: 20 };
const patienceMs = roundSeconds === null ? 1_800_000 : 180_000;
const funds = 1_000_000_000_00n;
const liveKey = `sk_live_${'torture0'.repeat(4)}`;
const treasury = Keypair.fromRawEd25519Seed(createHash('sha256').update('a treasury').digest());
const random = seeded(seed);

let folder: string;
let database: TestDatabase;
/** The database of the bank. */
let bankDatabase: TestDatabase;
let bank: BankProgram;
let mtn: FakeMtn;
let mpesa: FakeMpesa;
/** The lines to MTN, to M-Pesa, and to the service: by the last one it is called. */
let lines: readonly FaultyLine[] = [];
let server: ServerProcess | null = null;
let batch: PayoutBatch & { readonly id: string };
/** Where the server listens, also after it was killed. */
let ownUrl: string;
let killed = 0;

const query = async (sql: string): Promise<pg.QueryResultRow[]> => (await database.pool.query(sql)).rows;
const ask = (route: string) => call(ownUrl, route, undefined, undefined, liveKey);

/** A server of the public network whose bank is a folder, and whose operators answer by lines with faults. */
const start = () => startServerProcess(settings());
const settings = (): Record<string, string> => ({
  PORT: new URL(ownUrl).port,
  DATABASE_URL: urlOf(database),
  PAY_NETWORK: 'public',
  PAY_TREASURY_SECRET: treasury.secret(),
  PAY_SECRET_KEY: liveKey,
  PAY_PUBLIC_URL: lines[2]?.url ?? '',
  PAY_LOG_LEVEL: 'error',
  PAY_LOG_REQUESTS: 'none',
  PAY_HORIZON_URL: 'http://127.0.0.1:9',
  PAY_ECB_URL: 'http://127.0.0.1:9/rates',
  ...operatorSettings(mtn, mpesa, { mtn: lines[0]?.url ?? '', mpesa: lines[1]?.url ?? '' }),
  PAY_BANK_EXCHANGE: folder,
  PAY_BANK_FILE_PAUSE: '1',
  PAY_BANK_FILE_PAYMENTS: String(perFile),
  PAY_BANK_NAME: 'Nordlys Supply',
  PAY_BANK_IBAN: sandboxPayingIban,
  PAY_BANK_BIC: 'CBVILT2X',
  PAY_ACH_ROUTING: '110000000',
  PAY_ACH_BANK_NAME: 'Sandbox Bank',
  PAY_ACH_ACCOUNT: '000123456789',
  PAY_ACH_COMPANY_NAME: 'Nordlys Supply',
  PAY_ACH_COMPANY_ID: '1123456789',
});

beforeAll(async () => {
  await openWorld();
  server = await start();
  await fund();
  const accepted = accept();
  // The first kill may meet the acceptance itself.
  while (killed < kills) {
    await sleep(500 + random() * 2_500);
    await kill();
    void callBack();
  }
  batch = await accepted;
  for (const each of [...lines, bank]) each.heal();
  await waitUntil('all payouts have ended', patienceMs, async () => {
    await callBack();
    if (roundSeconds !== null) await passTime();
    await releaseUnpaid();
    batch = (await ask(`GET /v1/payout-batches/${batch.id}`)).body;
    return batch.completed_at !== null;
  });
  await waitUntil('all returns are booked', patienceMs, async () => {
    const rows = await query("select position from payouts where status = 'completed'");
    return rows.every(({ position }) => endOf(position) === 'completed');
  });
  batch = (await ask(`GET /v1/payout-batches/${batch.id}`)).body;
  await server.stop();
  tell();
}, patienceMs);

afterAll(async () => {
  await server?.stop();
  await bank?.stop();
  for (const part of [mtn, mpesa, ...lines]) await part?.close();
  await database?.drop();
  await bankDatabase?.drop();
  await rm(folder, { recursive: true });
});

async function openWorld(): Promise<void> {
  folder = makeDataFolder('pay-exchange-');
  ownUrl = `http://127.0.0.1:${await freePort()}`;
  [database, bankDatabase] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  [mtn, mpesa] = await Promise.all([startFakeMtn(), startFakeMpesa()]);
  bank = startBankProgram({
    folder,
    random,
    bank: createSandboxBankExchange({ db: bankDatabase.db, clock: systemClock }),
  });
  lines = await Promise.all(
    [() => mtn.url, () => mpesa.url, () => ownUrl].map(target => startFaultyLine(target, random)),
  );
  for (let position = 0; position < payouts; position++) {
    if (endOf(position) !== 'failed') continue;
    if (railOf(position) === 'mtn') mtn.failing.set(numberOf(position), 'PAYEE_NOT_FOUND');
    if (railOf(position) === 'mpesa') mpesa.failing.set(numberOf(position), '2040');
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise(resolve => probe.close(resolve));
  return port;
}

/** Live mode has no test money, so it is booked behind the service. */
async function fund(): Promise<void> {
  const [merchant] = await query('select id from merchants');
  const merchantId = String(merchant?.['id']);
  await database.db.transaction().execute(async tx => {
    for (const currency of Object.values(currencies)) {
      const postings = move('funding', 'merchant.available', currency, funds);
      await post(tx, [{ merchantId, livemode: true, kind: 'test_funding', postings, now: new Date() }]);
    }
  });
}

/** Sends the request until it has a final answer, also while the service is killed and started. */
async function accept(): Promise<PayoutBatch & { readonly id: string }> {
  const payload = { payouts: liveRows(payouts) };
  for (const giveUp = performance.now() + 240_000; ; await sleep(100)) {
    const reply = await call(lines[2]?.url ?? '', 'POST /v1/payouts/bulk', payload, 'payroll', liveKey);
    if (reply.status > 0 && reply.status < 300) return reply.body;
    const isBusy = reply.status === 429 || reply.body?.error?.code === 'idempotency_in_progress';
    const isFinal = reply.status > 0 && reply.status < 500 && !isBusy;
    if (isFinal || performance.now() > giveUp) throw new Error(`${reply.status} ${reply.failure ?? reply.text}`);
  }
}

/** The operators call about their transfers, some of them twice. A dead service does not hear them. */
async function callBack(): Promise<void> {
  await Promise.allSettled([mtn.callBack(random() < 0.2 ? 2 : 1), mpesa.callBack(random() < 0.2 ? 2 : 1)]);
}

async function kill(): Promise<void> {
  await server?.stop('SIGKILL');
  server = await start();
  startedAt = performance.now();
  killed++;
}
let startedAt = 0;

/** Ends the leases and pauses: live mode has no test clock. */
async function passTime(): Promise<void> {
  // A server reads the inbox when it starts, and then every half minute.
  if (performance.now() > startedAt + 8_000) await kill();
  await query("update outbound_transfers set due_at = now() where state = 'sending' and due_at > now()");
  await query("update mpesa_orders set asked_at = asked_at - interval '1 minute'");
  await query('update bank_files set due_at = now() where due_at > now()');
}

/** What docs/mobile-money.md asks of the operator: old orders that M-Pesa does not have are deleted, and sent again. */
async function releaseUnpaid(): Promise<void> {
  // A call of the service is not on a line for that long.
  const isOld = "state = 'sent' and created_at < now() - interval '20 seconds'";
  const open = await query(`select order_id, reference from mpesa_orders where ${isOld}`);
  const known = new Set(mpesa.payments.map(({ body }) => body['OriginatorConversationID']));
  const unpaid = open.filter(({ reference }) => !known.has(reference)).map(({ order_id }) => order_id);
  await database.pool.query(`delete from mpesa_orders where ${isOld} and order_id = any ($1)`, [unpaid]);
  released += unpaid.length;
}
let released = 0;

function tell(): void {
  const faults = [...lines, bank].flatMap(({ met }) => [...met]);
  const [all, met] = [
    lines.reduce((sum, line) => sum + line.calls(), 0),
    faults.reduce((sum, [, count]) => sum + count, 0),
  ];
  report(
    `live: ${batch.counts.completed} of ${payouts} payouts completed, ${killed} kills, ${met} faults, ${all} calls, ` +
      `${bank.taken.size} bank files (${bank.repeated()} came twice), ${released} orders released by hand`,
  );
}

/** The transfers of all payouts. */
const transfers = () =>
  query(
    `select p.position, p.status, o.id, o.amount, o.asset, replace(o.rail, 'payout:', '') as rail, o.state
     from payouts p join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id`,
  );

describe('live payouts by banks and mobile money with faults, while the service is killed repeatedly', () => {
  it('were accepted once, each with one transfer, and have ended', async () => {
    expect(await query('select count(*)::int as batches from payout_batches')).toEqual([{ batches: 1 }]);
    const { total, accepted, pending } = batch.counts;
    expect({ total, accepted, pending }).toEqual({ total: payouts, accepted: payouts, pending: 0 });
    const all = await transfers();
    expect(all).toHaveLength(payouts);
    expect(all.filter(({ position, rail }) => rail !== railOf(position))).toEqual([]);
    expect(all.filter(({ position, status }) => !isEnd(status, endOf(position), isToBank(position)))).toEqual([]);
  });

  it('to banks are each in one file, with their amount', async () => {
    const all = (await transfers()).filter(({ position }) => isToBank(position));
    expect(all.filter(({ amount, position }) => amount !== BigInt(amountOf(position)))).toEqual([]);
    expect(misfiled([...bank.taken.values()], all as FiledOrder[])).toEqual([]);
  });

  it('to banks are in valid files that the bank accepts', async () => {
    expect(bank.problems).toEqual([]);
    expect(await fileComplaints(bank.taken)).toEqual([]);
  }, 120_000);

  it('to mobile money are each with the operator once, with their amount', async () => {
    const all = (await transfers()).filter(({ position }) => !isToBank(position));
    const given = Map.groupBy(
      [
        ...mtn.transfers.map(({ reference, body }) => ({ reference, amount: body['amount'] })),
        ...mpesa.payments.map(({ body }) => ({ reference: body['OriginatorConversationID'], amount: body['Amount'] })),
      ],
      ({ reference }) => reference,
    );
    const wrong = all.filter(({ id, amount }) => {
      const orders = given.get(orderUuid(id)) ?? [];
      return orders.length !== 1 || Number(orders[0]?.amount) * 100 !== Number(amount);
    });
    expect(wrong).toEqual([]);
    expect(given.size).toBe(all.length);
  });

  it('leave balances that are right to the unit', async () => {
    const paid = new Map(Object.values(currencies).map(currency => [currency, 0]));
    for (let position = 0; position < payouts; position++) {
      const currency = currencies[railOf(position)];
      if (endOf(position) === 'completed') paid.set(currency, (paid.get(currency) ?? 0) + amountOf(position));
    }
    const left = await query(
      `select currency, sum(amount) filter (where account = 'merchant.available')::text as available,
         coalesce(sum(amount) filter (where account = 'merchant.reserved'), 0)::text as reserved
       from ledger_entries group by currency order by currency`,
    );
    expect(left).toEqual(
      [...paid]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([currency, sum]) => ({ currency, available: String(funds - BigInt(sum)), reserved: '0' })),
    );
    expect(await findUnsoundBooks(database.pool)).toEqual({});
  });

  it('have each one event for every step, in order', async () => {
    const wrong = await query(
      `select resource_id, array_agg(type order by sequence) from events where resource_id in (select id from payouts)
       group by resource_id having min(sequence) <> 1 or max(sequence) <> count(*) or count(distinct type) <> count(*)`,
    );
    expect(wrong).toEqual([]);
  });

  it('met faults of every kind', () => {
    const met = new Set([...lines, bank].flatMap(line => [...line.met.keys()]));
    if (roundSeconds === null) expect(met.size).toBe(11);
    else expect(met.size).toBeGreaterThan(3);
  });
});
