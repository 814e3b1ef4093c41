import { sql } from 'kysely';
import { addSeconds, systemClock } from '../../../../core/clock.ts';
import type { Executor, Tx } from '../../db/database.ts';
import { executePrepared } from '../../db/prepared.ts';
import { columnList, rowSource, updateOf, type Write } from '../../db/rows.ts';
import type { Moment, MomentByDefault } from '../../db/tables.ts';
import type { Erasure } from '../../erasure.ts';

interface IdempotencyKeysTable {
  merchant_id: string;
  livemode: boolean;
  path: string;
  key: string;
  fingerprint: Buffer;
  caller: string | null;
  started_id: string | null;
  answer_status: number | null;
  answer_location: string | null;
  answer_body: Buffer | null;
  answer_text: string | null;
  resource_id: string | null;
  running_until: Moment | null;
  expires_at: Moment;
  created_at: MomentByDefault;
}

declare module '../../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeysTable;
  }
}

/** Identifies a call. The same key with another merchant, mode or `path` identifies another call. */
export interface IdempotencyScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** Path without query. Prefixes separate the keys of payers and visitors from those of the merchant's server. */
  readonly path: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** SHA-256 of method, path and body. JSON bodies with the same values have the same hash. */
  readonly fingerprint: Buffer;
  /** The key or person that gets the answer again. Null if `path` already names the caller. */
  readonly caller: string | null;
  /** The field of the answer that is shown once and never stored. */
  readonly shownOnce?: string;
  /** Seconds for which the answer is stored. Default: 24 hours. */
  readonly keptSeconds?: number;
}

/** A stored answer: an encrypted `body`, or a `text` without the client secret (it can be derived again). */
interface KeptAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly body: Buffer | null;
  readonly text: string | null;
  readonly resourceId: string | null;
}

/** A claim of a key. */
export interface Claim {
  /** The time of the claim. It identifies the claim, because a later claim of the same key begins later. */
  readonly at: Date;
  /** The attempt that this call, or a crashed call with the same key, has started. Null if none is known. */
  readonly startedId: string | null;
}

/** Default seconds for which an answer is stored: 24 hours. */
const usuallyKeptSeconds = 86_400;

/** The columns of a claim, for `claimAsked`. */
export const claimTypes = {
  merchant_id: 'text',
  livemode: 'bool',
  path: 'text',
  key: 'text',
  fingerprint: 'bytea',
  caller: 'text',
  started_id: 'text',
  running_until: 'timestamptz',
  kept_until: 'timestamptz',
  asked_at: 'timestamptz',
} as const;

/** The claim of a call for `seconds`. `startedId`: the attempt that the same transaction may start. */
export function claimRow(scope: IdempotencyScope, seconds: number, startedId: string | null = null) {
  const now = systemClock.now();
  const { merchantId: merchant_id, livemode, path, key, fingerprint, caller, keptSeconds = usuallyKeptSeconds } = scope;
  return {
    merchant_id,
    livemode,
    path,
    key,
    fingerprint,
    caller,
    started_id: startedId,
    running_until: addSeconds(now, seconds),
    kept_until: addSeconds(now, keptSeconds),
    asked_at: now,
  };
}

/** Whether the key of the row `kept` is free for the row `excluded`. */
const isFree = sql`(kept.expires_at <= excluded.created_at
  or (kept.running_until <= excluded.created_at and kept.fingerprint = excluded.fingerprint
    and (kept.caller is null or kept.caller = excluded.caller)))`;

/**
 * The common table expression `claimed`. It claims the keys of the rows of `asked`, which has the columns of
 * `claimTypes`. It contains the rows whose key was free. A key is free if it is new, or if its answer has expired. A
 * key is also free for the same request of the same caller if its first call crashed (its claim was not renewed). The
 * claim then keeps the `started_id` of the crashed call. The service passes the times, because a distributed database
 * accepts no clock in `on conflict … where`.
 */
export const claimAsked = sql`claimed as (
  insert into idempotency_keys as kept
    (merchant_id, livemode, path, key, fingerprint, caller, started_id, running_until, expires_at, created_at)
  select merchant_id, livemode, path, key, fingerprint, caller, started_id, running_until, kept_until, asked_at
  from asked
  where key is not null
  on conflict (merchant_id, livemode, path, key) do update
    set started_id = case when kept.expires_at > excluded.created_at then coalesce(kept.started_id, excluded.started_id)
                          else excluded.started_id end,
        fingerprint = excluded.fingerprint, caller = excluded.caller,
        running_until = excluded.running_until, expires_at = excluded.expires_at,
        answer_status = null, answer_location = null, answer_body = null, answer_text = null, resource_id = null,
        created_at = excluded.created_at
    where ${isFree}
  returning kept.merchant_id, kept.livemode, kept.path, kept.key, kept.created_at, kept.started_id
)`;

/** Claims a key for `seconds`. Null if the key is not free. */
export async function claimKey(db: Executor, scope: IdempotencyScope, seconds: number): Promise<Claim | null> {
  const { rows } = await executePrepared(
    db,
    sql<Claim>`
      with asked as (select * from ${rowSource(claimTypes, [claimRow(scope, seconds)])} as n), ${claimAsked}
      select created_at as at, started_id as "startedId" from claimed`,
  );
  return rows[0] ?? null;
}

type KeyRow = Pick<IdempotencyScope, 'merchantId' | 'livemode' | 'path' | 'key'>;

/** The call's key as one text. */
function nameOfKey({ merchantId, livemode, path, key }: KeyRow): string {
  return JSON.stringify([merchantId, livemode, path, key]);
}

/** The last call with the key, or null. `answer` is null while the call runs, and after a crash. */
export async function findCall(db: Executor, scope: IdempotencyScope) {
  const { rows } = await sql<
    KeptAnswer & Pick<IdempotencyScope, 'fingerprint' | 'caller'> & { readonly running: boolean }
  >`
    select fingerprint, caller, running_until is not null as running, answer_status as status, answer_location as location,
           answer_body as body, answer_text as text, resource_id as "resourceId"
    from idempotency_keys
    where merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and path = ${scope.path}
      and key = ${scope.key} and expires_at > ${systemClock.now()}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { fingerprint, caller, running, ...answer } = row;
  return { fingerprint, caller, answer: running ? null : answer };
}

/** The answer of a claimed call. */
export interface ClaimedAnswer {
  readonly scope: IdempotencyScope;
  readonly claim: Claim;
  readonly answer: Omit<KeptAnswer, 'text'>;
}

/** Stores the answers of claimed calls. Returns false for an answer whose key another call has claimed meanwhile. */
export async function keepAnswers(db: Executor, answers: readonly ClaimedAnswer[]): Promise<boolean[]> {
  if (answers.length === 0) return [];
  const { rows } = await executePrepared(db, sql<KeyRow>`${await keepingOf(db, answers)} returning ${keptColumns}`);
  const kept = new Set(rows.map(nameOfKey));
  return answers.map(({ scope }) => kept.has(nameOfKey(scope)));
}

const keptColumns = sql`t.merchant_id as "merchantId", t.livemode, t.path, t.key`;

/** The update that stores the answers. Skips answers whose key another call has claimed in the meantime. */
export async function keepingOf(db: Executor, answers: readonly ClaimedAnswer[]): Promise<Write | null> {
  const rows = answers.map(({ scope: { merchantId, livemode, path, key }, claim, answer }) => ({
    before: { created_at: claim.at },
    after: {
      merchant_id: merchantId,
      livemode,
      path,
      key,
      running_until: null,
      answer_status: answer.status,
      answer_location: answer.location,
      answer_body: answer.body,
      resource_id: answer.resourceId,
    },
  }));
  return await updateOf(db, {
    table: 'idempotency_keys',
    key: ['merchant_id', 'livemode', 'path', 'key'],
    columns: ['running_until', 'answer_status', 'answer_location', 'answer_body', 'resource_id'],
    rows: rows.map(({ after }) => after),
    unchanged: { columns: ['created_at'], rows: rows.map(({ before }) => before) },
  });
}

/** Claims a key and stores its answer. Returns false if the key is not free. */
export async function keepUnclaimed(db: Executor, { scope, answer }: Omit<ClaimedAnswer, 'claim'>): Promise<boolean> {
  const { asked_at, kept_until, running_until: _unused, started_id: _none, ...row } = claimRow(scope, 0);
  const kept = {
    ...row,
    expires_at: kept_until,
    created_at: asked_at,
    resource_id: answer.resourceId,
    answer_status: answer.status,
    answer_location: answer.location,
    answer_body: answer.body,
  };
  const columns = columnList(Object.keys(answerTypes));
  const { rows } = await executePrepared(
    db,
    sql`
    insert into idempotency_keys as kept (${columns})
    select ${columns} from ${rowSource(answerTypes, [kept])} as n
    on conflict (merchant_id, livemode, path, key) do update
      set fingerprint = excluded.fingerprint, caller = excluded.caller, running_until = null, answer_status = excluded.answer_status,
          answer_location = excluded.answer_location, answer_body = excluded.answer_body, answer_text = null,
          resource_id = excluded.resource_id, expires_at = excluded.expires_at, created_at = excluded.created_at
      where ${isFree}
    returning kept.key`,
  );
  return rows.length === 1;
}

const answerTypes = {
  merchant_id: 'text',
  livemode: 'bool',
  path: 'text',
  key: 'text',
  fingerprint: 'bytea',
  caller: 'text',
  answer_status: 'int4',
  answer_location: 'text',
  answer_body: 'bytea',
  resource_id: 'text',
  expires_at: 'timestamptz',
  created_at: 'timestamptz',
} as const;

/** Releases the key of a call without a stored answer. A retry runs as if the call had never been sent. */
export async function releaseKey(db: Executor, call: ClaimedKey): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where(({ and }) => and(claimed(call)))
    .where('running_until', 'is not', null)
    .execute();
}

/** Moves the end of a claim. A call that ends without an outcome ends its claim at once; a retry continues its work. */
export async function moveClaim(db: Executor, call: ClaimedKey, until: Date): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ running_until: until })
    .where(({ and }) => and(claimed(call)))
    .where('running_until', 'is not', null)
    .execute();
}

/** Stores the attempt that a call has started, in the transaction that starts it. Returns false if the claim is lost. */
export async function noteStarted(tx: Tx, call: ClaimedKey, startedId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ started_id: startedId })
    .where(({ and }) => and(claimed(call)))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A key and its claim. */
export interface ClaimedKey {
  readonly scope: IdempotencyScope;
  readonly claim: Claim;
}

function claimed({ scope: { merchantId, livemode, path, key }, claim }: ClaimedKey) {
  return { merchant_id: merchantId, livemode, path, key, created_at: claim.at };
}

/**
 * The common table expression `remembered`, for a statement that creates objects in bulk. It stores the answers of the
 * rows of `new` that have a `key`. It returns the `resource_id` of each row whose key was free. `new` has the columns
 * merchant_id, livemode, path, key, fingerprint, caller, answer_status, answer_location, answer_text and id. `now` is
 * the time.
 */
export const rememberNew = (now: Date) => sql`remembered as (
  insert into idempotency_keys
    (merchant_id, livemode, path, key, fingerprint, caller, answer_status, answer_location, answer_text, resource_id,
     expires_at, created_at)
  select merchant_id, livemode, path, key, fingerprint, caller, answer_status, answer_location, answer_text, id,
    ${addSeconds(now, usuallyKeptSeconds)}::timestamptz, ${now}::timestamptz
  from new where key is not null
  on conflict (merchant_id, livemode, path, key) do update set
    fingerprint = excluded.fingerprint, caller = excluded.caller, answer_status = excluded.answer_status,
    answer_location = excluded.answer_location, answer_body = null, answer_text = excluded.answer_text,
    resource_id = excluded.resource_id, running_until = null, expires_at = excluded.expires_at,
    created_at = excluded.created_at
  where idempotency_keys.expires_at <= ${now}
  returning resource_id
)`;

/** Deletes up to `limit` expired answers. Returns their number. */
export async function deleteExpiredKeys(db: Executor, limit: number): Promise<number> {
  const deleting = sql`
    delete from idempotency_keys where (merchant_id, livemode, path, key) in (
      select merchant_id, livemode, path, key from idempotency_keys
      where expires_at <= ${systemClock.now()} limit ${limit})`;
  return Number((await executePrepared(db, deleting)).numAffectedRows ?? 0n);
}

/**
 * Replaces stored answers about a customer's objects. The keys stay, so that a repeated call still has no second
 * effect.
 */
export const answerErasure: Erasure = {
  erase: async (tx, { merchantId, livemode }, ids) => {
    await sql`
      update idempotency_keys set answer_body = null,
        answer_text = json_strip_nulls(json_build_object('id', resource_id, 'deleted', true))
      where merchant_id = ${merchantId} and livemode = ${livemode} and answer_status is not null
        and (resource_id = any (${ids}) or string_to_array(path, '/') && ${ids}::text[])`.execute(tx);
  },
};
