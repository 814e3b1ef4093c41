import { sql } from 'kysely';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { findRow, insertRows } from '../platform/db/rows.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { BalanceQuoteRow, ConversionRow, WithdrawalRow } from './tables.ts';

function keyOf({ merchantId, livemode }: MerchantScope, id: string) {
  return { merchant_id: merchantId, livemode, id };
}

/** The merchant's withdrawal in the mode (test or live), or null. */
export async function findWithdrawal(db: Executor, scope: MerchantScope, id: string): Promise<WithdrawalRow | null> {
  return await findRow(db, 'withdrawals', keyOf(scope, id));
}

/** Locks the merchant's withdrawals with these ids until the transaction ends, in the order of their ids. */
export async function lockWithdrawals(tx: Tx, merchantId: string, ids: readonly string[]): Promise<WithdrawalRow[]> {
  const { rows } = await sql<WithdrawalRow>`
    select * from withdrawals where merchant_id = ${merchantId} and id = any (${[...ids]}::text[])
    order by id for update`.execute(tx);
  return rows;
}

export async function listWithdrawals(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
): Promise<Page<WithdrawalRow>> {
  return await readPage(db, { table: 'withdrawals', ...scope }, request);
}

export async function insertQuote(tx: Tx, row: BalanceQuoteRow): Promise<void> {
  await insertRows(tx, 'balance_quotes', [row]);
}

/** Locks the merchant's quote in the mode until the transaction ends. Returns the quote, or null. */
export async function lockQuote(tx: Tx, scope: MerchantScope, id: string): Promise<BalanceQuoteRow | null> {
  return await findRow(tx, 'balance_quotes', keyOf(scope, id), 'lock');
}

/** The merchant's quote in the mode, or null. */
export async function findQuote(db: Executor, scope: MerchantScope, id: string): Promise<BalanceQuoteRow | null> {
  return await findRow(db, 'balance_quotes', keyOf(scope, id));
}

/** Marks a locked quote as used. */
export async function useQuote(tx: Tx, quote: BalanceQuoteRow, conversionId: string): Promise<void> {
  await tx
    .updateTable('balance_quotes')
    .set({ conversion_id: conversionId })
    .where(eb => eb.and({ merchant_id: quote.merchant_id, id: quote.id }))
    .execute();
}

/**
 * The merchant's conversions since `since`, oldest first. Conversions of the merchant wait for each other until the
 * transaction ends.
 */
export async function lockConversionsSince(
  tx: Tx,
  { merchantId, livemode }: MerchantScope,
  since: Date,
): Promise<Pick<ConversionRow, 'dollar_cents' | 'created_at'>[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`conversions ${merchantId} ${livemode}`}, 0))`.execute(tx);
  return await tx
    .selectFrom('conversions')
    .select(['dollar_cents', 'created_at'])
    .where(eb => eb.and({ merchant_id: merchantId, livemode }))
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute();
}

/** The merchant's conversion in the mode, or null. */
export async function findConversion(db: Executor, scope: MerchantScope, id: string): Promise<ConversionRow | null> {
  return await findRow(db, 'conversions', keyOf(scope, id));
}

/** Locks the merchant's conversion in the mode until the transaction ends. Returns the conversion, or null. */
export async function lockConversion(tx: Tx, scope: MerchantScope, id: string): Promise<ConversionRow | null> {
  return await findRow(tx, 'conversions', keyOf(scope, id), 'lock');
}

export async function listConversions(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
): Promise<Page<ConversionRow>> {
  return await readPage(db, { table: 'conversions', ...scope }, request);
}
