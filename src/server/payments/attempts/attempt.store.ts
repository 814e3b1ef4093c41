import { type Selectable, sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type DueWork, moveDue } from '../../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { findRow, rowSource, updateOf, type Write } from '../../platform/db/rows.ts';
import {
  type Claim,
  claimAsked,
  claimRow,
  claimTypes,
  type IdempotencyScope,
} from '../../platform/http/idempotency/idempotency.store.ts';
import { claimSeconds } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentAttemptsTable, PaymentRow } from '../tables.ts';

/** A row of `payment_attempts`: one attempt to charge a card, or one prompt on a phone. */
export type AttemptRow = Selectable<PaymentAttemptsTable>;

const openStates = ['started', 'requires_action', 'authorized', 'capturing', 'unknown'] as const;
const openList = sql.raw(openStates.map(state => `'${state}'`).join(', '));

/** The open attempt of the payment, or null. A payment has at most one. */
export async function findOpenAttempt(db: Executor, merchantId: string, paymentId: string): Promise<AttemptRow | null> {
  const row = await db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .where('state', 'in', [...openStates])
    .executeTakeFirst();
  return row ?? null;
}

/** An attempt of the payment, or null. */
export async function findAttempt(db: Executor, key: PaymentKey, id: string): Promise<AttemptRow | null> {
  return await findRow(db, 'payment_attempts', { merchant_id: key.merchantId, payment_id: key.paymentId, id });
}

/** The open attempt if there is one, otherwise the captured attempt, otherwise the newest. Null without attempts. */
export async function findLastAttempt(db: Executor, merchantId: string, paymentId: string): Promise<AttemptRow | null> {
  const row = await db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, payment_id: paymentId }))
    .orderBy(sql`case when state in (${sql.join(openStates)}) then 0 when state = 'captured' then 1 else 2 end`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** A page of the payment's attempts. */
export async function listAttempts(
  db: Executor,
  { paymentId, ...scope }: MerchantScope & { readonly paymentId: string },
  request: PageRequest,
): Promise<Page<AttemptRow>> {
  return await readPage(db, { table: 'payment_attempts', ...scope, only: { payment_id: paymentId } }, request);
}

/** A payment to lock for a new attempt, and the call's idempotency key to claim. */
export interface AskedStart extends PaymentKey {
  readonly unclaimed: IdempotencyScope | null;
  /** The id of the attempt to start. */
  readonly attemptId: string;
}

/** A locked payment, the state of its open attempt, and the claim of its call's key. */
export interface LockedStart {
  readonly payment: PaymentRow;
  readonly openAttempt: AttemptRow['state'] | null;
  readonly claim: Claim | null;
}

/**
 * Claims the idempotency keys of calls, and locks their payments in the order of their ids. `asked` names each payment
 * once. Omits unknown payments. The result may miss an attempt that another transaction starts at the same time.
 */
export async function lockToStart(tx: Tx, asked: readonly AskedStart[]): Promise<LockedStart[]> {
  const keys = asked.map(({ merchantId: merchant_id, paymentId: payment_id, unclaimed, attemptId }) => ({
    ...(unclaimed !== null && claimRow(unclaimed, claimSeconds, attemptId)),
    merchant_id,
    payment_id,
  }));
  const { rows } = await executePrepared(
    tx,
    sql<PaymentRow & StartColumns>`
      with asked as (select * from ${rowSource({ ...claimTypes, payment_id: 'text' }, keys)} as n), ${claimAsked}
      select p.*, a.state as open_attempt, c.created_at as claimed_at, c.started_id
      from asked k
      join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id
      left join payment_attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.state in (${openList})
      left join claimed c on c.merchant_id = k.merchant_id and c.livemode = k.livemode and c.path = k.path and c.key = k.key
      order by p.merchant_id, p.id for update of p`,
  );
  return rows.map(({ open_attempt: openAttempt, claimed_at: at, started_id: startedId, ...payment }) => {
    const claim = at === null ? null : { at, startedId };
    return { payment, openAttempt, claim };
  });
}

interface StartColumns {
  readonly open_attempt: AttemptRow['state'] | null;
  readonly claimed_at: Date | null;
  readonly started_id: string | null;
}

/** The columns that an outcome, or the start of a capture, changes. */
const outcomeColumns = [
  ...(['state', 'rail_reference', 'brand', 'last4', 'code', 'message'] as const),
  ...(['capture_amount', 'open_number', 'expires_at', 'due_at', 'updated_at'] as const),
];

export type AttemptOfPayment = Pick<AttemptRow, 'merchant_id' | 'payment_id' | 'id' | (typeof outcomeColumns)[number]>;

/** Locks attempts and their payments, in the order of the payments' ids. `attempts` names each payment once. */
export async function lockToBook(
  tx: Tx,
  attempts: readonly Pick<AttemptRow, 'merchant_id' | 'payment_id' | 'id'>[],
): Promise<{ readonly payment: PaymentRow; readonly attempt: AttemptOfPayment }[]> {
  const keys = rowSource({ merchant_id: 'text', payment_id: 'text', id: 'text' }, attempts);
  const columns = outcomeColumns.map(name => sql`${sql.ref(`a.${name}`)} as ${sql.ref(`attempt_${name}`)}`);
  const { rows } = await executePrepared(
    tx,
    sql<PaymentRow & Readonly<Record<string, unknown>>>`
      select p.*, a.id as attempt_id, ${sql.join(columns)}
      from ${keys} k
      join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id
      join payment_attempts a on a.merchant_id = k.merchant_id and a.payment_id = k.payment_id and a.id = k.id
      order by p.merchant_id, p.id for update of p, a`,
  );
  return rows.map(row => {
    const attempt: Record<string, unknown> = { merchant_id: row.merchant_id, payment_id: row.id };
    const payment: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) {
      if (name.startsWith('attempt_')) attempt[name.slice('attempt_'.length)] = value;
      else payment[name] = value;
    }
    return { payment: payment as unknown as PaymentRow, attempt: attempt as unknown as AttemptOfPayment };
  });
}

/** Whether the payment still waits for the attempt in this state. */
export function isOpen(state: AttemptRow['state']): boolean {
  return openStates.some(open => open === state);
}

/**
 * Whether an attempt in this state may take the outcome. A capture also changes a declined or abandoned attempt. A
 * second `abandoned` ends the prompt of an attempt that its payer has left.
 */
export function mayTake(state: AttemptRow['state'], outcome: AttemptRow['state']): boolean {
  if (state === 'abandoned' && outcome === 'abandoned') return true;
  return isOpen(state) || (outcome === 'captured' && (state === 'declined' || state === 'abandoned'));
}

/** The update that stores the outcomes of locked attempts, or null without attempts. */
export async function outcomesOf(db: Executor, attempts: readonly AttemptOfPayment[]): Promise<Write | null> {
  const key = ['merchant_id', 'payment_id', 'id'];
  return await updateOf(db, { table: 'payment_attempts', key, columns: outcomeColumns, rows: attempts });
}

/** Makes the authorized attempt of a payment due. The sweep then releases its card. */
export async function makeReleaseDue(
  tx: Tx,
  { merchant_id, id: payment_id }: { readonly merchant_id: string; readonly id: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('payment_attempts')
    .set({ due_at: now })
    .where(eb => eb.and({ merchant_id, payment_id, state: 'authorized' }))
    .execute();
}

export const dueAttempts: DueWork = {
  table: 'payment_attempts',
  key: ['merchant_id', 'payment_id', 'id'],
  dueAt: 'due_at',
  clock: 'merchant',
  where: sql`t.due_at is not null`,
};

/** Changes the due time of a claimed attempt. Null ends the queries. */
export async function moveAttempt(db: Db, attempt: AttemptRow, to: Date | null): Promise<void> {
  await moveDue(db, dueAttempts, attempt, { to });
}

/** Makes a prompt's attempt due now. Returns false for an unknown attempt, and for one that needs no queries. */
export async function makeAttemptDue(
  db: Db,
  { rail, merchantId, id }: { readonly rail: string; readonly merchantId: string; readonly id: string },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment_attempts')
    .set({ due_at: now })
    .where(eb => eb.and({ merchant_id: merchantId, id, rail }))
    .where('number', 'is not', null)
    .where('due_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
