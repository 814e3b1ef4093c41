import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { type FoldedSums, rowsOfSums } from '../platform/db/folded-sums.ts';
import type { MerchantScope } from '../platform/merchant.ts';

/** Counts and sums of the payments with one currency, method and settlement asset. Sums are in minor units. */
export interface Figures {
  readonly currency: string;
  readonly method: string;
  readonly settlement_asset: string;
  readonly created: bigint;
  readonly pending: bigint;
  readonly completed: bigint;
  readonly failed: bigint;
  readonly refunded: bigint;
  readonly paid: bigint;
  readonly received: bigint;
  readonly returned: bigint;
}

/** The sums of one point of a series. */
export interface PointFigures extends Figures {
  /** Position of the point in the period. The first is 1. */
  readonly point: number;
}

/** Where the money of completed payments is, in minor units of a currency. */
export interface MoneyFigures {
  readonly currency: string;
  readonly settled: bigint;
  readonly available: bigint;
  readonly waiting: bigint;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    payment_figures: { merchant_id: string; livemode: boolean; at: Date };
    payment_figure_changes: { merchant_id: string; livemode: boolean; at: Date };
  }
}

/** A period, divided into points. A point is an hour, a day, a week or a month. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
  /** The first moment of each point, in ascending order. The first may be before `from`. */
  readonly points: readonly Date[];
}

const counted = ['created', 'pending', 'completed', 'failed', 'refunded', 'paid', 'received', 'returned'] as const;
const sums = sql.join(counted.map(name => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`));

export const figures: FoldedSums = {
  totals: 'payment_figures',
  changes: 'payment_figure_changes',
  key: ['merchant_id', 'livemode', 'at', 'currency', 'method', 'settlement_asset'],
  sums: [...counted, 'settled', 'available', 'waiting'],
};

function rowsOf({ merchantId, livemode }: MerchantScope, when: RawBuilder<unknown>) {
  return rowsOfSums(figures, sql`merchant_id = ${merchantId} and livemode = ${livemode} and ${when}`);
}

/**
 * The figures of a period, by point, currency, method and asset. `width_bucket` finds the point of a row in less time
 * than `date_trunc` with a time zone.
 */
export async function readFigures(
  db: Db,
  scope: MerchantScope,
  { from, until, points }: Period,
): Promise<readonly PointFigures[]> {
  const { rows } = await sql<PointFigures>`
    select width_bucket(at, ${points}::timestamptz[]) as point, currency, method, settlement_asset, ${sums}
    from ${rowsOf(scope, sql`at >= ${from} and at < ${until}`)} group by 1, 2, 3, 4`.execute(db);
  return rows;
}

/** Where the money of all completed payments is. */
export async function readMoney(db: Db, scope: MerchantScope): Promise<readonly MoneyFigures[]> {
  const { rows } = await sql<MoneyFigures>`
    select currency, sum(settled)::bigint as settled, sum(available)::bigint as available, sum(waiting)::bigint as waiting
    from ${rowsOf(scope, sql`at = '-infinity'`)} group by 1 order by 1`.execute(db);
  return rows;
}
