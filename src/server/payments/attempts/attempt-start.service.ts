import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Answer, Execution, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import { findPayment } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { type AttemptRow, findAttempt } from './attempt.store.ts';
import type { RailOutcome } from './attempt.ts';
import { giveUpOpenAttempt } from './attempt-follow.service.ts';
import { railOf } from './attempt-rails.ts';
import type { AttemptWriter, Started, StartedAttempt, StartRequest } from './attempt-writer.ts';

/** An action on a payment, and the function that renders the response. */
export interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly render: (payment: PaymentRow) => Answer;
  readonly execution: Execution;
}

/** A payer's choice of a card or a phone. */
export interface AttemptChoice extends Confirmation, Pick<StartRequest, 'choose' | 'returnUrl'> {
  /**
   * Reads the payment, and what `choose` needs. Expires the payment first if its session is over. Throws unless the
   * payer may pay it so now.
   */
  readonly prepare: () => Promise<void>;
  /** Asks the rail to take the money. The attempt's id makes repeated requests take it once. */
  readonly take: (attempt: AttemptRow, captureMethod: PaymentRow['capture_method']) => Promise<RailOutcome>;
}

/**
 * Pays in three steps that each survive a crash: insert the attempt, ask the rail, book the outcome. The attempt's id
 * makes repeated requests take the money only once. The call's key names the attempt, so a retry after a crash answers
 * the attempt's outcome. Throws the error of a declined attempt. If the outcome is unknown, the payment stays
 * `processing` until the rail responds.
 */
export async function confirmAttempt(
  deps: PaymentDeps,
  writer: AttemptWriter,
  choice: AttemptChoice,
): Promise<RenderedAnswer> {
  const { caller, execution, render } = choice;
  const { attempt, outcome } = await startAttempt(deps, writer, choice);
  if (outcome.state === 'declined') {
    await writer.book({ acting: caller, attempt, outcome });
    throw new PayError(outcome.decline.code, outcome.decline.message);
  }
  const booked = await writer.book({
    acting: caller,
    attempt,
    outcome,
    render: payment => execution.render(render(payment)),
  });
  return booked.rendered?.sent ?? execution.render(render(booked.payment)).sent;
}

/** An attempt, and the answer of the rail. */
interface Asked {
  readonly attempt: AttemptRow;
  readonly outcome: RailOutcome;
}

/**
 * Claims the call's key, and asks the rail in a new attempt. First ends an open attempt, or a session that is over.
 * Continues the attempt of a crashed call with the same key instead, if the rail may have taken the money.
 */
async function startAttempt(deps: PaymentDeps, writer: AttemptWriter, choice: AttemptChoice): Promise<Asked> {
  const { caller, paymentId, execution, choose, returnUrl } = choice;
  const askNew = async ({ attempt, captureMethod }: Started) => {
    return { attempt, outcome: await take(choice, attempt, captureMethod) };
  };
  const attemptId = newId('attempt');
  const request = { caller, paymentId, attemptId, choose, returnUrl };
  const { unclaimed } = execution;
  const first = await writer.start({ ...request, unclaimed, isPrepared: false, noteStarted: null });
  if (unclaimed !== null) execution.hold(first.claim);
  if (first.result !== 'unprepared') return await askNew(startedOf(first.result));
  const before = await crashedAttempt(deps, caller, paymentId, first.claim?.startedId ?? attemptId);
  if (before !== null) {
    const outcome = await resumedOutcome(deps, choice, before);
    if (outcome !== null) return { attempt: before, outcome };
  }
  await choice.prepare();
  await giveUpOpenAttempt(deps, caller, paymentId);
  const own =
    before === null
      ? { attemptId: first.claim?.startedId ?? attemptId, noteStarted: null }
      : { attemptId, noteStarted: execution.started };
  const next = await writer.start({ ...request, ...own, unclaimed: null, isPrepared: true });
  return await askNew(startedOf(next.result));
}

/** Without an answer, the rail may have taken the money. The service queries the rail until it responds. */
async function take(
  choice: AttemptChoice,
  attempt: AttemptRow,
  captureMethod: PaymentRow['capture_method'],
): Promise<RailOutcome> {
  return await choice.take(attempt, captureMethod).catch((): RailOutcome => ({ state: 'unknown' }));
}

async function crashedAttempt({ db }: PaymentDeps, { merchant }: Caller, paymentId: string, id: string) {
  return await findAttempt(db, { merchantId: merchant.id, paymentId }, id);
}

/**
 * The rail's answer about the attempt of a crashed call. Asks for the money if the rail never got the request. Null:
 * the attempt has ended.
 */
async function resumedOutcome(
  deps: PaymentDeps,
  choice: AttemptChoice,
  attempt: AttemptRow,
): Promise<RailOutcome | null> {
  const { caller, paymentId } = choice;
  const known = await railOf(deps, attempt)
    .status(attempt, caller.now)
    .catch((): RailOutcome => ({ state: 'unknown' }));
  if (known !== null || attempt.state === 'abandoned' || attempt.state === 'declined') return known;
  const payment = await findPayment(deps.db, { merchantId: caller.merchant.id, paymentId });
  return await take(choice, attempt, payment?.capture_method ?? 'automatic');
}

function startedOf(result: StartedAttempt['result']): Started {
  if (result instanceof PayError) throw result;
  if (result === 'unprepared') throw new Error('a prepared attempt was not started');
  return result;
}
