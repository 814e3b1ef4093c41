import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLive, type Live } from '../../../src/server/platform/events/live.ts';
import { announce, type NewEvent, recordEvents } from '../../../src/server/platform/events/outbox.ts';
import type { Log } from '../../../src/server/platform/jobs/sweeper.ts';
import { insertEndpoint } from '../../../src/server/platform/webhooks/endpoint.store.ts';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.ts';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let database: TestDatabase;
let live: Live;

beforeAll(async () => {
  database = await createTestDatabase();
  live = createLive({ connection: database.connection, log });
  await live.start();
});
afterAll(async () => {
  await live.stop();
  await database.drop();
});

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

/** Counts the messages of a topic. */
function listen(topic: { merchantId: string; resourceId?: string }) {
  const heard = { count: 0, end: () => {} };
  heard.end = live.subscribe(topic, () => heard.count++);
  return heard;
}

const tell = (merchantId: string, resourceId: string) =>
  database.db.transaction().execute(tx => announce(tx, [{ merchantId, resourceId }]));

it('a change is notified to the subscribers of the object, of its merchant and of everything, and no others', async () => {
  const [object, merchant, other, stranger] = [
    listen({ merchantId: 'acct_1', resourceId: 'pay_1' }),
    listen({ merchantId: 'acct_1' }),
    listen({ merchantId: 'acct_1', resourceId: 'pay_2' }),
    listen({ merchantId: 'acct_2', resourceId: 'pay_1' }),
  ];
  const all = { count: 0 };
  const end = live.subscribeToAll(() => all.count++);
  await tell('acct_1', 'pay_1');
  await until(() => all.count === 1);
  live.announce({ merchantId: 'acct_1', resourceId: 'pay_1' });
  expect([object, merchant, other, stranger, all].map(heard => heard.count)).toEqual([2, 2, 0, 0, 2]);
  for (const heard of [object, merchant, other, stranger]) heard.end();
  end();
  live.announce({ merchantId: 'acct_1', resourceId: 'pay_1' });
  expect([object.count, all.count]).toEqual([2, 2]);
});

it('a change that is rolled back is not notified, and malformed notifications are ignored', async () => {
  const heard = listen({ merchantId: 'acct_1' });
  const rolledBack = database.db.transaction().execute(async tx => {
    await announce(tx, [{ merchantId: 'acct_1', resourceId: 'pay_1' }]);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await execute(database.connection, "select pg_notify('pay_changes', 'nonsense'), pg_notify('pay_changes', '{}')");
  await tell('acct_1', 'pay_9');
  await until(() => heard.count > 0);
  expect(heard.count).toBe(1);
  heard.end();
});

it('events of both modes in one call wake the dispatcher for the mode with an endpoint', async () => {
  const now = new Date();
  const [merchantId, livemode] = ['acct_5', true];
  const endpoint = { id: 'we_1', url: 'https://shop.example', events: ['*'], description: null, metadata: {} };
  const eventOf = (resourceId: string, mode: boolean): NewEvent => ({
    merchantId,
    livemode: mode,
    type: 'payment.completed',
    resourceId,
    sequence: 1,
    object: {},
    previous: null,
    now,
  });
  const heard = new Map<string, boolean | undefined>();
  const end = live.subscribeToAll(notice => notice && heard.set(notice.resourceId, notice.dispatches));
  await database.db.transaction().execute(async tx => {
    await insertEndpoint(tx, { ...endpoint, merchantId, livemode, secret: Buffer.alloc(1), now });
    await recordEvents(tx, [eventOf('pay_live', true), eventOf('pay_test', false)]);
  });
  await until(() => heard.size === 2);
  end();
  expect(Object.fromEntries(heard)).toEqual({ pay_live: true, pay_test: false });
});

it('a subscriber that throws does not affect the others', () => {
  const ends = [
    live.subscribe({ merchantId: 'acct_3' }, () => {
      throw new Error('broken');
    }),
  ];
  const heard = listen({ merchantId: 'acct_3' });
  live.announce({ merchantId: 'acct_3', resourceId: 'pay_1' });
  expect(heard.count).toBe(1);
  for (const end of [...ends, heard.end]) end();
});

it('a lost connection is reopened, and all subscribers are notified, because changes may have been missed', async () => {
  const heard = listen({ merchantId: 'acct_1', resourceId: 'pay_1' });
  const cut = await execute(
    database.connection,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pay-checkout live' and datname = current_database()",
  );
  expect(cut).toHaveLength(1);
  await until(() => heard.count === 1);
  await tell('acct_1', 'pay_1');
  await until(() => heard.count === 2);
  heard.end();
});

it('starts without the database, and subscribes when it is available', async () => {
  const { connectionString, host = '', port = 5432, ...rest } = database.connection;
  const url = connectionString === undefined ? null : new URL(connectionString);
  const server = url
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : host.startsWith('/')
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host, port };
  const proxy = createServer(socket => socket.pipe(connect(server)).pipe(socket));
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const proxyPort = (proxy.address() as AddressInfo).port;
  await new Promise(resolve => proxy.close(resolve));
  const there = url
    ? { connectionString: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxyPort) }).href }
    : { ...rest, host: '127.0.0.1', port: proxyPort };
  const away = createLive({ connection: there, log });
  await away.start();
  let heard = 0;
  away.subscribe({ merchantId: 'acct_1' }, () => heard++);
  await new Promise<void>(resolve => proxy.listen(proxyPort, '127.0.0.1', resolve));
  await until(() => heard === 1);
  await tell('acct_1', 'pay_1');
  await until(() => heard === 2);
  await away.stop();
  proxy.close();
});
