/** A worker in its own process. It delivers due events of the database in WORKER until it is killed. */
import type pg from 'pg';
import { systemClock } from '../../../src/core/clock.ts';
import { createDatabase } from '../../../src/server/platform/db/database.ts';
import { createLive } from '../../../src/server/platform/events/live.ts';
import type { Sweeper } from '../../../src/server/platform/jobs/sweeper.ts';
import { createSecrets } from '../../../src/server/platform/secrets.ts';
import { createResolve } from '../../../src/server/platform/webhooks/address-guard.ts';
import { createWebhookSweeps } from '../../../src/server/platform/webhooks/module.ts';
import { createWatchedSweeper } from '../../support/watched-sweeper.ts';

const { connection, root, options } = JSON.parse(process.env['WORKER'] ?? '{}') as {
  connection: pg.PoolConfig;
  root: string;
  options: Record<string, number>;
};
const log = { info: console.log, warn: console.log, error: console.error };
const live = createLive({ connection, log });
const { db } = createDatabase({ connection });
const sweeper: Sweeper = createWatchedSweeper({
  db,
  log,
  sweeps: createWebhookSweeps({
    db,
    clock: systemClock,
    secrets: createSecrets(Buffer.from(root, 'hex')),
    log,
    live,
    resolve: createResolve(),
    allowLoopback: true,
    allowedNetworks: [],
    ownUrl: () => null,
    onDisabled: async () => undefined,
    wake: name => sweeper.wake(name),
    options,
  }),
});
await live.start();
sweeper.start();
