/** A worker in its own process. It sends the mails of the database in WORKER until it is killed. */
import type pg from 'pg';
import { systemClock } from '../../../src/core/clock.ts';
import { findMerchant } from '../../../src/server/merchants/merchant.store.ts';
import { createDatabase } from '../../../src/server/platform/db/database.ts';
import type { Sweeper } from '../../../src/server/platform/jobs/sweeper.ts';
import { createMailSweep } from '../../../src/server/platform/mail/mail.jobs.ts';
import { createMailTransport } from '../../../src/server/platform/mail/smtp-transport.ts';
import { createWatchedSweeper } from '../../support/watched-sweeper.ts';

const { connection, url, options } = JSON.parse(process.env['WORKER'] ?? '{}') as {
  connection: pg.PoolConfig;
  url: string;
  options: Record<string, number>;
};
const { db } = createDatabase({ connection });
const log = { info: console.log, warn: console.log, error: console.error };
const sweeper: Sweeper = createWatchedSweeper({
  db,
  log,
  sweeps: [
    createMailSweep({
      db,
      log,
      options,
      clock: systemClock,
      from: () => 'billing@pay.example',
      count: () => undefined,
      onGivenUp: async () => undefined,
      transport: createMailTransport(url),
      findMerchant: async id => (await findMerchant(db, id)) ?? Promise.reject(new Error(`there is no ${id}`)),
      documents: { draw: () => Promise.reject(new Error('nothing to draw')) },
      wake: name => sweeper.wake(name),
    }),
  ],
});
sweeper.start();
