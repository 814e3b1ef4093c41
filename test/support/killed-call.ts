import pg from 'pg';
import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * Kills the server after the acquirer charged a card and before the charge is booked. Returns the call that it did not
 * answer, to be repeated at another server.
 */
export async function killBeforeBooking(
  database: TestDatabase,
  server: ServerProcess,
  { key, paymentId }: { readonly key: string; readonly paymentId: string },
) {
  const confirm = (url: string) =>
    fetch(`${url}/v1/payments/${paymentId}/confirm`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'unanswered',
      },
      body: JSON.stringify({ method: 'card', token: 'tok_visa' }),
    });
  const holder = new pg.Client(database.connection);
  await holder.connect();
  // Booking a charge inserts a transfer.
  await holder.query('begin; lock table transfers in share mode');
  const unanswered = confirm(server.url).catch(() => 'cut');
  await expect.poll(() => chargesIn(database), { timeout: 10_000 }).toBe(1);
  await server.stop('SIGKILL');
  expect(await unanswered).toBe('cut');
  // PostgreSQL would notice the end of the server only after the lock.
  await holder.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
  );
  const { rows } = await holder.query('select phase from payments where id = $1', [paymentId]);
  expect(rows).toEqual([{ phase: 'processing' }]);
  await holder.end();
  return confirm;
}

/** Number of charges at the sandbox's acquirer. */
export async function chargesIn({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query('select count(*)::int as charges from sandbox.charges');
  return rows[0].charges;
}
