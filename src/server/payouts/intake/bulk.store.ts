import { sql } from 'kysely';
import { post, requireAvailable } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { createRows } from '../../platform/events/change.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { batchResource, payoutResource } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';

/** The references that payouts of the merchant already use. Ignores case, like the unique index. */
export async function findReferences(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  const { rows } = await sql<{ given: string }>`
    select given from unnest(${[...references]}::text[]) as given
    where exists (select from payouts where merchant_id = ${merchantId} and livemode = ${livemode}
      and reference is not null and lower(reference) = lower(given))`.execute(db);
  return new Set(rows.map(({ given }) => given));
}

/** Sorts rows by reference. Two batches with the same references then cannot deadlock. */
function byReference(rows: readonly PayoutRow[]): PayoutRow[] {
  const keyed = rows.map(row => ({ row, key: row.reference?.toLowerCase() ?? '' }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}

/** Rows per insert statement. Building the parameters of a statement blocks other requests, so it must be short. */
const rowsPerStatement = 100;

/** Inserts a batch with its payouts and reserves their money. Throws `insufficient_funds`. */
export async function insertBatch(
  tx: Tx,
  context: PayoutContext,
  batch: BatchRow,
  payouts: readonly PayoutRow[],
): Promise<void> {
  const { merchant_id: merchantId, livemode, id: resourceId, created_at: now } = batch;
  const amounts = new Map<string, bigint>();
  for (const { source_currency: currency, source_amount: amount } of payouts) {
    amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
  }
  // A recurring batch reserves nothing, because each run reserves its own money.
  if (payouts.length > 0) await requireAvailable(tx, { merchantId, livemode, now }, amounts);
  await insertReserved(tx, context, [batch], payouts);
  if (payouts.length === 0) return;
  const postings = [...amounts].flatMap(([currency, amount]) =>
    move('merchant.available', 'merchant.reserved', currency, amount),
  );
  await post(tx, [{ merchantId, livemode, kind: 'payouts_reserved', resourceId, postings, now }]);
}

/** Inserts batches of one merchant with their payouts, whose money is reserved. */
export async function insertReserved(
  tx: Tx,
  context: PayoutContext,
  batches: readonly BatchRow[],
  payouts: readonly PayoutRow[],
): Promise<void> {
  const changed = batches.map(({ merchant_id: merchantId, id: resourceId }) => ({ merchantId, resourceId }));
  for (const some of chunksOf(batches)) {
    await createRows(tx, batchResource, context, 'payout_batch.created', some);
  }
  for (const some of chunksOf(byReference(payouts))) {
    await createRows(tx, payoutResource, context, 'payout.created', some, changed);
  }
}

function chunksOf<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsPerStatement);
  return Array.from({ length: count }, (_, at) => rows.slice(at * rowsPerStatement, (at + 1) * rowsPerStatement));
}
