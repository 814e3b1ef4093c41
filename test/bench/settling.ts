import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Payment } from '../../src/api/payment.ts';
import { updateMerchant } from '../../src/server/merchants/merchant.store.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { costOf } from '../support/statements.ts';
import { type BenchApp, startBenchApp } from './bench-app.ts';
import { newPayment } from './create-payment.ts';
import { type Exchange, postText, runLoad } from './http-load.ts';
import type { Measure } from './table.ts';

const key = `sk_test_${'d'.repeat(32)}`;
const few = 2_000;
const many = 10_000;
const connections = 32;
/** Payments of one full batch. Their statements include those that each settlement needs once, for its payout. */
const batch = 1_000;
const mostMegabytes = 400;
/** Longer than any weekend with bank holidays. */
const closedDays = 5;
/** From the close of the settlement to the marks of its payments. */
const sweeps = ['settlements.close', 'payouts.send', 'outbound.send', 'bank.files', 'bank.inbox', 'outbound.book'];

const destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' } as const;
const settlement = { asset: 'EUR', destination, batch: 'daily', hour: 17 } as const;
const card = { method: 'card', token: 'tok_visa' };

/** A payment by card, in euros or dollars. Amounts differ, so that a wrong share shows in the sum. */
const paymentOf = (index: number) => ({
  ...newPayment,
  amount: 1_000 + ((index * 37) % 9_000),
  currency: index % 2 === 0 ? 'EUR' : 'USD',
  settlement_asset: 'EUR',
  payment_methods: ['card'],
});

/** Runs a benchmark in a folder of its own. */
type InFolder = (bench: (folder: string) => Promise<Measure[]>) => Promise<Measure[]>;

/** Settles thousands of one merchant's payments by one daily payout. Throws if a cent is missing. */
export async function benchSettling(inFolder: InFolder): Promise<Measure[]> {
  return [...(await inFolder(benchStatements)), ...(await inFolder(benchMemory))];
}

/** Counts the SQL statements for each thousand payments, in a service without other work. */
async function benchStatements(folder: string): Promise<Measure[]> {
  const app = await startBenchApp(folder);
  await app.seeder.db.transaction().execute(tx =>
    updateMerchant(tx, app.merchantId, {
      settlementAsset: settlement.asset,
      settlementDestination: destination,
      settlementBatch: settlement.batch,
      settlementHour: settlement.hour,
    }),
  );
  // The first day reads the columns of tables.
  await settleDay(app, 10);
  const first = (await settleDay(app, batch)).statements;
  const small = await settleDay(app, few);
  const large = await settleDay(app, many);
  await app.stop();
  const perThousand = (statements: number, count: number) => ((statements - first) / (count - batch)) * 1_000;
  const [fewer, more] = [perThousand(small.statements, few), perThousand(large.statements, many)];
  return [
    {
      name: `statements per 1,000 payments of a daily settlement of ${few} and of ${many}, after ${first} for the first`,
      value: `${fewer.toFixed(1)} and ${more.toFixed(1)}`,
      target: 'the same',
      met: Math.abs(fewer - more) < 1,
    },
    {
      name: `${many} payments settled by one payout (${few}: ${small.seconds.toFixed(1)} s)`,
      value: `${large.seconds.toFixed(1)} s`,
      target: 'under 60 s',
      met: large.seconds < 60,
    },
  ];
}

/** Takes the payments of a day, and settles them after its end. */
async function settleDay(app: BenchApp, count: number) {
  const cents = await takePayments(app, count);
  app.log.clear();
  const begun = performance.now();
  await app.run('settlements.fiat');
  // Over the next closing hour. The bank answers a minute after each step.
  app.advance(closedDays * 86_400);
  for (let turn = 0; turn < 5; turn++) {
    await app.run(...sweeps);
    app.advance(60);
  }
  const done = { statements: costOf(app.log.statements).roundTrips, seconds: (performance.now() - begun) / 1000 };
  await expectSettled(app.seeder, app.merchantId, count, cents);
  return done;
}

/** Takes payments by card. Returns the cents of their quotes. */
async function takePayments(app: BenchApp, count: number): Promise<number> {
  let next = 0;
  let cents = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        const answer = (await app.post('/v1/payments', paymentOf(next++))) as unknown as Payment;
        cents += Math.round(Number(answer.quote.settlement_amount) * 100);
        await app.post(`/v1/payments/${answer.id}/confirm`, card);
      }
    }),
  );
  return cents;
}

/** Throws unless one payout of exactly these cents settled the newest payments, and nothing is left in the books. */
async function expectSettled({ pool }: Database, merchantId: string, count: number, cents: number): Promise<void> {
  const { rows } = await pool.query(
    `with newest as (
      select * from settlements where merchant_id = $1 order by created_at desc, id desc limit 1)
    select s.status, s.payments, (s.gross - s.deducted + s.carried)::int as amount,
      (select count(*)::int from payouts p where p.merchant_id = $1 and p.settlement_id = s.id) as payouts,
      (select p.status || ' ' || p.amount from payouts p where p.merchant_id = $1 and p.id = s.payout_id) as paid,
      (select count(*)::int from payments p where p.merchant_id = $1 and p.settlement_id = s.id
        and p.settlement_status = 'settled' and p.settlement_payout = s.payout_id) as settled,
      (select count(*)::int from settlements o where o.merchant_id = $1 and o.status <> 'paid') as open,
      (select coalesce(sum(abs(left_over)), 0)::int from (
        select sum(amount) as left_over from ledger_entries where merchant_id = $1 and account like 'merchant.%'
        group by account, currency) e) as left_over
    from newest s`,
    [merchantId],
  );
  const expected = { status: 'paid', payments: count, amount: cents, payouts: 1, paid: `completed ${cents}` };
  const seen = JSON.stringify(rows[0]);
  if (seen !== JSON.stringify({ ...expected, settled: count, open: 0, left_over: 0 })) {
    throw new Error(`${count} payments of ${cents} cents were settled as ${seen}`);
  }
}

/** Reads the peak memory of a server that takes the payments over HTTP and settles them. */
async function benchMemory(folder: string): Promise<Measure[]> {
  const log = { info: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log });
  const settings = {
    PAY_DATA_DIR: folder,
    PAY_SECRET_KEY: key,
    PAY_RATE_LIMIT: '1000000',
    PAY_LOG_REQUESTS: 'errors',
    PAY_LOG_LEVEL: 'error',
  };
  const server = await startServerProcess(settings);
  const database = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  const merchantId = (await api<{ id: string }>(server, 'PATCH /v1/account', { settlement })).id;
  const cents = await takeByHttp(server);
  await untilBegun(database);
  await api(server, 'POST /v1/test_helpers/clock', { advance: `P${closedDays}D` });
  await untilPaid(database, merchantId);
  await expectSettled(database, merchantId, many, cents);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1] ?? 0);
  await database.close();
  await server.stop();
  await postgres.release();
  const memory = peak / 1024;
  return [
    {
      name: `peak memory of a server that takes and settles ${many} payments`,
      value: `${memory.toFixed(0)} MB`,
      target: `at most ${mostMegabytes} MB`,
      met: memory <= mostMegabytes,
    },
  ];
}

async function takeByHttp({ url }: ServerProcess): Promise<number> {
  const { hostname: host, port } = new URL(url);
  let next = 0;
  let cents = 0;
  const post = async (exchange: Exchange, path: string, body: object) =>
    JSON.parse((await exchange(postText(url, key, path, body)())).body.toString()) as Payment;
  const turn = async (exchange: Exchange) => {
    if (next >= many) return null;
    const { id, quote } = await post(exchange, '/v1/payments', paymentOf(next++));
    cents += Math.round(Number(quote.settlement_amount) * 100);
    return (await post(exchange, `/v1/payments/${id}/confirm`, card)).status === 'completed';
  };
  const { errors } = await runLoad({ host, port: Number(port), connections, seconds: 600, turn });
  if (errors > 0) throw new Error(`${errors} payments were not taken`);
  return cents;
}

async function untilBegun({ pool }: Database): Promise<void> {
  await until(pool, 'select count(*)::int as open from payments where settlement_due_at is not null');
}

async function untilPaid({ pool }: Database, merchantId: string): Promise<void> {
  await until(
    pool,
    `select (select count(*) from settlements where merchant_id = $1 and (status <> 'paid' or due_at is not null))::int
      + (select count(*) from payments where merchant_id = $1 and settlement_status <> 'settled')::int as open`,
    [merchantId],
  );
}

async function until(pool: Database['pool'], query: string, values: readonly string[] = []): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { rows } = await pool.query(query, [...values]);
    if (rows[0].open === 0) return;
    if (performance.now() - begun > 300_000) throw new Error(`${rows[0].open} are open after five minutes`);
    await sleep(200);
  }
}

async function api<T>({ url }: ServerProcess, route: string, body: object): Promise<T> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
