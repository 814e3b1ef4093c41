import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { PayError } from '../../core/error.ts';
import { lockSettlementTerms } from '../merchants/merchant.store.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { claimDue, type DueRequest, type DueWork, findDue } from '../platform/db/lease.ts';
import { type Bound, type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { executePrepared } from '../platform/db/prepared.ts';
import { findRow } from '../platform/db/rows.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { exceptionsToDecide } from './payment-funds.ts';
import type { PaymentOwner } from './payment-purpose.ts';
import type { PaymentRow } from './tables.ts';

export interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

export function keyOf({ merchant_id: merchantId, id: paymentId }: Pick<PaymentRow, 'merchant_id' | 'id'>): PaymentKey {
  return { merchantId, paymentId };
}

/** The key as text, for a `Map`. A caller may send the id of another merchant's payment, so it contains the merchant. */
export function nameOf({ merchantId, paymentId }: PaymentKey): string {
  return `${merchantId} ${paymentId}`;
}

/** The payment, or null if the merchant has no payment with this id. */
export async function findPayment(db: Executor, key: PaymentKey): Promise<PaymentRow | null> {
  return await findRow(db, 'payments', { merchant_id: key.merchantId, id: key.paymentId });
}

/** The mode of a payment, or null if the merchant has no payment with this id. */
export async function findPaymentMode(db: Executor, key: PaymentKey): Promise<{ readonly livemode: boolean } | null> {
  const row = await db
    .selectFrom('payments')
    .select('livemode')
    .where(eb => eb.and({ merchant_id: key.merchantId, id: key.paymentId }))
    .executeTakeFirst();
  return row ?? null;
}

/** Locks the payment until the transaction ends. Throws `resource_missing`. */
export async function lockPayment(tx: Tx, key: PaymentKey): Promise<PaymentRow> {
  const row = await findRow(tx, 'payments', { merchant_id: key.merchantId, id: key.paymentId }, 'lock');
  if (row === null) throw paymentMissing(key.paymentId);
  return row;
}

/** The error for an unknown id in the field `param`. Another merchant's id gives the same error. */
export function paymentMissing(paymentId: string, param = 'id'): PayError {
  return new PayError(
    'resource_missing',
    `No payment ${paymentId.slice(0, 64)} exists. Check the id and the mode of the key.`,
    { param },
  );
}

/** A payment whose session is over, and its mode. */
export type DuePayment = PaymentKey & { readonly livemode: boolean };

export const openPayments: DueWork = {
  table: 'payments',
  key: ['merchant_id', 'id'],
  dueAt: 'session_expires_at',
  clock: 'merchant',
  where: sql`t.status = 'pending' and t.phase not in ('processing', 'confirming')`,
};

/** Finds payments that may expire, and whose session is over on their merchant's clock. */
export async function findExpired(db: Db, now: Date, limit: number): Promise<readonly DuePayment[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "paymentId", t.livemode`;
  return await findDue(db, openPayments, { now, limit }, columns);
}

/** Payments that settle on Stellar, not by payouts in a currency. */
export const settledOnStellar = sql<SqlBool>`not settlement_in_fiat`;

/** `isUndecided` of `payment-funds.ts`, in SQL. Literals let PostgreSQL use the index of the exceptions to decide. */
export const undecided = sql<SqlBool>`exception in (${sql.join(exceptionsToDecide.map(each => sql.lit(each)))})
  and (exception = 'paid_late' or ((status <> 'pending' or phase in ('partially_paid', 'authorized'))
    and (amount_suspense > 0 or (amount_direct > 0 and completed_at is null))))`;

/** Whether a refund waits for the payer's destination, in SQL. */
export const waitingRefund = sql<SqlBool>`(requires_destination and status = 'pending')`;

/** Whether a refund of the payment waits. An index has these refunds, and few wait at the same time. */
function hasWaitingRefund({ merchantId, livemode }: MerchantScope) {
  return sql<SqlBool>`id = any (array(
    select payment_id from refunds where merchant_id = ${merchantId} and livemode = ${livemode} and ${waitingRefund}))`;
}

export interface PaymentFilters {
  /** Values of text columns. */
  readonly equal?: Readonly<Record<string, string | undefined>>;
  /** Bounds of the amount. */
  readonly amount?: readonly Bound[];
  /** Values of metadata keys, as text. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether money of the payment waits for the merchant's decision. */
  readonly isUndecided?: boolean;
  /** Whether a refund of the payment waits for its destination. */
  readonly hasWaitingRefund?: boolean;
  /** Required owners. A payment has one owner, so no payment has two different ones. */
  readonly owners?: readonly PaymentOwner[];
}

/** A page of the merchant's payments. */
export async function listPayments(
  db: Db,
  scope: MerchantScope,
  filters: PaymentFilters,
  request: PageRequest,
): Promise<Page<PaymentRow>> {
  const { equal = {}, amount = [], metadata = {}, owners = [] } = filters;
  const owned = owners.map(({ type, id }) => sql<SqlBool>`owner_type = ${type} and owner_id = ${id}`);
  const among = owned.length === 0 ? {} : { among: sql<SqlBool>`(${sql.join(owned, sql` and `)})` };
  const list = { table: 'payments' as const, ...scope, ...among };
  const waits = [
    ...whether(filters.isUndecided, undecided),
    ...whether(filters.hasWaitingRefund, hasWaitingRefund(scope)),
  ];
  return await readPage(db, list, request, { equal, ranges: { amount }, metadata, and: waits });
}

/** The condition if the filter is true, or its opposite if it is false. */
function whether(filter: boolean | undefined, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool>[] {
  return filter === undefined ? [] : [filter ? condition : sql<SqlBool>`(${condition}) is not true`];
}

/** The columns that plan a settlement. Each start of a settlement reads the whole row again, under its lock. */
const dueColumns = [
  ...(['merchant_id', 'id', 'livemode', 'settlement_due_at', 'settlement_asset', 'settlement_address'] as const),
  ...([
    'currency',
    'amount',
    'quote_amount',
    'amount_received',
    'amount_refunded',
    'amount_refunding',
    'amount_disputed',
  ] as const),
  ...(['amount_suspense', 'amount_settling', 'amount_settled', 'amount_receivable', 'amount_available'] as const),
];

/** A payment whose settlement is due, and data for the settlement. */
type DueSettlementRow = Pick<PaymentRow, (typeof dueColumns)[number]> & {
  /** The Stellar asset of the payment's largest custodial transfer, or null. */
  readonly paid_in: string | null;
};

const settlements = {
  table: 'payments',
  key: ['merchant_id', 'id'],
  dueAt: 'settlement_due_at',
  clock: 'merchant',
} as const;
/**
 * The money of a `balance` payment waits for the payment's owner, who makes it available. What comes later, and the
 * offsets of a refunded payment, follow by themselves.
 */
const scheduleOf = sql`case when t.settlement_mode <> 'balance'
    then (select s.settlement_schedule from merchants s where s.id = t.merchant_id)
  when t.amount_available > 0 or t.status = 'refunded' then 'manual' else 'owner' end`;

/** Completed payments whose money stays in the balance: by their mode, or by the merchant's schedule `manual`. */
export const manualPayments: DueWork = {
  ...settlements,
  where: sql`t.settlement_due_at is not null and ${scheduleOf} = 'manual'`,
};

export async function claimManualPayments(db: Db, request: DueRequest) {
  return await claimDue<PaymentRow>(db, manualPayments, { ...request, leaseSeconds: 30 });
}

/** The treasury that settles the payments of one mode, and its chain. */
export interface SettlingTreasury {
  readonly livemode: boolean;
  readonly chain: string;
}

/**
 * Payments whose automatic settlement on Stellar is due. While one part is being settled, the rest waits. The end of that
 * settlement makes the rest due.
 */
export const automaticSettlements = {
  ...settlements,
  where: sql`t.settlement_due_at is not null and t.amount_settling = 0 and not t.settlement_in_fiat
    and ${scheduleOf} = 'automatic'`,
} satisfies DueWork;

/** Like `automaticSettlements`, of payments that are settled in a currency. */
export const fiatSettlements = {
  ...settlements,
  where: sql`t.settlement_due_at is not null and t.amount_settling = 0 and t.settlement_in_fiat
    and ${scheduleOf} = 'automatic'`,
} satisfies DueWork;

/**
 * Finds payments of one mode whose automatic settlement is due. Does not claim them, because a claim would write each
 * row once more. The start of the settlement locks the row and checks it again. `except`: ids of payments to skip.
 */
export async function findDueSettlements(
  db: Db,
  { livemode, chain }: SettlingTreasury,
  { except, ...request }: DueRequest & { readonly except: readonly string[] },
) {
  const work: DueWork = {
    ...automaticSettlements,
    where: sql`${automaticSettlements.where} and t.livemode = ${livemode} and t.id <> all (${[...except]}::text[])`,
  };
  const columns = sql`${sql.join(dueColumns.map(column => sql.ref(`t.${column}`)))},
    (select r.currency from transfers r
      where r.merchant_id = t.merchant_id and r.payment_id = t.id and r.chain = ${chain} and r.custodial
      order by r.amount_applied desc limit 1) as paid_in`;
  return await findDue<DueSettlementRow>(db, work, request, columns);
}

/**
 * Lets payments without a settlement address wait until the merchant sets one. If the merchant has just set one, or the
 * schedule `manual`, they are due again. Locks the account, so that no concurrent change is missed.
 */
export async function awaitAddress(db: Db, merchantId: string, paymentIds: readonly string[]): Promise<void> {
  await db.transaction().execute(async tx => {
    const { address, schedule } = await lockSettlementTerms(tx, merchantId);
    const mayGoOn = address !== null || schedule === 'manual';
    await tx
      .updateTable('payments')
      .set(
        mayGoOn ? { settlement_due_at: sql`completed_at` } : { settlement_due_at: null, settlement_status: 'pending' },
      )
      .where('merchant_id', '=', merchantId)
      .where(sql<boolean>`id = any (${[...paymentIds]}::text[])`)
      .where('settlement_address', 'is', null)
      .where('settlement_due_at', 'is not', null)
      .where('amount_settling', '=', 0n)
      .execute();
  });
}

/** Counts payments that wait until their merchant sets a settlement address. */
export async function countAwaitingAddress(db: Executor, livemode: boolean): Promise<number> {
  const count = sql<{ count: number }>`
    select count(*)::int as count from payments p join merchants m on m.id = p.merchant_id
    where p.settlement_status = 'pending' and p.settlement_due_at is null and p.settlement_address is null
      and not p.settlement_in_fiat and m.stellar_address is null and p.livemode = ${livemode}`;
  return (await executePrepared(db, count)).rows[0]?.count ?? 0;
}

/** Makes settlements due that waited for a change of the merchant's account. */
export async function resumeSettlements(tx: Tx, merchantId: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: sql`completed_at`, settlement_tries: 0 })
    .where('merchant_id', '=', merchantId)
    .where('settlement_status', 'in', ['pending', 'failed'])
    .where('settlement_due_at', 'is', null)
    // Only a person sends a failed payout again.
    .where('settlement_in_fiat', '=', false)
    .execute();
}

export async function makeSettlementDue(tx: Tx, { merchantId, paymentId }: PaymentKey, now: Date): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ settlement_due_at: now })
    .where(eb => eb.and({ merchant_id: merchantId, id: paymentId }))
    .execute();
}

/** Locks the payments in the order of their keys. The fixed order prevents deadlocks. */
export async function lockPayments(tx: Tx, keys: readonly PaymentKey[]): Promise<PaymentRow[]> {
  return (await executePrepared(tx, paymentLock(keys))).rows;
}

/** The query of `lockPayments`. */
export function paymentLock(keys: readonly PaymentKey[]): RawBuilder<PaymentRow> {
  return sql<PaymentRow>`
    select p.* from ${keyList(keys)} join payments p on p.merchant_id = k.merchant_id and p.id = k.payment_id
    order by p.merchant_id, p.id for update of p`;
}

export function keyList(keys: readonly PaymentKey[]) {
  const merchants = keys.map(({ merchantId }) => merchantId);
  const payments = keys.map(({ paymentId }) => paymentId);
  return sql`unnest(${merchants}::text[], ${payments}::text[]) as k (merchant_id, payment_id)`;
}

/** Claims due rows of these rails for 30 seconds. The work is card attempts, card events or disputes. */
export async function claimAtRails<Row>(
  db: Db,
  work: DueWork,
  { rails, ...request }: DueRequest & { readonly rails: readonly string[] },
) {
  const ofRails = { ...work, where: sql`${work.where} and t.rail = any(${rails}::text[])` };
  return await claimDue<Row>(db, ofRails, { ...request, leaseSeconds: 30 });
}
