import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CreatePayment, Payment } from '../../../api/payment.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import {
  type IdempotencyScope,
  idempotencyScope,
  type RenderedAnswer,
  readRemembered,
  refusedRepeat,
  sendAnswer,
} from '../../platform/http/idempotency/idempotency.ts';
import { merchantToWire, payerView } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { type DraftPayment, draftPayment } from './payment-create.service.ts';
import { createPaymentWriter } from './payment-create.store.ts';

/** Writes a payment that was drafted for a request, and answers it; a repeat of the request is answered as the first was. */
export type AnswerCreation = (
  request: FastifyRequest,
  reply: FastifyReply,
  draft: () => Promise<DraftPayment>,
) => Promise<FastifyReply>;

/**
 * Makes what answers creations, one for the whole service. It is its busiest write: the remembered answer, the payment,
 * its quote and its event go in one statement, and creations that arrive together go in one commit.
 */
export function createCreationAnswerer(deps: PaymentRouteDeps): AnswerCreation {
  const writer = createPaymentWriter(deps.pool);
  return async (request, reply, makeDraft) => {
    const caller = callerOf(request);
    const scope = idempotencyScope(request);
    const draft = await makeDraft().catch((error: unknown) => ({ error }));
    if ('error' in draft) return await replay(deps, { caller, scope }, reply, draft.error);
    const answer = { status: 201, location: `/v1/payments/${draft.id}`, text: answerText(draft, caller) };
    const written = await writer.write({ ...draft.written, remembered: scope && { scope, answer } });
    if (written === 'key_taken') return await replay(deps, { caller, scope }, reply, null);
    if (written === 'made_and_awaited') deps.wake(dispatchSweep);
    deps.live.announce({ merchantId: caller.merchant.id, resourceId: draft.id });
    return sendAnswer(reply, withClientSecret(deps, caller, draft.id, answer));
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

/** The answer's JSON, with an empty place for the client secret: so it is kept. */
function answerText({ wire, written }: DraftPayment, caller: Caller): string {
  const merchant = merchantToWire(caller.merchant);
  if (caller.kind !== 'secret') return JSON.stringify(payerView({ ...wire, client_secret: '', merchant }));
  return `${written.event.object.slice(0, -1)},${noSecret},"merchant":${JSON.stringify(merchant)}}`;
}

const noSecret = '"client_secret":""';

/**
 * Inserts the client secret, which only the creating key is told. The placeholder is the last occurrence: metadata may
 * contain the same text.
 */
function withClientSecret(
  { secrets }: PaymentRouteDeps,
  { merchant }: Caller,
  paymentId: string,
  answer: RenderedAnswer,
): RenderedAnswer {
  const start = answer.text.lastIndexOf(noSecret);
  const end = start + noSecret.length - 1;
  const secret = secrets.clientSecret(merchant.id, paymentId);
  return { ...answer, text: answer.text.slice(0, end) + secret + answer.text.slice(end) };
}

/**
 * The key was taken: the call that took it is answered again, unless it had another body. So it is when the same call
 * could not be made any more, for `refusal`: the rate is away, or a setting has changed since.
 */
async function replay(
  deps: PaymentRouteDeps,
  { caller, scope }: { readonly caller: Caller; readonly scope: IdempotencyScope | null },
  reply: FastifyReply,
  refusal: unknown,
): Promise<FastifyReply> {
  if (scope === null) throw refusal ?? new Error('a payment without an Idempotency-Key was not written');
  const remembered = await readRemembered(deps.db, deps.secrets, scope);
  if (remembered.state === 'none' && refusal !== null) throw refusal;
  if (remembered.state !== 'answered') throw refusedRepeat(remembered.state);
  const { answer, resourceId } = remembered;
  const whole = resourceId === null ? answer : withClientSecret(deps, caller, resourceId, answer);
  return sendAnswer(reply, whole, { replayed: true });
}
