import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type ClaimRequest, claimDue, type DueWork } from '../../platform/db/lease.ts';
import { findRow } from '../../platform/db/rows.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { WalletTransactionsTable } from '../tables.ts';
import { type WalletFailure, type WalletTransactionRow, walletTransactionMachine } from './wallet-transaction.ts';

export async function insertWalletTransaction(tx: Tx, row: Insertable<WalletTransactionsTable>) {
  return await tx.insertInto('wallet_transactions').values(row).returningAll().executeTakeFirstOrThrow();
}

/** The transaction, or null if the payment has no transaction with this id. */
export async function findWalletTransaction(db: Executor, key: PaymentKey, id: string) {
  return await findRow(db, 'wallet_transactions', { merchant_id: key.merchantId, payment_id: key.paymentId, id });
}

/** The number of the payment's transactions that can still enter a block, and the earliest expiry. */
export async function openTransactions(db: Executor, key: PaymentKey, now: Date) {
  return await db
    .selectFrom('wallet_transactions')
    .select([sql<number>`count(*)::int`.as('count'), sql<Date | null>`min(valid_until)`.as('first_ends')])
    .where(eb => eb.and({ merchant_id: key.merchantId, payment_id: key.paymentId }))
    .where('state', 'in', ['built', 'submitted'])
    .where('valid_until', '>', now)
    .executeTakeFirstOrThrow();
}

/** Moves the transaction to its next state. Returns null if another worker has moved it. */
export async function moveWalletTransaction(
  tx: Tx,
  row: WalletTransactionRow,
  to: WalletTransactionRow['state'],
  set: Omit<Updateable<WalletTransactionsTable>, 'state'>,
): Promise<WalletTransactionRow | null> {
  const moved = await tx
    .updateTable('wallet_transactions')
    .set({ ...set, state: to })
    .where(eb => eb.and({ merchant_id: row.merchant_id, payment_id: row.payment_id, id: row.id }))
    .where('state', 'in', [...walletTransactionMachine.sourcesOf(to)])
    .returningAll()
    .executeTakeFirst();
  return moved ?? null;
}

/** Records that the network refused a transaction that was submitted earlier. */
export async function recordRefusal(
  db: Db,
  row: WalletTransactionRow,
  { code, message }: WalletFailure,
  now: Date,
): Promise<void> {
  await db
    .updateTable('wallet_transactions')
    .set({ failure_code: code, failure_message: message, refused_at: sql`coalesce(refused_at, ${now})` })
    .where(eb => eb.and({ merchant_id: row.merchant_id, payment_id: row.payment_id, id: row.id, state: 'submitted' }))
    .execute();
}

export const openWalletTransactions: DueWork = {
  table: 'wallet_transactions',
  key: ['merchant_id', 'payment_id', 'id'],
  dueAt: 'due_at',
  clock: 'real',
  where: sql`t.due_at is not null`,
};

/** Claims transactions with unknown outcome. */
export async function claimOpenTransactions(db: Db, request: Omit<ClaimRequest, 'set'>) {
  const set = sql`attempts = t.attempts + 1`;
  return await claimDue<WalletTransactionRow>(db, openWalletTransactions, { ...request, set });
}
