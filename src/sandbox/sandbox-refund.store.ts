import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { SendOrder } from '../server/outbound/sender.ts';
import type { Db } from '../server/platform/db/database.ts';
import { executePrepared } from '../server/platform/db/prepared.ts';
import { columnList, rowSource } from '../server/platform/db/rows.ts';
import type { SandboxDb, SandboxRefundsTable } from './sandbox-tables.ts';

export type SandboxRefundRow = Selectable<SandboxRefundsTable>;

/** The refunds or payments of the orders, by order id. */
export async function findRefunds(
  db: SandboxDb,
  rail: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, SandboxRefundRow>> {
  const { rows } = await executePrepared(
    // The cast is safe, because the statement uses only tables of the sandbox.
    db as unknown as Db,
    sql<SandboxRefundRow>`
      select * from sandbox.refunds where rail = ${rail} and refund_id = any (${[...orderIds]}::text[])`,
  );
  return new Map(rows.map(row => [row.refund_id, row]));
}

/** The originals to refund, as a table expression with `order_id`, `merchant_id`, `original` and `now`. */
export function orderedOriginals(orders: readonly SendOrder[]): RawBuilder<unknown> {
  const types = { order_id: 'text', merchant_id: 'text', original: 'text', now: 'timestamptz' };
  const rows = orders.map(({ id, merchantId, original, now }) => ({
    order_id: id,
    merchant_id: merchantId,
    original,
    now,
  }));
  return rowSource(types, rows);
}

/** The sum of the completed and pending refunds of each order's original, by order id, in minor units. */
export async function refundedSums(
  tx: SandboxDb,
  rail: string,
  orders: readonly SendOrder[],
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await executePrepared(
    tx as unknown as Db,
    sql<{ readonly id: string; readonly sum: bigint }>`
      select o.order_id as id, sum(r.amount)::bigint as sum from ${orderedOriginals(orders)} as o
      join sandbox.refunds r on r.rail = ${rail} and r.merchant_id = o.merchant_id and r.original_reference = o.original
      where r.outcome = 'completed' or r.settles_at > o.now
      group by o.order_id`,
  );
  return new Map(rows.map(({ id, sum }) => [id, sum]));
}

/**
 * Stores refunds without waiting for the disk. The service books the refunds in a later commit, which puts both on the
 * disk. Skips orders that are already stored. Returns the number of stored refunds.
 */
export async function insertRefunds(tx: SandboxDb, refunds: readonly SandboxRefundRow[]): Promise<number> {
  if (refunds.length === 0) return 0;
  const columns = columnList(Object.keys(refundTypes));
  const { rows } = await executePrepared(
    tx as unknown as Db,
    sql<{ readonly made: number }>`
      with made as (
        insert into sandbox.refunds (${columns}) select ${columns} from ${rowSource(refundTypes, refunds)} as n
        on conflict (rail, refund_id) do nothing returning 1
      )
      select count(*)::int as made, set_config('synchronous_commit', 'off', true) from made`,
  );
  return rows[0]?.made ?? 0;
}

const refundTypes = {
  rail: 'text',
  refund_id: 'text',
  id: 'text',
  merchant_id: 'text',
  original_reference: 'text',
  amount: 'int8',
  currency: 'text',
  outcome: 'text',
  settles_at: 'timestamptz',
  code: 'text',
  created_at: 'timestamptz',
} satisfies Record<keyof SandboxRefundRow, string>;
