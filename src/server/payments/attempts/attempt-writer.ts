import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { type Tx, transact } from '../../platform/db/database.ts';
import { createGroupWriter } from '../../platform/db/group-writer.ts';
import { insertOf } from '../../platform/db/rows.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Claim, IdempotencyScope } from '../../platform/http/idempotency/idempotency.store.ts';
import { withArrivalRates } from '../arrival-quote.ts';
import { keyOf, nameOf, paymentMissing } from '../payment.store.ts';
import {
  type PaymentChange,
  type PlannedPayment,
  planPaymentChange,
  unchangedPayment,
  writePaymentChanges,
} from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { type AttemptRow, type LockedStart, lockToStart } from './attempt.store.ts';
import { askAgainSeconds } from './attempt.ts';
import { type BookedOutcome, bookOutcomes, type OutcomeRequest } from './attempt-outcome.service.ts';
import { refusedPrompts } from './prompt-limit.service.ts';

/** What a new attempt asks of which rail. `payment_amount`, `number` and `expires_at` are null for cards. */
export type AttemptPlan = Pick<
  AttemptRow,
  'method' | 'rail' | 'amount' | 'currency' | 'payment_amount' | 'number' | 'expires_at'
>;

/** An attempt to start. */
export interface StartRequest {
  readonly caller: Caller;
  readonly paymentId: string;
  /** The call's key to claim in the same transaction, or null. */
  readonly unclaimed: IdempotencyScope | null;
  /** The id of the new attempt. The key names it, so that a retry after a crash finds it. */
  readonly attemptId: string;
  /**
   * Plans the attempt at the locked payment. Throws unless the payer may pay it so now. `unprepared`: the caller must
   * read the payment first.
   */
  readonly choose: (payment: PaymentRow) => AttemptPlan | 'unprepared';
  readonly returnUrl: string | null;
  /** Whether the caller has already ended an open attempt and an overdue session. */
  readonly isPrepared: boolean;
  /** Stores the attempt under the call's key. Null if the key names it already. */
  readonly noteStarted: ((tx: Tx, attemptId: string) => Promise<void>) | null;
}

export interface Started {
  readonly attempt: AttemptRow;
  readonly captureMethod: PaymentRow['capture_method'];
}

/**
 * The claim (null if the key is taken), and the started attempt or the refusal. `unprepared`: see `isPrepared`; or the
 * claim names the attempt of a crashed call, which continues.
 */
export interface StartedAttempt {
  readonly claim: Claim | null;
  readonly result: Started | PayError | 'unprepared';
}

/** Starts attempts and books their outcomes. Concurrent calls share one commit. */
export type AttemptWriter = ReturnType<typeof createAttemptWriter>;

export function createAttemptWriter(deps: PaymentDeps) {
  const starts = createGroupWriter<StartRequest, StartedAttempt>({
    ...limits,
    keyOf: ({ caller, paymentId }) => nameOf({ merchantId: caller.merchant.id, paymentId }),
    write: batch => startBatch(deps, batch, 'first'),
  });
  const outcomes = createGroupWriter<OutcomeRequest, BookedOutcome>({
    ...limits,
    keyOf: ({ attempt }) => `${attempt.merchant_id} ${attempt.payment_id}`,
    write: async batch => {
      try {
        return await bookBatch(deps, batch, false);
      } catch (error) {
        if (batch.length > 1 || !violates(error, 'transfers_merchant_id_rail_rail_reference_key')) throw error;
        return await bookBatch(deps, batch, true);
      }
    },
  });
  return {
    /** Starts an attempt. Throws the error of the payment's purpose. */
    start: starts.write,
    /** Books an outcome, as `bookOutcomes` does. */
    book: outcomes.write,
  };
}

async function bookBatch(deps: PaymentDeps, batch: readonly OutcomeRequest[], isCareful: boolean) {
  return await withArrivalRates(deps, rates =>
    transact(deps.db, tx => bookOutcomes(deps, tx, batch, { rates, isCareful })),
  );
}

const limits = { maxBatch: 64, maxParallel: 2 } as const;

/** A start that loses the number of its phone to another server sees that server's prompt in the second try. */
async function startBatch(
  deps: PaymentDeps,
  batch: readonly StartRequest[],
  attempt: 'first' | 'second',
): Promise<readonly StartedAttempt[]> {
  try {
    return await transact(deps.db, tx => startAttempts(deps, tx, batch));
  } catch (error) {
    if (batch.length > 1) throw error;
    const hasLostNumber = violates(error, 'payment_attempts_one_prompt');
    if (hasLostNumber && attempt === 'first') return await startBatch(deps, batch, 'second');
    throw hasLostNumber || violates(error, 'payment_attempts_one_open') ? inFlight() : error;
  }
}

async function startAttempts(
  deps: PaymentDeps,
  tx: Tx,
  requests: readonly StartRequest[],
): Promise<readonly StartedAttempt[]> {
  const asked = requests.map(({ caller, ...request }) => ({ ...request, merchantId: caller.merchant.id }));
  const locked = new Map((await lockToStart(tx, asked)).map(row => [nameOf(keyOf(row.payment)), row]));
  const planned = requests.map(request => {
    const found = locked.get(nameOf({ merchantId: request.caller.merchant.id, paymentId: request.paymentId }));
    // Throwing rolls back the claim of the call's key. The caller claims the key again to store this error.
    if (found === undefined) throw paymentMissing(request.paymentId);
    return { caller: request.caller, found, result: attemptFor(request, found) };
  });
  const refused = await refusedPrompts(
    tx,
    planned.flatMap(({ caller, result }) => (isStarted(result) ? [{ caller, attempt: result.attempt }] : [])),
  );
  const plans: PlannedPayment[] = [];
  const attempts: AttemptRow[] = [];
  const started = planned.map(({ caller: { now }, found: { payment, claim }, result }) => {
    if (!isStarted(result)) return { claim, result };
    const { attempt } = result;
    const refusal = refused.get(attempt.id);
    if (refusal !== undefined) return { claim, result: refusal };
    plans.push(planPaymentChange(deps, unchangedPayment(payment, now), processing(attempt, now)));
    attempts.push(attempt);
    return { claim, result };
  });
  await writePaymentChanges(tx, deps, plans, { writes: [await insertOf(tx, 'payment_attempts', attempts)] });
  const startedIds = new Set(attempts.map(({ id }) => id));
  for (const { noteStarted, attemptId } of requests) if (startedIds.has(attemptId)) await noteStarted?.(tx, attemptId);
  return started;
}

function isStarted(result: StartedAttempt['result']): result is Started {
  return !(result instanceof PayError) && result !== 'unprepared';
}

/** A new prompt replaces one that is over, and whose end no operator has told. */
function processing({ method, number }: AttemptRow, now: Date): PaymentChange {
  return { to: 'processing', set: { method, next_action: null, ...(number !== null && { open_prompt: null }) }, now };
}

function attemptFor(
  { caller, paymentId, unclaimed, attemptId, choose, returnUrl, isPrepared }: StartRequest,
  { payment, openAttempt, claim }: LockedStart,
): StartedAttempt['result'] {
  const { livemode, now } = caller;
  if (unclaimed !== null && claim?.startedId !== attemptId) return 'unprepared';
  if (payment.livemode !== livemode) return paymentMissing(paymentId);
  const isOver = payment.status === 'pending' && now >= payment.session_expires_at;
  if (!isPrepared && (isOver || openAttempt !== null)) return 'unprepared';
  let plan: AttemptPlan | 'unprepared';
  try {
    plan = choose(payment);
  } catch (error) {
    if (error instanceof PayError) return error;
    throw error;
  }
  if (plan === 'unprepared') return plan;
  if (openAttempt !== null) return inFlight();
  const attempt: AttemptRow = {
    merchant_id: payment.merchant_id,
    payment_id: payment.id,
    id: attemptId,
    livemode: payment.livemode,
    ...plan,
    open_number: plan.number,
    capture_amount: null,
    state: 'started',
    rail_reference: null,
    brand: null,
    last4: null,
    code: null,
    message: null,
    return_url: returnUrl,
    due_at: addSeconds(now, askAgainSeconds.started),
    created_at: now,
    updated_at: now,
  };
  return { attempt, captureMethod: payment.capture_method };
}

function inFlight(): PayError {
  const message = 'Another attempt to pay is under way. Wait for its outcome.';
  return new PayError('payment_in_flight', message);
}

function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}
