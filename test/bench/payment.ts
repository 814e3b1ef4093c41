import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createDatabase } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { costOf, type StatementLog } from '../support/statements.ts';
import { type BareFlow, loadBareRows, type Snapshot, type Step, stepBetween, takeSnapshot } from './bare-rows.ts';
import { type BenchApp, startBenchApp } from './bench-app.ts';
import { loadCreate, newPayment } from './create-payment.ts';
import { type Exchange, type LoadResult, postText, runLoad } from './http-load.ts';
import { type Measure, median } from './table.ts';

const key = `sk_test_${'p'.repeat(32)}`;
const connections = 32;
const rounds = 3;
const seconds = 1.5;
const secondsAlone = 0.75;
/** The number of prepared objects for the measured step of one round, over all connections and over one. */
const prepared = 400;
const preparedAlone = 80;

/** A flow over HTTP. `prepare` makes the objects of the measured `step`. A step returns whether it succeeded. */
interface Flow {
  readonly name: string;
  /** The goal for the rate against bare `pg`. Refunds and invoices are written one by one, others in groups. */
  readonly least: number;
  prepare?(exchange: Exchange): Promise<string>;
  step(exchange: Exchange, target: string): Promise<boolean>;
}

/** The fields of the answers that the flows read. */
interface Answered {
  readonly id: string;
  readonly status: string;
  readonly next_action: { readonly reference: string };
}

/** The flows, named like their parts of the benchmark. */
export type FlowName = 'payment' | 'credit' | 'refund' | 'invoice';

function flowsOf(url: string) {
  const post = async (exchange: Exchange, path: string, body: object) => {
    const answer = await exchange(postText(url, key, path, body)());
    return { ...(JSON.parse(answer.body.toString()) as Answered), httpStatus: answer.status };
  };
  const create = async (exchange: Exchange) => (await post(exchange, '/v1/payments', newPayment)).id;
  const confirm = (exchange: Exchange, id: string, body: object) => post(exchange, `/v1/payments/${id}/confirm`, body);
  const flows: Readonly<Record<FlowName, Flow>> = {
    payment: {
      name: 'card payment',
      least: 0.7,
      step: async exchange => (await confirm(exchange, await create(exchange), byCard)).status === 'completed',
    },
    credit: {
      name: 'bank credit',
      least: 0.7,
      prepare: async exchange => (await confirm(exchange, await create(exchange), byBank)).next_action.reference,
      step: async (exchange, reference) => {
        const { status } = await post(exchange, '/v1/test_helpers/bank_transfers', creditFor(reference));
        return status === 'matched';
      },
    },
    refund: {
      name: 'refund',
      least: 0.5,
      prepare: async exchange => (await confirm(exchange, await create(exchange), byCard)).id,
      step: async (exchange, id) => (await post(exchange, `/v1/payments/${id}/refunds`, {})).httpStatus === 201,
    },
    invoice: {
      name: 'invoice sent',
      least: 0.5,
      prepare: async exchange => (await post(exchange, '/v1/invoices', newInvoice)).id,
      step: async (exchange, id) => (await post(exchange, `/v1/invoices/${id}/send`, {})).httpStatus === 200,
    },
  };
  return flows;
}

const byCard = { method: 'card', token: 'tok_visa' };
const byBank = { method: 'bank_transfer', rail: 'sepa' };
const creditFor = (reference: string) => ({ reference, amount: newPayment.amount, currency: 'EUR' });
const newInvoice = {
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  currency: 'EUR',
  lines: [{ description: 'Consulting', quantity: '2', unit_amount: 5_000, tax: { name: 'VAT', percent: 19 } }],
  days_until_due: 20,
};

/**
 * Whole payments by card, bank credits, refunds or sent invoices over HTTP, against bare `pg` writing the same rows, in
 * turns on one database. The service settles the payments meanwhile; each turn waits until that is done.
 */
export async function benchFlow(folder: string, name: FlowName): Promise<Measure[]> {
  const settings = {
    PAY_DATA_DIR: folder,
    PAY_SECRET_KEY: key,
    PAY_RATE_LIMIT: '1000000',
    PAY_LOG_REQUESTS: 'errors',
    PAY_LOG_LEVEL: 'error',
  };
  // The first start creates the merchant, with a Stellar account to settle to. Another merchant has the sampled rows.
  await (await startServerProcess(settings)).stop();
  const bare = await sampleFlows(folder);
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const server = await startServerProcess(settings);
  const database = createDatabase({ connection: postgres.connection, max: 1 });
  const turn: Turn = { url: server.url, connection: postgres.connection, pool: database.pool };
  const measures = await measureFlow(turn, flowsOf(server.url)[name], bare[name]);
  const { rows } = await database.pool.query<{ settled: number }>(
    "select count(*)::int as settled from payments where settlement_status = 'settled'",
  );
  const settled = rows[0]?.settled ?? 0;
  await database.close();
  await server.stop();
  await postgres.release();
  // Sent invoices cause no settlement.
  if (name === 'invoice') return measures;
  const settlement = { name: `${name}: payments settled meanwhile`, value: String(settled), target: 'more than 0' };
  return [...measures, { ...settlement, met: settled > 0 }];
}

interface Turn {
  readonly url: string;
  readonly connection: pg.PoolConfig;
  readonly pool: pg.Pool;
}

async function measureFlow(turn: Turn, flow: Flow, bare: SampledFlow): Promise<Measure[]> {
  const results = [];
  const isWhole = flow.prepare === undefined;
  // This run only warms up.
  await loadFlow(turn, flow, connections);
  for (let round = 0; round < rounds; round++) {
    await untilSettled(turn.pool);
    const ours = await loadFlow(turn, flow, connections);
    await untilSettled(turn.pool);
    const bareRate = await loadBareRows(turn.connection, bare, bareLoad(isWhole, connections));
    const alone = await loadFlow(turn, flow, 1);
    await untilSettled(turn.pool);
    const bareAlone = await loadBareRows(turn.connection, bare, bareLoad(isWhole, 1));
    const created = isWhole ? await loadCreate(turn.url, key, seconds) : null;
    results.push({ ours, bare: bareRate, alone, bareAlone, created });
    const texts = [
      `${ours.perSecond.toFixed(0)}/s p50 ${ours.p50.toFixed(0)} ms`,
      `alone p50 ${alone.p50.toFixed(1)} ms`,
    ];
    const bareTexts = [`${bareRate.perSecond.toFixed(0)}/s`, `alone p50 ${bareAlone.p50.toFixed(1)} ms`];
    const creation = created === null ? '' : `; creation ${created.perSecond.toFixed(0)}/s`;
    console.log(`  ${flow.name} ${round + 1}: ${texts.join(', ')}; bare ${bareTexts.join(', ')}${creation}`);
  }
  const rate = median(results.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const wait = median(results.map(({ alone, bareAlone }) => alone.p50 / bareAlone.p50));
  const share = median(results.map(({ ours, created }) => ours.perSecond / (created?.perSecond ?? 1)));
  const errors = results.reduce((sum, { ours, alone }) => sum + ours.errors + alone.errors, 0);
  return [
    {
      name: `${flow.name}, rate against bare pg`,
      value: `${rate.toFixed(2)}×`,
      target: `at least ${flow.least}×`,
      met: rate >= flow.least,
    },
    {
      name: `${flow.name} alone, p50 against bare pg`,
      value: `${wait.toFixed(2)}×`,
      target: 'at most 3×',
      met: wait <= 3,
    },
    ...(isWhole
      ? [
          {
            name: `${flow.name}, rate against creation alone`,
            value: `${share.toFixed(2)}×`,
            target: 'at least 0.3×',
            met: share >= 0.3,
          },
        ]
      : []),
    ...(isWhole ? costMeasures(flow.name, bare.cost) : []),
    { name: `${flow.name}, errors`, value: String(errors), target: '0', met: errors === 0 },
  ];
}

function costMeasures(name: string, { roundTrips, commits, rail }: SampledFlow['cost']): Measure[] {
  return [
    {
      name: `${name}, round trips to the database`,
      value: `${roundTrips}, and ${rail.roundTrips} of the acquirer`,
      target: 'at most 8',
      met: roundTrips + rail.roundTrips <= 8,
    },
    {
      name: `${name}, commits`,
      value: `${commits}, and ${rail.commits} of the acquirer`,
      // One commit each for the creation, the attempt before the card is charged, and the booking afterwards.
      target: 'at most 3',
      met: commits <= 3,
    },
  ];
}

function bareLoad(isWhole: boolean, lines: number) {
  const load = { connections: lines, seconds: secondsFor(lines) };
  return isWhole ? load : { ...load, prepared: preparedFor(lines) };
}

function secondsFor(lines: number): number {
  return lines === 1 ? secondsAlone : seconds;
}

function preparedFor(lines: number): number {
  return lines === 1 ? preparedAlone : prepared;
}

async function loadFlow({ url }: Turn, flow: Flow, lines: number): Promise<LoadResult> {
  const { hostname: host, port: text } = new URL(url);
  const port = Number(text);
  const { prepare } = flow;
  const targets: string[] = [];
  if (prepare !== undefined) {
    const wanted = preparedFor(lines);
    const turn = async (exchange: Exchange) => {
      if (targets.length >= wanted) return null;
      targets.push(await prepare(exchange));
      return true;
    };
    await runLoad({ host, port, connections, seconds: 600, turn });
  }
  const turn = async (exchange: Exchange) => {
    const target = prepare === undefined ? '' : targets.pop();
    return target === undefined ? null : await flow.step(exchange, target);
  };
  return await runLoad({ host, port, connections: lines, seconds: secondsFor(lines), turn });
}

/** Waits until the service has sent and booked all settlements and refunds. */
export async function untilSettled(pool: pg.Pool): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { rows } = await pool.query(
      `select (select count(*) from payments where settlement_due_at < '2100-01-01' or amount_settling > 0)::int
        + (select count(*) from outbound_transfers where not booked and due_at < '2100-01-01')::int as open`,
    );
    if (rows[0].open === 0) break;
    if (performance.now() - begun > 300_000) throw new Error(`${rows[0].open} settlements are open after five minutes`);
    await sleep(500);
  }
}

/** A step with its SQL statements. */
interface Sampled extends Step {
  readonly statements: StatementLog['statements'];
}

interface SampledFlow extends BareFlow {
  readonly cost: ReturnType<typeof costOf>;
}

/** Creates a payment that waits for a bank transfer. Returns the transfer's reference. */
async function awaitBank(app: BenchApp): Promise<string> {
  const { id } = await app.post('/v1/payments', newPayment);
  const answer: unknown = await app.post(`/v1/payments/${id}/confirm`, byBank);
  return (answer as Answered).next_action.reference;
}

/** Runs each flow once, so that later runs find known tables and rows such as the counter of invoice numbers. */
async function runEachFlow(app: BenchApp): Promise<void> {
  const { id } = await app.post('/v1/payments', newPayment);
  await app.post(`/v1/payments/${id}/confirm`, byCard);
  await app.post(`/v1/payments/${id}/refunds`, {});
  await app.post('/v1/test_helpers/bank_transfers', creditFor(await awaitBank(app)));
  await app.post(`/v1/invoices/${(await app.post('/v1/invoices', newInvoice)).id}/send`, {});
}

/** The rows of each flow. They come from one run of the flow in a service without sweeps. */
async function sampleFlows(folder: string): Promise<Readonly<Record<FlowName, SampledFlow>>> {
  const app = await startBenchApp(folder);
  const { pool } = app.seeder;
  const step = async <T>(before: Snapshot, work: () => Promise<T>) => {
    app.log.clear();
    const result = await work();
    const statements = [...app.log.statements];
    const after = await takeSnapshot(pool);
    return { result, after, statements, ...stepBetween(before, after) };
  };
  await runEachFlow(app);
  const begun = await takeSnapshot(pool);
  const created = await step(begun, () => app.post('/v1/payments', newPayment));
  const paid = await step(created.after, () => app.post(`/v1/payments/${created.result.id}/confirm`, byCard));
  const refunded = await step(paid.after, () => app.post(`/v1/payments/${created.result.id}/refunds`, {}));
  const reference = await awaitBank(app);
  const waiting = await takeSnapshot(pool);
  const credited = await step(waiting, () => app.post('/v1/test_helpers/bank_transfers', creditFor(reference)));
  const draft = await app.post('/v1/invoices', newInvoice);
  const drafted = await takeSnapshot(pool);
  const sent = await step(drafted, () => app.post(`/v1/invoices/${draft.id}/send`, {}));
  await app.stop();
  const { number } = sent.result as unknown as { readonly number: string };
  const flow = (steps: readonly Sampled[], ...fresh: string[]): SampledFlow => ({
    steps,
    fixed: [app.merchantId],
    fresh,
    cost: costOf(steps.flatMap(({ statements }) => statements)),
  });
  return {
    payment: flow([created, paid]),
    credit: flow([credited], reference),
    refund: flow([refunded]),
    invoice: flow([sent], number),
  };
}
