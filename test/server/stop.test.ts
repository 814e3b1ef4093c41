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
  place: { PAY_DATA_DIR: string } | { DATABASE_URL: string },
): Promise<ServerProcess> {
  const server = await startServerProcess({ ...place, PAY_SECRET_KEY: secretKey });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

const order = {
  ...{ amount: 100, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar' },
  ...{ payment_methods: ['card'], customer: { email: 'a@b.example' } },
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

it.concurrent('a server that stops under load answers its requests, and shuts down gracefully', async test => {
  const database = await createTestDatabase('empty');
  test.onTestFinished(() => database.drop());
  const start = () => startOn(test, { DATABASE_URL: urlOf(database) });
  const server = await start();
  const sent: { at: number; reply?: Awaited<ReturnType<typeof call>> }[] = [];
  let isOver = false;
  const clients = Array.from({ length: 24 }, async (_, client) => {
    for (let i = 0; !isOver; i++) {
      const one: (typeof sent)[number] = { at: performance.now() };
      sent.push(one);
      one.reply = await call(server.url, 'POST /v1/payments', order, `stop-${client}-${i}`);
      if (one.reply.failure !== null) return;
    }
  });
  await vi.waitUntil(() => sent.length > 150, { timeout: 20_000 });
  const lastSentAt = performance.now();
  // The server reads sockets in their order: once it answers a later request, it has read those sent until now.
  await call(server.url, 'GET /healthz');
  await call(server.url, 'GET /healthz');
  const began = performance.now();
  const code = await server.stop('SIGTERM');
  const tookMs = performance.now() - began;
  isOver = true;
  await Promise.all(clients);
  const before = sent.filter(({ at }) => at < lastSentAt);
  expect(before.length).toBeGreaterThan(100);
  expect(before.filter(({ reply }) => reply?.status !== 201).map(({ reply }) => reply?.failure ?? reply?.text)).toEqual(
    [],
  );
  const later = sent.filter(({ at }) => at >= lastSentAt).map(({ reply }) => reply);
  expect(later.filter(reply => reply?.status !== 201 && reply?.status !== 0).map(reply => reply?.text)).toEqual([]);
  expect([code, tookMs < 10_000]).toEqual([0, true]);
  const next = await start();
  const acknowledged = sent.flatMap(({ reply }) => (reply?.status === 201 ? [reply.body.id as string] : []));
  const sample = acknowledged
    .filter((_, index) => index % Math.ceil(acknowledged.length / 50) === 0)
    .concat(acknowledged.slice(-24));
  const found = await Promise.all(sample.map(id => call(next.url, `GET /v1/payments/${id}`)));
  expect(found.filter(({ status }) => status !== 200)).toEqual([]);
  await next.stop();
}, 60_000);
