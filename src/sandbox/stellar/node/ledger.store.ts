import { sql } from 'kysely';
import { executePrepared } from '../../../server/platform/db/prepared.ts';
import type { ChangedEntry, LedgerHeader } from '../core/state/entries.ts';
import type { StellarDb } from '../tables.ts';

/** The stored form of the last closed ledger. */
export interface StoredHeader {
  readonly header: LedgerHeader;
  /** The hash of the header, hex. */
  readonly hash: string;
  /** The `LedgerHeader`, base64. */
  readonly headerXdr: string;
  /** Deletions of all ledgers after this ledger are stored. A process at this ledger or a later one can catch up. */
  readonly deletionsSince: number;
  /** Time since the ledger closed, by the database’s clock, in milliseconds. */
  readonly ageMs: number;
}

interface HeaderRow {
  sequence: number;
  hash: string;
  header_xdr: string;
  close_time: bigint;
  base_fee: number;
  base_reserve: number;
  max_tx_set_size: number;
  fee_pool: bigint;
  total_coins: bigint;
  id_pool: bigint;
  deletions_since: number;
  age_ms: number;
}

/**
 * The last closed ledger, or null if no network exists. `lock` keeps other processes from closing a ledger until the
 * transaction ends.
 */
export async function readHeader(db: StellarDb, lock: boolean): Promise<StoredHeader | null> {
  const header = sql<HeaderRow>`
    select sequence, hash, header_xdr, close_time, base_fee, base_reserve, max_tx_set_size, fee_pool, total_coins, id_pool,
           deletions_since, (extract(epoch from clock_timestamp() - closed_at) * 1000)::float8 as age_ms
    from sandbox.stellar_header ${lock ? sql`for update` : sql``}`;
  const [row] = (await executePrepared(db, header)).rows;
  return row === undefined ? null : toHeader(row);
}

function toHeader(row: HeaderRow): StoredHeader {
  return {
    header: {
      sequence: row.sequence,
      closeTime: row.close_time,
      baseFee: row.base_fee,
      baseReserve: row.base_reserve,
      maxTxSetSize: row.max_tx_set_size,
      feePool: row.fee_pool,
      totalCoins: row.total_coins,
      idPool: row.id_pool,
    },
    hash: row.hash,
    headerXdr: row.header_xdr,
    deletionsSince: row.deletions_since,
    ageMs: row.age_ms,
  };
}

/** The number of the last closed ledger. 0 if no network exists. */
export async function readSequence(db: StellarDb): Promise<number> {
  const { rows } = await executePrepared(db, sql<{ sequence: number }>`select sequence from sandbox.stellar_header`);
  return rows[0]?.sequence ?? 0;
}

/** Ensures that only one process creates the network. The lock ends with the database transaction. */
export async function lockGenesis(db: StellarDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sandbox.stellar_header', 0))`.execute(db);
}

export async function writeHeader(
  db: StellarDb,
  { header, hash, headerXdr }: Omit<StoredHeader, 'deletionsSince' | 'ageMs'>,
): Promise<void> {
  const writing = sql`
    insert into sandbox.stellar_header
      (sequence, hash, header_xdr, close_time, base_fee, base_reserve, max_tx_set_size, fee_pool, total_coins, id_pool,
       deletions_since, closed_at)
    values (${header.sequence}, ${hash}, ${headerXdr}, ${header.closeTime}, ${header.baseFee}, ${header.baseReserve},
            ${header.maxTxSetSize}, ${header.feePool}, ${header.totalCoins}, ${header.idPool},
            ${header.sequence}, clock_timestamp())
    on conflict (only_one) do update set
      sequence = excluded.sequence, hash = excluded.hash, header_xdr = excluded.header_xdr,
      close_time = excluded.close_time, fee_pool = excluded.fee_pool, total_coins = excluded.total_coins,
      id_pool = excluded.id_pool, closed_at = excluded.closed_at`;
  await executePrepared(db, writing);
}

export async function readEntries(db: StellarDb): Promise<readonly ChangedEntry[]> {
  const { rows } = await sql<ChangedEntry>`
    select key as "keyXdr", entry as "entryXdr" from sandbox.stellar_entries where entry is not null`.execute(db);
  return rows;
}

/** Entries that the ledgers after `after` changed or deleted. */
export async function readChanges(db: StellarDb, after: number): Promise<readonly ChangedEntry[]> {
  const { rows } = await sql<ChangedEntry>`
    select key as "keyXdr", entry as "entryXdr" from sandbox.stellar_entries where changed_in > ${after}`.execute(db);
  return rows;
}

/** An existing entry: `LedgerKey` and `LedgerEntry`, base64. */
interface StoredEntry {
  readonly keyXdr: string;
  readonly entryXdr: string;
}

/** The existing entries with these keys. */
export async function entriesByKey(db: StellarDb, keys: readonly string[]): Promise<readonly StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select key as "keyXdr", entry as "entryXdr" from sandbox.stellar_entries
    where key = any(${keys}::text[]) and entry is not null`.execute(db);
  return rows;
}

/** Stores the entries that a ledger changed or deleted. */
export async function writeEntries(db: StellarDb, sequence: number, changes: readonly ChangedEntry[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into sandbox.stellar_entries (key, entry, changed_in)
    select key, entry, ${sequence}
    from unnest(${changes.map(change => change.keyXdr)}::text[], ${changes.map(change => change.entryXdr)}::text[])
      as changed (key, entry)
    on conflict (key) do update set entry = excluded.entry, changed_in = excluded.changed_in`.execute(db);
}

/** Removes the stored deletions of all ledgers up to `upTo`. */
export async function forgetDeletions(db: StellarDb, upTo: number): Promise<void> {
  await sql`
    with forgotten as (
      delete from sandbox.stellar_entries where entry is null and changed_in <= ${upTo} returning 1
    )
    update sandbox.stellar_header set deletions_since = ${upTo} where exists (select from forgotten)`.execute(db);
}

/** A transaction in the queue, with its envelope in base64. */
export interface QueuedTransaction {
  readonly hash: string;
  readonly envelope: string;
}

/** The queued transactions that ledger number `ledger` may contain, oldest first. */
export async function readQueue(db: StellarDb, ledger: number): Promise<readonly QueuedTransaction[]> {
  const queue = sql<QueuedTransaction>`
    select hash, envelope from sandbox.stellar_queue where not_before <= ${ledger} order by position`;
  return (await executePrepared(db, queue)).rows;
}

/** Whether the queue contains any transaction, pending or delayed. */
export async function isAnythingQueued(db: StellarDb): Promise<boolean> {
  const query = sql<{ is: boolean }>`select exists (select from sandbox.stellar_queue) as is`;
  const { rows } = await executePrepared(db, query);
  return rows[0]?.is ?? false;
}

/** Adds transactions to the queue, unless they are in the queue already. No ledger before `notBefore` contains them. */
export async function enqueue(
  db: StellarDb,
  transactions: readonly QueuedTransaction[],
  notBefore: number,
): Promise<void> {
  if (transactions.length === 0) return;
  await sql`
    insert into sandbox.stellar_queue (hash, envelope, not_before)
    select hash, envelope, ${notBefore}
    from unnest(${transactions.map(({ hash }) => hash)}::text[], ${transactions.map(({ envelope }) => envelope)}::text[])
      with ordinality as added (hash, envelope, place)
    order by place
    on conflict (hash) do nothing`.execute(db);
}

export async function dequeue(db: StellarDb, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql`delete from sandbox.stellar_queue where hash = any(${hashes}::text[])`.execute(db);
}

/** Sends a database notification. Other processes receive it after the commit. */
export async function notify(
  db: StellarDb,
  { channel, payload }: { readonly channel: string; readonly payload: string },
): Promise<void> {
  await executePrepared(db, sql`select pg_notify(${channel}, ${payload})`);
}
