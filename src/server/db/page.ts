import { type SqlBool, sql } from 'kysely';
import { PayError } from '../../core/error.ts';
import type { Executor } from './database.ts';

/** Which page of a list is asked for. Lists run newest first, by `(created_at, id)`. */
export interface PageRequest {
  /** Number of rows, 1 … 100. */
  readonly limit: number;
  /** Id of the row after which (older) the page starts. */
  readonly startingAfter: string | null;
  /** Id of the row before which (newer) the page ends. */
  readonly endingBefore: string | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
}

/** Rows of a page, newest first, and whether the list goes on in the direction asked for. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** Whose rows a list shows, and the condition (of the row's own columns) that a cursor must meet like any row of the list. */
export interface PageScope {
  readonly table:
    | 'payments'
    | 'payment_links'
    | 'invoices'
    | 'invoice_transactions'
    | 'credit_notes'
    | 'refunds'
    | 'transfers'
    | 'events'
    | 'webhook_endpoints'
    | 'webhook_deliveries'
    | 'api_keys'
    | 'merchant_entries'
    | 'recurring_invoices';
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly endpointId?: string;
  readonly paymentId?: string;
  /** Transactions, credit notes of this invoice alone. */
  readonly invoiceId?: string;
  /** Payments of this invoice alone. */
  readonly invoice?: string;
  /** Payments of this payment link alone. */
  readonly paymentLink?: string;
}

/** The parts of the query that reads a page: `where(within)`, then order, then `limit(take)`; `toPage` makes the page of its rows. */
export interface PageBounds {
  /** Every bound the request sets, over the columns `created_at` and `id` of the only table of the query. */
  readonly within: ReturnType<typeof sql<SqlBool>>;
  readonly order: 'asc' | 'desc';
  readonly take: number;
  toPage<Row>(rows: readonly Row[]): Page<Row>;
}

/**
 * Turns a request for a page into keyset bounds: pages neither skip nor repeat rows while new ones arrive.
 * Throws PayError `invalid_cursor` when a cursor is not the id of a row of this very list, another merchant's included.
 */
export async function pageBounds(db: Executor, scope: PageScope, request: PageRequest): Promise<PageBounds> {
  const backwards = request.endingBefore !== null;
  const cursor = request.endingBefore ?? request.startingAfter;
  const conditions = [sql<SqlBool>`true`];
  if (request.createdFrom !== null) conditions.push(sql<SqlBool>`created_at >= ${request.createdFrom}`);
  if (request.createdBefore !== null) conditions.push(sql<SqlBool>`created_at < ${request.createdBefore}`);
  if (cursor !== null) {
    const at = await cursorTime(db, scope, cursor, backwards ? 'ending_before' : 'starting_after');
    conditions.push(sql<SqlBool>`(created_at, id) ${backwards ? sql`>` : sql`<`} (${at}::timestamptz, ${cursor})`);
  }
  return {
    within: sql<SqlBool>`(${sql.join(conditions, sql` and `)})`,
    order: backwards ? 'asc' : 'desc',
    take: request.limit + 1,
    toPage: rows => {
      const kept = rows.slice(0, request.limit);
      return { rows: backwards ? kept.reverse() : kept, hasMore: rows.length > request.limit };
    },
  };
}

/** As text, since a Date would lose the microseconds a row may carry. */
async function cursorTime(db: Executor, scope: PageScope, id: string, param: string): Promise<string> {
  const { rows } = await sql<{ at: string }>`
    select created_at::text as at from ${sql.table(scope.table)}
    where merchant_id = ${scope.merchantId} and livemode = ${scope.livemode} and id = ${id}
      and ${scope.endpointId === undefined ? sql`true` : sql`endpoint_id = ${scope.endpointId}`}
      and ${scope.paymentId === undefined ? sql`true` : sql`payment_id = ${scope.paymentId}`}
      and ${scope.invoiceId === undefined ? sql`true` : sql`invoice_id = ${scope.invoiceId}`}
      and ${scope.invoice === undefined ? sql`true` : sql`invoice = ${scope.invoice}`}
      and ${scope.paymentLink === undefined ? sql`true` : sql`payment_link = ${scope.paymentLink}`}
    limit 1`.execute(db);
  const at = rows[0]?.at;
  if (at === undefined) {
    throw new PayError('invalid_cursor', `No object of this list has the id given in ${param}.`, { param });
  }
  return at;
}
