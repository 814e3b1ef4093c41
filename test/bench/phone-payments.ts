import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { freshNumber } from '../support/phone-numbers.ts';
import { startServerProcess } from '../support/server-process.ts';
import { type BareFlow, loadBareRows, stepBetween, takeSnapshot } from './bare-rows.ts';
import { startBenchApp } from './bench-app.ts';
import { newPayment } from './create-payment.ts';
import { type Exchange, postText, runLoad } from './http-load.ts';
import { untilSettled } from './payment.ts';
import { type Measure, median } from './table.ts';

const key = `sk_test_${'p'.repeat(32)}`;
const connections = 32;
const rounds = 3;
/** Payments of one round. */
const amount = 2_000;
/** The payer of the test number approves the prompt before the operator is first asked, after this time. */
const payerSeconds = 2;

/** A phone gets one prompt at a time, so each payment has its own. */
const byPhone = () => ({ method: 'mobile_money', provider: 'mtn', number: freshNumber('789') });
const payment = { ...newPayment, amount: 150_000, currency: 'UGX', payment_methods: ['card', 'mobile_money'] };

/**
 * Whole payments by mobile money over HTTP, from the creation until the last one is booked, against bare `pg` writing
 * the same rows, in turns on one database. The payer's time does not count. The service settles the payments meanwhile.
 */
export async function benchPhone(folder: string): Promise<Measure[]> {
  const settings = {
    PAY_DATA_DIR: folder,
    PAY_SECRET_KEY: key,
    PAY_RATE_LIMIT: '1000000',
    PAY_LOG_REQUESTS: 'errors',
    PAY_LOG_LEVEL: 'error',
  };
  await (await startServerProcess(settings)).stop();
  const flow = await sampleFlow(folder);
  const log = { info: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log });
  const server = await startServerProcess(settings);
  const database = createDatabase({ connection: postgres.connection, max: 1 });
  const rates: number[] = [];
  let errors = 0;
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    const ours = await payByPhone(server.url, database.pool);
    await untilSettled(database.pool);
    const bare = await loadBareRows(postgres.connection, flow, { connections, seconds: 1.5 });
    errors += ours.errors;
    if (round > 0) rates.push(ours.perSecond / bare.perSecond);
    console.log(`  phone payment ${round}: ${ours.perSecond.toFixed(0)}/s; bare ${bare.perSecond.toFixed(0)}/s`);
  }
  await database.close();
  await server.stop();
  await postgres.release();
  const rate = median(rates);
  const least = 0.7;
  return [
    {
      name: 'phone payment, rate against bare pg',
      value: `${rate.toFixed(2)}×`,
      target: `at least ${least}×`,
      met: rate >= least,
    },
    { name: 'phone payment, errors', value: String(errors), target: '0', met: errors === 0 },
  ];
}

async function payByPhone(url: string, pool: pg.Pool) {
  const { hostname: host, port } = new URL(url);
  let left = amount;
  const post = async (exchange: Exchange, path: string, body: object) => {
    const answer = await exchange(postText(url, key, path, body)());
    return JSON.parse(answer.body.toString()) as { readonly id: string; readonly phase: string };
  };
  const turn = async (exchange: Exchange) => {
    if (left-- <= 0) return null;
    const { id } = await post(exchange, '/v1/payments', payment);
    return (await post(exchange, `/v1/payments/${id}/confirm`, byPhone())).phase === 'requires_action';
  };
  const begun = performance.now();
  const { errors } = await runLoad({ host, port: Number(port), connections, seconds: 600, turn });
  for (;;) {
    const open = "select count(*)::int as open from payment_attempts where state not in ('captured', 'declined')";
    if ((await pool.query(open)).rows[0].open === 0) break;
    await sleep(50);
  }
  const seconds = (performance.now() - begun) / 1000 - payerSeconds;
  return { errors, perSecond: amount / seconds };
}

/** The rows of one payment, from a service without sweeps. */
async function sampleFlow(folder: string): Promise<BareFlow> {
  const app = await startBenchApp(folder);
  const { pool } = app.seeder;
  const collect = async () => {
    app.advance(payerSeconds);
    await app.run('payments.attempts');
  };
  const confirm = (id: string, prompt = byPhone()) => app.post(`/v1/payments/${id}/confirm`, prompt);
  await confirm((await app.post('/v1/payments', payment)).id);
  await collect();
  const begun = await takeSnapshot(pool);
  const { id } = await app.post('/v1/payments', payment);
  const created = await takeSnapshot(pool);
  const prompt = byPhone();
  await confirm(id, prompt);
  const asked = await takeSnapshot(pool);
  await collect();
  const paid = await takeSnapshot(pool);
  await app.stop();
  const steps = [stepBetween(begun, created), stepBetween(created, asked), stepBetween(asked, paid)];
  return { steps, fixed: [app.merchantId], fresh: [prompt.number] };
}
