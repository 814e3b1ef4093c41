import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CreatePayment, Payment } from '../../../api/payment.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import {
  findAnswer,
  type IdempotencyScope,
  idempotencyScope,
  sendAnswer,
  stillRunning,
} from '../../platform/http/idempotency/idempotency.ts';
import { merchantToWire, payerView } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { type DraftPayment, draftPayment } from './payment-create.service.ts';
import { createPaymentWriter } from './payment-create.store.ts';

/** Writes a drafted payment and answers the request. A request with a known `Idempotency-Key` gets the first answer again. */
export type AnswerCreation = (
  request: FastifyRequest,
  reply: FastifyReply,
  draft: () => Promise<DraftPayment>,
) => Promise<FastifyReply>;

/**
 * Creates the one writer of new payments, the busiest write of the service. One statement writes the payment, its event
 * and the remembered answer; payments that arrive together are committed together.
 */
export function createCreationAnswerer(deps: PaymentRouteDeps): AnswerCreation {
  const writer = createPaymentWriter(deps.pool);
  return async (request, reply, makeDraft) => {
    const caller = callerOf(request);
    const scope = idempotencyScope(request);
    const draft = await makeDraft().catch((error: unknown) => ({ error }));
    if ('error' in draft) return await replay(deps, { caller, scope }, reply, draft.error);
    const location = `/v1/payments/${draft.id}`;
    const payment = viewOf(caller, draft);
    const remembered = scope && { scope, answer: { status: 201, location, text: JSON.stringify(payment) } };
    const written = await writer.write({ ...draft.written, remembered });
    if (written === 'key_taken') return await replay(deps, { caller, scope }, reply, null);
    if (written === 'made_and_awaited') deps.wake(dispatchSweep);
    deps.live.announce({ merchantId: caller.merchant.id, resourceId: draft.id });
    return sendAnswer(reply, { status: 201, location, text: textWithSecret(deps, payment, caller) });
  };
}

/** `POST /v1/payments`. */
export function registerPaymentCreateRoutes(
  app: FastifyInstance,
  deps: PaymentRouteDeps,
  answerCreation: AnswerCreation,
): void {
  app.post<{ Body: CreatePayment }>(
    '/v1/payments',
    {
      schema: { body: CreatePayment, response: { 201: Payment }, tags: ['Payments'], summary: 'Create a payment' },
      config: { access: 'create', scope: 'payments:write' },
    },
    (request, reply) => answerCreation(request, reply, () => draftPayment(deps, callerOf(request), request.body)),
  );
}

/** The new payment as the caller may see it, without the client secret: so the answer is remembered. */
function viewOf(caller: Caller, { wire }: DraftPayment): Payment {
  const payment = { ...wire, merchant: merchantToWire(caller.merchant) };
  return caller.kind === 'secret' ? payment : payerView(payment);
}

/** The answer to the caller that created the payment. No later answer contains the client secret. */
function textWithSecret({ secrets }: PaymentRouteDeps, payment: Payment, { merchant }: Caller): string {
  return JSON.stringify({ ...payment, client_secret: secrets.clientSecret(merchant.id, payment.id) });
}

/**
 * Answers a request whose key was used before with the first answer, unless the body differs. A key that was not used
 * before throws `refusal`, the reason why the payment could not be drafted. A request that could be drafted then but not
 * now, because a rate or a setting changed, still gets its first answer.
 */
async function replay(
  deps: PaymentRouteDeps,
  { caller, scope }: { readonly caller: Caller; readonly scope: IdempotencyScope | null },
  reply: FastifyReply,
  refusal: unknown,
): Promise<FastifyReply> {
  if (scope === null) throw refusal ?? new Error('a payment without an Idempotency-Key was not written');
  const answer = await findAnswer(deps.db, deps.secrets, scope);
  if (answer === null) throw refusal ?? stillRunning();
  const text = textWithSecret(deps, JSON.parse(answer.text), caller);
  return sendAnswer(reply, { ...answer, text }, { replayed: true });
}
