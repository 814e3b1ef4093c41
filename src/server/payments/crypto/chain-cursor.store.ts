import { type Insertable, type Selectable, sql } from 'kysely';
import { addSeconds } from '../../../core/clock.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork } from '../../platform/db/lease.ts';
import type { ChainCursorsTable } from './tables.ts';

/** An account that is read for deposits, and how far. */
export type WatchedRow = Selectable<ChainCursorsTable>;

/** Which account of which network is meant. */
export interface WatchedKey {
  readonly network: string;
  readonly account: string;
}

/** Begins to read an account, from the cursor of `row` on; one that is read already stays where it is, and is read at least as long. */
export async function watchAccount(db: Executor, row: Insertable<ChainCursorsTable>): Promise<void> {
  await db
    .insertInto('chain_cursors')
    .values(row)
    .onConflict(conflict =>
      conflict.columns(['network', 'account']).doUpdateSet({
        watch_until: sql`case when chain_cursors.watch_until is null or excluded.watch_until is null then null
          else greatest(chain_cursors.watch_until, excluded.watch_until) end`,
      }),
    )
    .execute();
}

/** The account as it is read, or null. */
export async function findWatched(db: Executor, { network, account }: WatchedKey): Promise<WatchedRow | null> {
  const row = await db
    .selectFrom('chain_cursors')
    .selectAll()
    .where('network', '=', network)
    .where('account', '=', account)
    .executeTakeFirst();
  return row ?? null;
}

/** Accounts of the network that are to be read for as long as somebody may pay into them; at most so many. */
export async function listWatched(db: Executor, network: string, now: Date, limit: number): Promise<WatchedRow[]> {
  return await db
    .selectFrom('chain_cursors')
    .selectAll()
    .where('network', '=', network)
    .where(query => query.or([query('watch_until', 'is', null), query('watch_until', '>', now)]))
    .orderBy('custodial', 'desc')
    .orderBy('watch_until', 'desc')
    .limit(limit)
    .execute();
}

/** Claims accounts of the network at which it is time to look; their next look is in `nextSeconds`. */
export async function claimDueAccounts(
  db: Db,
  request: { readonly network: string; readonly now: Date; readonly nextSeconds: number; readonly limit: number },
): Promise<readonly WatchedRow[]> {
  const { network, now, nextSeconds, limit } = request;
  const work: DueWork = {
    ...{ table: 'chain_cursors', key: ['network', 'account'], dueAt: 'due_at', clock: 'real' },
    where: sql`t.network = ${network} and (t.watch_until is null or t.watch_until > ${now})`,
  };
  return await claimDue<WatchedRow>(db, work, { now, limit, leaseSeconds: nextSeconds });
}

/** How far the account has been read, locked, so that one reader at a time moves it. */
export async function lockWatched(tx: Tx, { network, account }: WatchedKey): Promise<string> {
  const row = await tx
    .selectFrom('chain_cursors')
    .select('cursor')
    .where('network', '=', network)
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return row.cursor;
}

/** Moves the cursor: in the transaction that books what was read, never ahead of it. */
export async function moveCursor(tx: Tx, { network, account }: WatchedKey, cursor: string): Promise<void> {
  await tx
    .updateTable('chain_cursors')
    .set({ cursor })
    .where('network', '=', network)
    .where('account', '=', account)
    .execute();
}

/** How exactly it is kept when an account was read, in seconds: a busy one is read many times a second. */
const readingSeconds = 5;

/** Keeps that the account was read to the end. */
export async function noteReading(db: Db, { network, account }: WatchedKey, now: Date): Promise<void> {
  await db
    .updateTable('chain_cursors')
    .set({ read_at: now })
    .where('network', '=', network)
    .where('account', '=', account)
    .where(query => query.or([query('read_at', 'is', null), query('read_at', '<', addSeconds(now, -readingSeconds))]))
    .execute();
}
