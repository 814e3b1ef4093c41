import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { rowsOfSums } from '../platform/db/folded-sums.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { ledgerSums } from './ledger.store.ts';

/** One account of a merchant in one currency, and a period. */
export interface StatementScope extends MerchantScope {
  readonly account: string;
  readonly currency: string;
  readonly from: Date;
  readonly until: Date;
}

/** A line of a statement. A positive amount was added to the account. */
export interface StatementEntry {
  readonly id: string;
  readonly kind: string;
  readonly amount: bigint;
  readonly payment_id: string | null;
  readonly refund_id: string | null;
  readonly resource_id: string | null;
  readonly created_at: Date;
}

/**
 * The balance at the beginning and at the end of the period: the present balance, which is kept, less the entries since.
 * One statement reads both, so that it sees each entry in both or in none.
 */
export async function readStatementBalances(db: Db, scope: StatementScope) {
  const own = sql`merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and account = ${scope.account}
    and currency = ${scope.currency}`;
  const { rows } = await sql<{ opening: bigint; closing: bigint }>`
    select present - since_opening as opening, present - since_closing as closing
    from (select coalesce(sum(amount), 0) as present from ${rowsOfSums(ledgerSums, own)}) p,
      (select coalesce(sum(amount), 0) as since_opening,
         coalesce(sum(amount) filter (where created_at >= ${scope.until}), 0) as since_closing
       from ledger_entries where ${own} and created_at >= ${scope.from}) s`.execute(db);
  return rows[0] ?? { opening: 0n, closing: 0n };
}

const pageSize = 1_000;

/** Yields the entries of the period page by page, oldest first. */
export async function* readStatementEntries(db: Db, scope: StatementScope): AsyncGenerator<readonly StatementEntry[]> {
  let after: { readonly at: string; readonly id: string } | null = null;
  for (;;) {
    const rest: RawBuilder<unknown> =
      after === null ? sql`true` : sql`(created_at, id) > (${after.at}::timestamptz, ${after.id})`;
    // Reads the time as text, because a Date would lose microseconds.
    const { rows }: { rows: (StatementEntry & { readonly at: string })[] } = await sql<
      StatementEntry & { readonly at: string }
    >`
      select id, kind, amount, payment_id, refund_id, resource_id, created_at, created_at::text as at
      from merchant_entries
      where merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and account = ${scope.account}
        and currency = ${scope.currency} and created_at >= ${scope.from} and created_at < ${scope.until} and ${rest}
      order by created_at, id limit ${pageSize}`.execute(db);
    yield rows;
    after = rows.at(-1) ?? null;
    if (rows.length < pageSize) return;
  }
}
