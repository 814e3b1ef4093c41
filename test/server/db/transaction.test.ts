import { connect, createServer, type Server } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, type Database } from '../../../src/server/platform/db/database.ts';
import { isDatabaseOutage } from '../../../src/server/platform/db/outage.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let home: TestDatabase;
let pooler: Server;
let refusals = 0;
/** One connection, through a pooler that can refuse to begin a transaction. */
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase('empty');
  await home.pool.query('create table parcels (id integer primary key)');
  pooler = await startPooler(home.connection as { host: string; port: number });
  const { port } = pooler.address() as { port: number };
  database = createDatabase({ connection: { ...home.connection, host: '127.0.0.1', port }, max: 1 });
});
beforeEach(async () => {
  await home.pool.query('delete from parcels');
});
afterAll(async () => {
  await database.close();
  pooler.close();
  await home.drop();
});

/** Forwards a connection, and answers `begin` with an error while `refusals` lasts. */
async function startPooler({ host, port }: { host: string; port: number }): Promise<Server> {
  const server = createServer(client => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let pending = Buffer.alloc(0);
    let hasStarted = false;
    upstream.on('data', chunk => client.write(chunk));
    upstream.on('close', () => client.destroy());
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    client.on('data', chunk => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        // The first message has no type.
        const head = hasStarted ? 1 : 0;
        const length = pending.length < head + 4 ? Number.POSITIVE_INFINITY : head + pending.readInt32BE(head);
        if (pending.length < length) return;
        const message = pending.subarray(0, length);
        pending = pending.subarray(length);
        hasStarted = true;
        if (refusals > 0 && message.toString('latin1', 0, 1) === 'Q' && message.includes('begin')) {
          refusals--;
          client.write(refused);
        } else upstream.write(message);
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** `ErrorResponse` and `ReadyForQuery` of the frontend/backend protocol 3.0. */
const fields = 'SERROR\0C53300\0Mno room\0\0';
const refused = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}Z\0\0\0\x05I`, 'latin1');

const insert = (id: number) => sql`insert into parcels values (${id})`;
const stored = async () => (await home.pool.query('select id from parcels order by id')).rows.map(({ id }) => id);

describe('`begin` is sent together with the first statement', () => {
  it('a first statement that fails rolls back, and the connection stays usable', async () => {
    await insert(1).execute(database.db);
    const failed = database.db.transaction().execute(async tx => {
      await insert(1).execute(tx);
      await insert(2).execute(tx);
    });
    await expect(failed).rejects.toMatchObject({ code: '23505' });
    await database.db.transaction().execute(tx => insert(3).execute(tx));
    expect(await stored()).toEqual([1, 3]);
  });

  it.each([
    ['the first statement', async () => undefined],
    ['statements after a first one whose error was caught', async () => 'caught'],
  ])('a `begin` that fails keeps nothing of %s', async (_name, recover) => {
    refusals = 1;
    const failed = database.db.transaction().execute(async tx => {
      const first = insert(1).execute(tx);
      if ((await recover()) === 'caught') await first.catch(() => undefined);
      else await first;
      await insert(2).execute(tx);
    });
    await expect(failed).rejects.toMatchObject({ code: '53300' });
    await database.db.transaction().execute(tx => insert(3).execute(tx));
    expect(await stored()).toEqual([3]);
  });
});

describe('a transaction of a server that is frozen or gone', () => {
  it('ends after 15 seconds, so that other servers get its locks', async () => {
    const setting = 'idle_in_transaction_session_timeout';
    expect((await home.pool.query(`show ${setting}`)).rows).toEqual([{ [setting]: '15s' }]);
    const frozen = createDatabase({ connection: { ...home.connection, [setting]: 50 }, max: 1 });
    onTestFinished(frozen.close);
    const lost = frozen.db.transaction().execute(async tx => {
      await insert(1).execute(tx);
      // Waits for the lock of the frozen transaction.
      await insert(1).execute(home.db);
      await insert(2).execute(tx);
    });
    await expect(lost).rejects.toSatisfy(isDatabaseOutage);
    expect(await stored()).toEqual([1]);
  });
});
