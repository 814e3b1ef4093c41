import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import type { MerchantScope } from '../platform/merchant.ts';

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

/** The balance at the beginning and at the end of the period. */
export async function readStatementBalances(db: Db, scope: StatementScope) {
  const { rows } = await sql<{ opening: bigint; closing: bigint }>`
    select coalesce(sum(amount) filter (where created_at < ${scope.from}), 0) as opening, coalesce(sum(amount), 0) as closing
    from ledger_entries
    where merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and account = ${scope.account}
      and currency = ${scope.currency} and created_at < ${scope.until}`.execute(db);
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
