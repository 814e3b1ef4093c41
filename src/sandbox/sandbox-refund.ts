import { addSeconds } from '../core/clock.ts';
import { randomText } from '../core/id.ts';
import type { SendOrder, SendOutcome } from '../server/outbound/sender.ts';
import { createGroupWriter } from '../server/platform/db/group-writer.ts';
import { findRefunds, insertRefunds, refundedSums, type SandboxRefundRow } from './sandbox-refund.store.ts';
import type { SandboxDb } from './sandbox-tables.ts';
import type { RefundBehavior } from './test-cards.ts';

/** The charge or credit to refund. `amount` is in minor units. */
export interface Original {
  readonly amount: bigint;
  readonly currency: string;
  readonly isCaptured: boolean;
  readonly behavior: RefundBehavior;
  /** The code of a refused or failed refund. */
  readonly failure: RefundFailure;
}

/** How a sandbox rail executes refunds and payments. */
export interface RefundBook {
  readonly db: SandboxDb;
  readonly rail: string;
  /** Delay of a slow refund in seconds. */
  readonly delaySeconds: number;
  /**
   * Finds the original of each order, by order id. Locks the originals, so that refunds of the same original are
   * checked one after another.
   */
  readonly lockOriginals: (tx: SandboxDb, orders: readonly SendOrder[]) => Promise<ReadonlyMap<string, Original>>;
  /** The behavior of an order that is not a refund. A rail without this function executes only refunds. */
  readonly behaviorOf?: (order: SendOrder) => RefundBehavior;
}

const failures = {
  original_not_found: 'The payment to refund does not exist.',
  original_not_captured: 'The payment has not arrived yet. Refund it when it has.',
  currency_mismatch: 'The refund must have the currency of the payment.',
  refund_exceeds_original: 'The refund exceeds the remaining amount of the payment.',
  expired_or_canceled_card: 'The card the money should go back to is closed.',
  account_closed: 'The bank account the money should go back to is closed.',
} as const satisfies Record<string, string>;

type RefundFailure = keyof typeof failures;

/**
 * Creates a function that executes an order. A repeated order is executed once. Refunds never exceed the original
 * amount. Concurrent orders share one commit.
 */
export function createRefunder(book: RefundBook): (order: SendOrder) => Promise<SendOutcome> {
  const { write } = createGroupWriter<SendOrder, SendOutcome>({
    maxBatch: 64,
    maxParallel: 2,
    keyOf: ({ id, merchantId, original }) => `${merchantId} ${original ?? id}`,
    write: orders => book.db.transaction().execute(tx => bookRefunds(tx, book, orders)),
  });
  return write;
}

async function bookRefunds(tx: SandboxDb, book: RefundBook, orders: readonly SendOrder[]): Promise<SendOutcome[]> {
  const originals = await book.lockOriginals(tx, orders);
  const ids = orders.map(({ id }) => id);
  const known = await findRefunds(tx, book.rail, ids);
  const fresh = orders.filter(({ id }) => !known.has(id));
  const sums = await refundedSums(tx, book.rail, fresh);
  const made = fresh.map(order => {
    const original = order.original === null ? newPayment(book, order) : (originals.get(order.id) ?? null);
    return refundRow(book, order, judge(order, original, sums.get(order.id) ?? 0n));
  });
  const isAll = (await insertRefunds(tx, made)) === made.length;
  // If fewer rows were inserted, another process has just stored some of the orders. Then the stored rows are read.
  const stored = isAll ? new Map([...known, ...made.map(row => [row.refund_id, row] as const)]) : null;
  const rows = stored ?? (await findRefunds(tx, book.rail, ids));
  return orders.map(({ id, now }) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error('a refund that was just stored does not exist');
    return outcomeOf(row, now);
  });
}

/** An order that is not a refund. The service's own money is always sufficient. Null if the rail cannot pay it. */
function newPayment({ behaviorOf }: RefundBook, order: SendOrder): Original | null {
  if (behaviorOf === undefined || order.destination === null) return null;
  const { amount, currency } = order;
  return { amount, currency, isCaptured: true, behavior: behaviorOf(order), failure: 'account_closed' };
}

/** The current state of an order, or null for an unknown order. */
export async function refundOutcome(
  book: Pick<RefundBook, 'db' | 'rail'>,
  orderId: string,
  now: Date,
): Promise<SendOutcome | null> {
  const row = (await findRefunds(book.db, book.rail, [orderId])).get(orderId);
  return row === undefined ? null : outcomeOf(row, now);
}

interface Verdict {
  readonly outcome: SandboxRefundRow['outcome'];
  readonly code: RefundFailure | null;
  readonly isDelayed: boolean;
}

const refused = (code: RefundFailure): Verdict => ({ outcome: 'failed', code, isDelayed: false });

/** Decides about an order. `taken`: the sum of completed and pending refunds of the original. */
function judge(order: SendOrder, original: Original | null, taken: bigint): Verdict {
  if (original === null) return refused('original_not_found');
  if (original.currency !== order.currency) return refused('currency_mismatch');
  if (!original.isCaptured) return refused('original_not_captured');
  if (order.amount <= 0n || taken + order.amount > original.amount) return refused('refund_exceeds_original');
  if (original.behavior === 'refused') return refused(original.failure);
  if (original.behavior === 'failed') return { outcome: 'failed', code: original.failure, isDelayed: true };
  return { outcome: 'completed', code: null, isDelayed: original.behavior === 'pending' };
}

function refundRow(book: RefundBook, order: SendOrder, verdict: Verdict): SandboxRefundRow {
  return {
    rail: book.rail,
    refund_id: order.id,
    id: `sbx_re_${randomText(22)}`,
    merchant_id: order.merchantId,
    original_reference: order.original,
    amount: order.amount,
    currency: order.currency,
    outcome: verdict.outcome,
    settles_at: verdict.isDelayed ? addSeconds(order.now, book.delaySeconds) : null,
    code: verdict.code,
    created_at: order.now,
  };
}

function outcomeOf(row: SandboxRefundRow, now: Date): SendOutcome {
  if (row.settles_at !== null && row.settles_at > now) return { state: 'pending', railReference: row.id };
  if (row.outcome === 'completed') return { state: 'completed', railReference: row.id };
  const code = row.code ?? '';
  const message = Object.hasOwn(failures, code) ? failures[code as RefundFailure] : 'The refund did not go through.';
  return { state: 'failed', code, message };
}
