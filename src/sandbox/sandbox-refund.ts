import { addSeconds } from '../core/clock.ts';
import { randomText } from '../core/id.ts';
import type { RefundOutcome, RefundRequest } from '../server/rails/rail.ts';
import { findRefund, insertRefund, refundedSum, type SandboxRefundRow } from './sandbox-refund.store.ts';
import type { SandboxDb } from './sandbox-tables.ts';
import type { RefundBehavior } from './test-cards.ts';

/** What money goes back from: a captured charge or a credit. */
interface Original {
  readonly amount: bigint;
  readonly currency: string;
  readonly isCaptured: boolean;
  readonly behavior: RefundBehavior;
  /** The code of a refund that its behaviour lets fail. */
  readonly failure: RefundFailure;
}

/** Where and how a rail of the sandbox books refunds. */
export interface RefundBook {
  readonly db: SandboxDb;
  readonly rail: string;
  /** Seconds after which a refund that takes its time is done or refused. */
  readonly delaySeconds: number;
  /** Finds what the refund is of and locks it, so that refunds of one original are judged one after another. */
  readonly lockOriginal: (tx: SandboxDb, request: RefundRequest) => Promise<Original | null>;
}

const failures = {
  original_not_found: 'There is no such payment to send money back from.',
  original_not_captured: 'The payment has not arrived yet. Refund it when it has.',
  currency_mismatch: 'The refund is not in the currency of the payment.',
  refund_exceeds_original: 'The refund is more than what is left of the payment.',
  expired_or_canceled_card: 'The card the money should go back to is closed.',
  account_closed: 'The bank account the money should go back to is closed.',
} as const satisfies Record<string, string>;

/** Why a refund failed. */
type RefundFailure = keyof typeof failures;

/** Books a refund once, however often it is asked for, and never more in sum than the original brought. */
export async function bookRefund(book: RefundBook, request: RefundRequest): Promise<RefundOutcome> {
  const row = await book.db.transaction().execute(async tx => {
    const original = await book.lockOriginal(tx, request);
    const known = await findRefund(tx, book.rail, request.refundId);
    if (known !== null) return known;
    const verdict = await judge(tx, book, request, original);
    await insertRefund(tx, refundRow(book, request, verdict));
    return await findRefund(tx, book.rail, request.refundId);
  });
  if (row === null) throw new Error('a refund that was just written is gone');
  return outcomeOf(row, request.now);
}

/** Where the refund stands at the moment, or null when it was never asked for. */
export async function refundOutcome(
  book: Pick<RefundBook, 'db' | 'rail'>,
  refundId: string,
  now: Date,
): Promise<RefundOutcome | null> {
  const row = await findRefund(book.db, book.rail, refundId);
  return row === null ? null : outcomeOf(row, now);
}

interface Verdict {
  readonly outcome: SandboxRefundRow['outcome'];
  readonly code: RefundFailure | null;
  readonly isDelayed: boolean;
}

const refused = (code: RefundFailure): Verdict => ({ outcome: 'failed', code, isDelayed: false });

async function judge(
  tx: SandboxDb,
  book: RefundBook,
  request: RefundRequest,
  original: Original | null,
): Promise<Verdict> {
  if (original === null) return refused('original_not_found');
  if (original.currency !== request.currency) return refused('currency_mismatch');
  if (!original.isCaptured) return refused('original_not_captured');
  const taken = await refundedSum(tx, book.rail, request);
  if (request.amount <= 0n || taken + request.amount > original.amount) return refused('refund_exceeds_original');
  if (original.behavior === 'refused') return refused(original.failure);
  if (original.behavior === 'failed') return { outcome: 'failed', code: original.failure, isDelayed: true };
  return { outcome: 'completed', code: null, isDelayed: original.behavior === 'pending' };
}

function refundRow(book: RefundBook, request: RefundRequest, verdict: Verdict): SandboxRefundRow {
  return {
    rail: book.rail,
    refund_id: request.refundId,
    id: `sbx_re_${randomText(22)}`,
    merchant_id: request.merchantId,
    original_reference: request.railReference,
    amount: request.amount,
    currency: request.currency,
    outcome: verdict.outcome,
    settles_at: verdict.isDelayed ? addSeconds(request.now, book.delaySeconds) : null,
    code: verdict.code,
    created_at: request.now,
  };
}

function outcomeOf(row: SandboxRefundRow, now: Date): RefundOutcome {
  if (row.settles_at !== null && row.settles_at > now) return { state: 'pending', railReference: row.id };
  if (row.outcome === 'completed') return { state: 'completed', railReference: row.id };
  const code = row.code ?? '';
  const message = Object.hasOwn(failures, code) ? failures[code as RefundFailure] : 'The refund did not go through.';
  return { state: 'failed', code, message };
}
