import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../src/api/payment.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { findUnsoundBooks } from '../support/audit.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { freshNumber } from '../support/phone-numbers.ts';
import { startServerProcess } from '../support/server-process.ts';
import { call, secretKey, startClients, type Target } from './load.ts';
import { beginPart, report, roundSeconds, seed, seeded } from './round.ts';

const random = seeded(seed);
/** Number of kills without a time limit. */
const thorough = 20;
let kills = 0;
let dataDir: string;
let target: Target;
let load: ReturnType<typeof startClients>;
let postgres: EmbeddedPostgres;
let database: Database;

const start = () =>
  startServerProcess({
    PAY_DATA_DIR: dataDir,
    PAY_SECRET_KEY: secretKey,
    PAY_LOG_LEVEL: 'warn',
    PAY_LOG_REQUESTS: 'none',
  });
const query = async (sql: string): Promise<pg.QueryResultRow[]> => (await database.pool.query(sql)).rows;

const order = {
  amount: 150_000,
  currency: 'UGX',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'mobile_money'],
  customer: { email: 'ada@example.com' },
};
/** Last digits of phones: mostly approved, refused at once and later, approved after the end, and never answered. */
const phones = ['789', '789', '789', '029', '039', '059', '109', '000'];

beforeAll(async () => {
  dataDir = makeDataFolder('pay-torture-phone-');
  target = { server: await start() };
  load = startClients(target, 6, async (insist, count) => {
    const created = await insist('POST /v1/payments', { ...order, reference: `r-${count + 1}` });
    if (created?.status !== 201) return;
    const path = `POST /v1/payments/${created.body.id}/confirm`;
    const ending = phones[Math.floor(random() * phones.length)] ?? '';
    // Some payers share a phone, which may already have a prompt.
    const number = random() < 0.3 ? `+256772123${ending}` : freshNumber(ending);
    await insist(path, { method: 'mobile_money', provider: 'mtn', number });
    // Some payers leave the prompt for a card, or send a second one.
    const chance = random();
    if (chance < 0.3) await insist(path, { method: 'card', token: 'tok_visa' });
    else if (chance < 0.5) await insist(path, { method: 'mobile_money', provider: 'mtn', number: freshNumber('789') });
  });
  const part = beginPart(0.1);
  while (roundSeconds === null ? kills < thorough : !part.isOver()) {
    await sleep(300 + random() * 1_500);
    await target.server.stop('SIGKILL');
    target.server = await start();
    kills++;
  }
  for (let tries = 0; tries < 200 && load.acknowledged.length < 60; tries++) await sleep(100);
  await load.stop();
  // The last prompts end, and those that were given up are asked about until they are over.
  for (const advance of ['PT1M', 'PT1M', 'PT2M', 'PT2M', 'PT10M', 'PT1H', 'P1D'])
    await call(target.server.url, 'POST /v1/test_helpers/clock', { advance });
  postgres = await startEmbeddedPostgres({ dataDir, log: console });
  database = createDatabase({ connection: postgres.connection, max: 2, silenceMs: 0 });
  const [prompts] = await query('select count(*)::int as count from sandbox.mobile_prompts');
  report(`${load.acknowledged.length} calls, ${prompts?.['count']} prompts on phones, ${kills} kills of the service`);
}, 240_000);

afterAll(async () => {
  await database?.close();
  await postgres?.release();
  await target?.server.stop();
  await rm(dataDir, { recursive: true });
});

describe('a service that is killed repeatedly while it collects from phones', () => {
  it('refuses requests only because of a state, and never fails', () => {
    const odd = load.acknowledged.filter(({ status }) => ![200, 201, 402, 409].includes(status));
    expect(odd.map(({ route, text }) => [route, text])).toEqual([]);
  });

  it('has shown one prompt for each confirmation at most', async () => {
    const sent = load.acknowledged.filter(({ body }) => 'provider' in body).length;
    const [prompts] = await query('select count(*)::int as count from sandbox.mobile_prompts');
    // Clients that were stopped while they repeated a call have no answer.
    expect(prompts?.['count']).toBeLessThanOrEqual(sent + 6);
    const unknown = `select p.attempt_id from sandbox.mobile_prompts p
      left join payment_attempts a on a.merchant_id = p.merchant_id and a.id = p.attempt_id where a.id is null`;
    expect(await query(unknown)).toEqual([]);
  });

  it('has shown no phone two open prompts, and none is open at the end', async () => {
    // A call has its time from its arrival, so it may seem to start before the answer that it has waited for.
    const twice = `select a.number from sandbox.mobile_prompts a join sandbox.mobile_prompts b
      on b.number = a.number and b.attempt_id <> a.attempt_id and b.created_at >= a.created_at
      and b.created_at < least(a.answered_at, a.expires_at) - interval '5 seconds'`;
    expect(await query(twice)).toEqual([]);
    expect(await query('select id from payment_attempts where open_number is not null')).toEqual([]);
    expect(await query('select id from payments where open_prompt is not null')).toEqual([]);
  });

  it('has counted all money that operators and acquirers took, once', async () => {
    const wrong = `select p.id, p.amount_received, t.taken from payments p join (
        select payment_id, sum(amount) as taken from (
          select payment_id, amount from sandbox.mobile_prompts where code is null and answered_at is not null
          union all select a.payment_id, c.amount from sandbox.charges c
            join payment_attempts a on a.id = c.attempt_id where c.state = 'captured') money group by 1) t
      on t.payment_id = p.id where p.amount_received <> t.taken`;
    expect(await query(wrong)).toEqual([]);
  });

  it('has every acknowledged payment, and none that waits for a prompt', async () => {
    const known = new Set((await query('select id from payments')).map(row => row['id']));
    const created = load.acknowledged.filter(({ route, status }) => route.endsWith('/payments') && status === 201);
    const ids = created.map(({ text }) => (JSON.parse(text) as Payment).id);
    expect(ids.filter(id => !known.has(id))).toEqual([]);
    const open = `select id, state from payment_attempts
      where state in ('started', 'requires_action', 'unknown', 'capturing')`;
    expect(await query(open)).toEqual([]);
    expect(await query("select id from payments where phase in ('processing', 'requires_action')")).toEqual([]);
  });

  it('has consistent books', async () => {
    expect(await findUnsoundBooks(database.pool)).toEqual({});
  });
});
