import { Deleted, ErrorBody, Metadata, PostalAddress } from '../../../api/schema.ts';
import type { Database } from '../db/database.ts';
import { defineModule } from '../module.ts';
import { answerErasure } from './idempotency/idempotency.store.ts';
import { sweepIdempotencyKeys } from './idempotency/idempotency.ts';

/** The module of the server itself: its database, and the stored responses of calls with an `Idempotency-Key`. */
export const service = defineModule<{ readonly database: Database }>({
  name: 'service',
  erasures: () => [answerErasure],
  tables: ['server_keys', 'schema_migrations', 'idempotency_keys'],
  schemas: { Deleted, ErrorBody, Metadata, PostalAddress },
  sweeps: ({ database }) => [
    { name: 'idempotency.expire', everyMs: 60_000, run: () => sweepIdempotencyKeys(database.db) },
  ],
  gauges: ({ database: { pool, statements } }) => [
    { name: 'pay_database_connections', help: 'Connections to the database.', read: () => pool.totalCount },
    { name: 'pay_database_connections_idle', help: 'Idle connections to the database.', read: () => pool.idleCount },
    { name: 'pay_database_waiting', help: 'Requests that wait for a connection.', read: () => pool.waitingCount },
    { name: 'pay_database_statements', help: 'Statements prepared so far.', read: () => statements.prepared },
    {
      name: 'pay_database_statements_unprepared',
      help: 'Calls of frequent statements that were planned again, because the maximum number of statements is prepared.',
      read: () => statements.unprepared,
    },
  ],
  remarks: ({ database }) => database.writes.remarks(),
});
