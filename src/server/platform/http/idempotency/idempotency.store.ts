import { sql } from 'kysely';
import { addSeconds, systemClock } from '../../../../core/clock.ts';
import type { Moment, MomentByDefault } from '../../db/column.ts';
import type { Executor, Tx } from '../../db/database.ts';

/** Columns of `idempotency_keys`. */
interface IdempotencyKeysTable {
  merchant_id: string;
  livemode: boolean;
  path: string;
  key: string;
  fingerprint: Buffer;
  answer_status: number | null;
  answer_location: string | null;
  answer_body: Buffer | null;
  answer_text: string | null;
  resource_id: string | null;
  locked_until: Moment;
  expires_at: Moment;
  created_at: MomentByDefault;
}

declare module '../../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeysTable;
  }
}

/** What a call is remembered under: the same key of another merchant, mode, path or kind of credential is another call. */
export interface IdempotencyScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** Path without query; before it, for a browser, the publishable key or payment that it spoke for. */
  readonly path: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** SHA-256 of method, path and the body's bytes. */
  readonly fingerprint: Buffer;
}

/** A row as it stands. While the first call runs there is neither `body` nor `text`; afterwards there is one of them. */
export interface RememberedRow {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly location: string | null;
  /** The answer sealed. */
  readonly body: Buffer | null;
  /** The answer as it was, but for a secret that can be derived. */
  readonly text: string | null;
  readonly resourceId: string | null;
  /** Whether the first call still holds its lease. */
  readonly running: boolean;
}

/** An answer ready to be kept. */
export interface SealedAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly body: Buffer;
  readonly resourceId: string | null;
}

/** Proof that this process runs the call: a later claim of the same key has another token. */
export type Lease = Date;

/** How long an answer is kept, in seconds. */
const keptSeconds = 86_400;

/**
 * Takes the key for this call for `leaseSeconds`. Succeeds when no call has it, when its answer has expired, or when a
 * call with the same body crashed and its lease has ended. All times come from the service, so that the statement also
 * runs on a distributed database, which accepts no clock in `on conflict … where`.
 */
export async function claimKey(db: Executor, scope: IdempotencyScope, leaseSeconds: number): Promise<Lease | null> {
  const now = systemClock.now();
  const lease = addSeconds(now, leaseSeconds);
  const { rows } = await sql<{ locked_until: Date }>`
    insert into idempotency_keys as kept
      (merchant_id, livemode, path, key, fingerprint, locked_until, expires_at, created_at)
    values (${scope.merchantId}, ${scope.livemode}, ${scope.path}, ${scope.key}, ${scope.fingerprint}, ${lease},
            ${addSeconds(now, keptSeconds)}, ${now})
    on conflict (merchant_id, livemode, path, key) do update
      set fingerprint = excluded.fingerprint, locked_until = excluded.locked_until, expires_at = excluded.expires_at,
          answer_status = null, answer_location = null, answer_body = null, answer_text = null, resource_id = null,
          created_at = excluded.created_at
      where kept.expires_at <= excluded.created_at
         or (kept.answer_status is null and kept.locked_until <= excluded.created_at
             and kept.fingerprint = excluded.fingerprint)
    returning locked_until`.execute(db);
  return rows[0]?.locked_until ?? null;
}

/** What the key stands for now, or null. */
export async function findKey(
  db: Executor,
  scope: Omit<IdempotencyScope, 'fingerprint'>,
): Promise<RememberedRow | null> {
  const now = systemClock.now();
  const { rows } = await sql<RememberedRow>`
    select fingerprint, answer_status as status, answer_location as location, answer_body as body,
           answer_text as text, resource_id as "resourceId", answer_status is null and locked_until > ${now} as running
    from idempotency_keys
    where merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and path = ${scope.path}
      and key = ${scope.key} and expires_at > ${now}`.execute(db);
  return rows[0] ?? null;
}

/** Keeps the answer if the lease is still ours. False when another call has taken the key over. */
export async function rememberAnswer(
  db: Executor | Tx,
  scope: IdempotencyScope,
  lease: Lease,
  answer: SealedAnswer,
): Promise<boolean> {
  const result = await db
    .updateTable('idempotency_keys')
    .set({
      answer_status: answer.status,
      answer_location: answer.location,
      answer_body: answer.body,
      resource_id: answer.resourceId,
    })
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where('path', '=', scope.path)
    .where('key', '=', scope.key)
    .where('locked_until', '=', lease)
    .where('answer_status', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Lets the key go, so that a retry runs: the call did not execute. An answer that was kept meanwhile stays. */
export async function releaseKey(db: Executor, scope: IdempotencyScope, lease: Lease): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where('path', '=', scope.path)
    .where('key', '=', scope.key)
    .where('locked_until', '=', lease)
    .where('answer_status', 'is', null)
    .execute();
}

/** Deletes up to `limit` answers past their 24 hours. Returns how many went. */
export async function deleteExpiredKeys(db: Executor, limit: number): Promise<number> {
  const result = await sql`
    delete from idempotency_keys where (merchant_id, livemode, path, key) in (
      select merchant_id, livemode, path, key from idempotency_keys
      where expires_at <= ${systemClock.now()} limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
