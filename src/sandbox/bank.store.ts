import { type Selectable, sql } from 'kysely';
import type { SendOrder } from '../server/outbound/sender.ts';
import type { Db } from '../server/platform/db/database.ts';
import { executePrepared } from '../server/platform/db/prepared.ts';
import { rowSource } from '../server/platform/db/rows.ts';
import type { FeedPage } from '../server/rails/rail.ts';
import { orderedOriginals } from './sandbox-refund.store.ts';
import type { BankCreditsTable, SandboxDb } from './sandbox-tables.ts';

export type CreditRow = Selectable<BankCreditsTable>;

/** A credit without its position in the list. */
export type NewCredit = Omit<CreditRow, 'position'>;

/**
 * Stores credits of a rail at the next positions of its list. The credits of a call must differ in merchant or bank
 * reference. Returns the stored credit of each: the new one, or an earlier one. Undefined: another process has just
 * stored it. Locks the list's counter until the commit, so readers see positions in order.
 */
export async function storeCredits(
  db: SandboxDb,
  rail: string,
  credits: readonly NewCredit[],
): Promise<readonly (CreditRow | undefined)[]> {
  const { rows } = await executePrepared(
    // The cast is safe, because the statement uses only tables of the sandbox.
    db as unknown as Db,
    sql<CreditRow>`
      with asked as materialized (
        select *, row_number() over () as place from ${rowSource(creditTypes, credits)} as n
      ), next as (
        insert into sandbox.bank_feeds (rail, position) values (${rail}, ${credits.length}::int8)
        on conflict (rail) do update set position = bank_feeds.position + excluded.position
        returning position
      ), made as (
        insert into sandbox.bank_credits
          (rail, position, merchant_id, bank_reference, amount, currency, reference, sender, created_at)
        select rail, next.position - ${credits.length}::int8 + place, merchant_id, bank_reference, amount, currency,
          reference, sender, created_at
        from asked, next
        on conflict (rail, merchant_id, bank_reference) do nothing
        returning *
      )
      select * from made
      union all
      select c.* from sandbox.bank_credits c join asked a
        on c.rail = a.rail and c.merchant_id = a.merchant_id and c.bank_reference = a.bank_reference`,
  );
  return credits.map(({ merchant_id: merchantId, bank_reference: reference }) =>
    rows.find(row => row.merchant_id === merchantId && row.bank_reference === reference),
  );
}

const creditTypes = {
  rail: 'text',
  merchant_id: 'text',
  bank_reference: 'text',
  amount: 'int8',
  currency: 'text',
  reference: 'text',
  sender: 'text',
  created_at: 'timestamptz',
} satisfies Record<keyof NewCredit, string>;

/** The merchant's credit with the bank reference, or null. */
export async function findCredit(
  db: SandboxDb,
  key: Pick<CreditRow, 'rail' | 'merchant_id' | 'bank_reference'>,
): Promise<CreditRow | null> {
  const query = db
    .selectFrom('sandbox.bank_credits')
    .selectAll()
    .where('rail', '=', key.rail)
    .where('merchant_id', '=', key.merchant_id)
    .where('bank_reference', '=', key.bank_reference);
  return (await query.executeTakeFirst()) ?? null;
}

/** Locks the credits to refund, and returns them by order id. */
export async function lockCredits(
  tx: SandboxDb,
  rail: string,
  orders: readonly SendOrder[],
): Promise<ReadonlyMap<string, CreditRow>> {
  const { rows } = await executePrepared(
    tx as unknown as Db,
    sql<CreditRow & { readonly order_id: string }>`
      select c.*, o.order_id
      from ${orderedOriginals(orders)} as o
      join sandbox.bank_credits c
        on c.rail = ${rail} and c.merchant_id = o.merchant_id and c.bank_reference = o.original
      order by c.position for update of c`,
  );
  return new Map(rows.map(({ order_id, ...credit }) => [order_id, credit]));
}

/** The rail's credits after a position, oldest first. */
export async function creditsAfter(
  db: SandboxDb,
  rail: string,
  { position, limit }: FeedPage,
): Promise<readonly CreditRow[]> {
  const { rows } = await executePrepared(
    db as unknown as Db,
    sql<CreditRow>`
      select * from sandbox.bank_credits where rail = ${rail} and position > ${position}::int8
      order by position limit ${limit}::int8`,
  );
  return rows;
}
