import { type Insertable, type Selectable, sql } from 'kysely';
import { addSeconds } from '../../../core/clock.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type Due, type DueRequest, type DueWork } from '../../platform/db/lease.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { findRow } from '../../platform/db/rows.ts';
import { openPayments } from '../payment.store.ts';
import type { ChainCursorsTable } from '../tables.ts';

/** A row of `chain_cursors`: an account whose deposits are read, and its cursor. */
export type WatchedRow = Selectable<ChainCursorsTable>;

export interface WatchedKey {
  readonly network: string;
  readonly account: string;
}

/**
 * Starts reading an account at the cursor of `row`, which is due now. A known account keeps its cursor unless its
 * reading has ended, and its `watch_until` never decreases.
 */
export async function watchAccount(db: Executor, row: Insertable<ChainCursorsTable>): Promise<void> {
  await db
    .insertInto('chain_cursors')
    .values(row)
    .onConflict(conflict =>
      conflict.columns(['network', 'account']).doUpdateSet({
        cursor: sql`case when chain_cursors.watch_until <= excluded.due_at then excluded.cursor
          else chain_cursors.cursor end`,
        watch_until: sql`case when chain_cursors.watch_until is null or excluded.watch_until is null then null
          else greatest(chain_cursors.watch_until, excluded.watch_until) end`,
      }),
    )
    .execute();
}

/** The account with its cursor, or null. */
export async function findWatched(db: Executor, { network, account }: WatchedKey): Promise<WatchedRow | null> {
  return await findRow(db, 'chain_cursors', { network, account });
}

/** The network's accounts to read now, the service's own account first. */
export async function listWatched(db: Executor, network: string, now: Date, limit: number): Promise<WatchedRow[]> {
  const query = db
    .selectFrom('chain_cursors')
    .selectAll()
    .where('network', '=', network)
    .where(query => query.or([query('watch_until', 'is', null), query('watch_until', '>', now)]))
    .orderBy('custodial', 'desc')
    .orderBy('watch_until', 'desc')
    .limit(limit);
  return [...(await executePrepared(db, query)).rows];
}

/**
 * Seconds between two readings of an account while no payment is open and no deposit waits for confirmations. A reading
 * then finds late deposits only.
 */
const idleSeconds = 30;

/** Watched accounts that are due. While money may arrive, they are due early: `pollSeconds` after the last reading. */
function isDue(now: Date, pollSeconds: number) {
  const at = sql`${now}::timestamptz`;
  return sql`(t.watch_until is null or t.watch_until > ${at})
    and t.due_at <= ${at} + ${sql.lit(idleSeconds - pollSeconds)} * interval '1 second'
    and (t.due_at <= ${at} or exists (select from payments t where ${openPayments.where})
      or exists (select from chain_cursors where has_open))`;
}

/** Accounts of any network that are due for reading. */
export function dueAccounts(pollSeconds: number): Due {
  return now => sql`exists (select from chain_cursors t where ${isDue(now, pollSeconds)})`;
}

/** Claims the network's accounts that are due for reading. */
export async function claimDueAccounts(
  db: Db,
  network: string,
  { now, limit, pollSeconds }: DueRequest & { readonly pollSeconds: number },
) {
  const work: DueWork = {
    table: 'chain_cursors',
    key: ['network', 'account'],
    dueAt: 'due_at',
    clock: 'real',
    where: sql`t.network = ${network} and ${isDue(now, pollSeconds)}`,
  };
  // The next reading is due `idleSeconds` from now, also for accounts that are early.
  const request = { now: addSeconds(now, idleSeconds - pollSeconds), limit, leaseSeconds: pollSeconds };
  return await claimDue<WatchedRow>(db, work, request);
}

/** The account's cursor, locked so that only one reader moves it. */
export async function lockWatched(tx: Tx, { network, account }: WatchedKey): Promise<string | undefined> {
  return (await findRow(tx, 'chain_cursors', { network, account }, 'lock'))?.cursor;
}

/** Moves the cursor, in the transaction that books the deposits. */
export async function moveCursor(tx: Tx, { network, account }: WatchedKey, cursor: string): Promise<void> {
  const open = sql<boolean>`exists (
    select from deposits where network = ${network} and watched = ${account} and state = 'seen')`;
  await tx
    .updateTable('chain_cursors')
    .set({ cursor, has_open: open })
    .where(eb => eb.and({ network, account }))
    .execute();
}

/** Minimum seconds between two recorded readings. A busy account is read many times per second. */
const readingSeconds = 5;

/** Records that all deposits of the account were read. */
export async function recordReading(db: Db, { network, account }: WatchedKey, now: Date): Promise<void> {
  const query = db
    .updateTable('chain_cursors')
    .set({ read_at: now })
    .where(eb => eb.and({ network, account }))
    .where(query => query.or([query('read_at', 'is', null), query('read_at', '<', addSeconds(now, -readingSeconds))]));
  await executePrepared(db, query);
}
