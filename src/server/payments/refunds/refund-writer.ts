import type { CreateRefund } from '../../../api/refund.ts';
import { PayError } from '../../../core/error.ts';
import { createValuer, type Valuer } from '../../approvals/approval.ts';
import { type Tx, transact } from '../../platform/db/database.ts';
import { createGroupWriter } from '../../platform/db/group-writer.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { GroupedCall, OnlyAnswer, RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import { readPayment } from '../checkout/payment-lifecycle.service.ts';
import { keyOf, nameOf, paymentMissing } from '../payment.store.ts';
import { refundToWire } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { planRefunds, writeRefunds } from './refund.service.ts';
import { lockToRefund, type RefundRow } from './refund.store.ts';

/** A merchant's call to refund a payment. */
interface RefundRequest {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly request: CreateRefund;
  /** The rates to the limit of the caller's account. */
  readonly valuer: Valuer | null;
  readonly call: GroupedCall;
}

/** The answer of a call, or its error. `overdue`: the payment's session is over, so the payment must expire first. */
type RefundResult = RenderedAnswer | PayError | 'overdue';

/** Starts refunds of payments. Concurrent calls share one commit. Call `outbound.wake` afterwards. */
export function createRefundWriter(
  deps: PaymentDeps,
): (request: Omit<RefundRequest, 'valuer'>) => Promise<RenderedAnswer> {
  const { write } = createGroupWriter<RefundRequest, RefundResult>({
    maxBatch: 64,
    maxParallel: 2,
    keyOf: ({ caller, paymentId }) => nameOf({ merchantId: caller.merchant.id, paymentId }),
    write: batch => transact(deps.db, tx => refundTogether(deps, tx, batch)),
  });
  return async given => {
    const request = { ...given, valuer: await valuerOf(deps, given) };
    let result = await write(request);
    if (result === 'overdue') {
      await readPayment(deps, request.caller, request.paymentId);
      result = await write(request);
    }
    if (result instanceof PayError) throw result;
    if (result === 'overdue') throw new Error('an overdue payment did not expire');
    return result;
  };
}

/** A merchant without a limit needs no rates, and no further query. */
async function valuerOf(deps: PaymentDeps, { caller, paymentId }: Pick<RefundRequest, 'caller' | 'paymentId'>) {
  if (caller.merchant.payoutApprovalAmount === null) return null;
  const { currency } = await readPayment(deps, caller, paymentId);
  return await createValuer(deps, caller.merchant, [currency]);
}

async function refundTogether(
  deps: PaymentDeps,
  tx: Tx,
  requests: readonly RefundRequest[],
): Promise<readonly RefundResult[]> {
  const keys = requests.map(({ caller, paymentId }) => ({ merchantId: caller.merchant.id, paymentId }));
  const { payments, transfers } = await lockToRefund(tx, keys);
  const locked = new Map(payments.map(payment => [nameOf(keyOf(payment)), payment]));
  const starts = requests.flatMap(({ caller, paymentId, request, valuer }) => {
    const { merchant, livemode, now } = caller;
    const payment = locked.get(nameOf({ merchantId: merchant.id, paymentId }));
    if (payment?.livemode !== livemode || isOverdue(payment, now)) return [];
    return [{ payment, request, asking: { caller, valuer }, now }];
  });
  const planned = await planRefunds(tx, deps, starts, transfers);
  const results = new Map(starts.map(({ payment }, index) => [nameOf(keyOf(payment)), planned[index]]));
  const answers: OnlyAnswer[] = [];
  const answered = requests.map(({ caller, paymentId, call }): RefundResult => {
    const name = nameOf({ merchantId: caller.merchant.id, paymentId });
    const result = results.get(name);
    if (result instanceof PayError) return result;
    if (result === undefined) {
      return locked.get(name)?.livemode === caller.livemode ? 'overdue' : paymentMissing(paymentId);
    }
    const answer = call.renderOnce(answerOf(deps, result.refund));
    answers.push(answer);
    return answer.sent;
  });
  await writeRefunds(
    tx,
    deps,
    planned,
    answers.flatMap(({ kept }) => kept ?? []),
  );
  return answered;
}

function isOverdue(
  { status, session_expires_at: endsAt }: { readonly status: string; readonly session_expires_at: Date },
  now: Date,
): boolean {
  return status === 'pending' && now >= endsAt;
}

function answerOf(deps: PaymentDeps, refund: RefundRow) {
  const location = `/v1/refunds/${refund.id}`;
  return { status: 201, body: refundToWire(deps, refund), location, resourceId: refund.id };
}
