import { rm } from 'node:fs/promises';
import { expect, it, type TestContext, vi } from 'vitest';
import { makeDataFolder } from '../support/data-folder.ts';
import { createTestDatabase, urlOf } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { call, secretKey } from '../torture/load.ts';

type Test = Pick<TestContext, 'onTestFinished'>;

/** Starts a server, which ends with the test. */
async function startOn(
  { onTestFinished }: Test,
  place: { PAY_DATA_DIR: string } | { DATABASE_URL: string; PAY_DRAIN_SECONDS: string },
): Promise<ServerProcess> {
  const server = await startServerProcess({ ...place, PAY_SECRET_KEY: secretKey });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

const order = {
  amount: 100,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'a@b.example' },
};

it.concurrent('two servers that start concurrently on one empty folder share it, and the last one to stop ends the database', async test => {
  const dataDir = makeDataFolder('pay-stop-');
  test.onTestFinished(() => rm(dataDir, { recursive: true }));
  const start = () => startOn(test, { PAY_DATA_DIR: dataDir });
  const [first, second] = await Promise.all([start(), start()]);
  const { body } = await call(first.url, 'POST /v1/payments', order, 'shared');
  expect((await call(second.url, `GET /v1/payments/${body.id}`)).body.status).toBe('pending');
  const again = await call(second.url, 'POST /v1/payments', order, 'shared');
  expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([body.id, 'true']);
  expect(await first.stop()).toBe(0);
  expect((await call(second.url, `GET /v1/payments/${body.id}`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  const third = await start();
  expect((await call(third.url, `GET /v1/payments/${body.id}`)).status).toBe(200);
  await third.stop();
}, 60_000);

it.concurrent('a server that drains under load answers every request until its balancer has gone, and then exits', async test => {
  const database = await createTestDatabase();
  test.onTestFinished(() => database.drop());
  const start = (drain: string) => startOn(test, { DATABASE_URL: urlOf(database), PAY_DRAIN_SECONDS: drain });
  const server = await start('5');
  type Reply = Awaited<ReturnType<typeof call>>;
  const replies: Reply[] = [];
  let isGone = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let i = 0; !isGone; i++) {
      replies.push(await call(server.url, 'POST /v1/payments', order, `stop-${client}-${i}`));
    }
  });
  await vi.waitUntil(() => replies.length > 100, { timeout: 30_000 });
  const stopped = server.stop('SIGTERM');
  // A balancer sends no new requests after the first failed answer.
  const ready = await vi.waitUntil(async () => {
    const answer = await call(server.url, 'GET /readyz');
    return answer.status === 503 && answer;
  });
  expect([ready.body.status, ready.headers.get('connection')]).toEqual(['draining', 'close']);
  const late = await call(server.url, 'POST /v1/payments', order, 'stop-late');
  expect([late.status, late.headers.get('connection')]).toEqual([201, 'close']);
  isGone = true;
  await Promise.all(clients);
  expect(replies.filter(({ status }) => status !== 201).map(({ failure, text }) => failure ?? text)).toEqual([]);
  expect(await stopped).toBe(0);
  const next = await start('0');
  const ids = [late, ...replies.filter((_, index) => index % 10 === 0), ...replies.slice(-24)].map(
    ({ body }) => body.id,
  );
  const found = await Promise.all(ids.map(id => call(next.url, `GET /v1/payments/${id}`)));
  expect(found.filter(({ status }) => status !== 200)).toEqual([]);
  await next.stop();
}, 60_000);
