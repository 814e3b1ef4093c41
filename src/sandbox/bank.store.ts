import { type Selectable, sql } from 'kysely';
import type { FeedPage } from '../server/rails/rail.ts';
import type { BankCreditsTable, SandboxDb } from './sandbox-tables.ts';

export type CreditRow = Selectable<BankCreditsTable>;

/**
 * Stores a credit at the next position of its rail's list. Returns false when the merchant has a credit with the same
 * bank reference. The list's counter is locked until the commit, so readers see positions in order.
 */
export async function insertCredit(db: SandboxDb, row: Omit<CreditRow, 'position'>): Promise<boolean> {
  const { rows } = await sql<{ position: bigint }>`
    with next as (
      insert into sandbox.bank_feeds (rail, position) values (${row.rail}, 1)
      on conflict (rail) do update set position = bank_feeds.position + 1
      returning position
    )
    insert into sandbox.bank_credits
      (rail, position, merchant_id, bank_reference, amount, currency, reference, sender, created_at)
    select ${row.rail}, position, ${row.merchant_id}, ${row.bank_reference}, ${row.amount}::bigint, ${row.currency},
           ${row.reference}::text, ${row.sender}::text, ${row.created_at}::timestamptz
    from next
    on conflict (rail, merchant_id, bank_reference) do nothing
    returning position`.execute(db);
  return rows.length > 0;
}

/** The merchant's credit with the bank reference, or null. */
export async function findCredit(
  db: SandboxDb,
  key: Pick<CreditRow, 'rail' | 'merchant_id' | 'bank_reference'>,
  options: { readonly lock?: boolean } = {},
): Promise<CreditRow | null> {
  const query = db
    .selectFrom('sandbox.bank_credits')
    .selectAll()
    .where('rail', '=', key.rail)
    .where('merchant_id', '=', key.merchant_id)
    .where('bank_reference', '=', key.bank_reference);
  return (await (options.lock === true ? query.forUpdate() : query).executeTakeFirst()) ?? null;
}

/** The rail's credits after a position, oldest first. */
export async function creditsAfter(
  db: SandboxDb,
  rail: string,
  { position, limit }: FeedPage,
): Promise<readonly CreditRow[]> {
  return await db
    .selectFrom('sandbox.bank_credits')
    .selectAll()
    .where('rail', '=', rail)
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)
    .execute();
}
