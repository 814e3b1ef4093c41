import type { FastifyInstance, FastifyReply } from 'fastify';
import { CreatePayment, Payment } from '../../api/payment.ts';
import type { GroupWriter } from '../db/group-writer.ts';
import { dispatchSweep } from '../events/outbox.ts';
import { type Caller, callerOf } from '../http/caller.ts';
import {
  type IdempotencyScope,
  idempotencyScope,
  type RenderedAnswer,
  readRemembered,
  refusedRepeat,
  renderAnswer,
  sealAnswer,
  sendAnswer,
} from '../http/idempotency.ts';
import { merchantToWire, payerView } from './payment.view.ts';
import { type DraftPayment, draftPayment } from './payment-create.service.ts';
import { createPaymentWriter, type NewPayment, type Written } from './payment-create.store.ts';
import type { PaymentRouteDeps } from './payment-deps.ts';

/**
 * `POST /v1/payments`. The busiest write of the service: the remembered answer, the payment, its quote and its event
 * go in one statement, and creations that arrive together go in one commit.
 */
export function registerPaymentCreateRoutes(app: FastifyInstance, deps: PaymentRouteDeps): void {
  const writer = createPaymentWriter(deps.pool);
  app.post<{ Body: CreatePayment }>(
    '/v1/payments',
    {
      schema: { body: CreatePayment, response: { 201: Payment }, tags: ['Payments'], summary: 'Create a payment' },
      config: { access: 'create', scope: 'payments:write' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const scope = idempotencyScope(request);
      const draft = await draftPayment(deps, caller, request.body).catch((error: unknown) => ({ error }));
      if ('error' in draft) return await replay(deps, scope, reply, draft.error);
      const answer = renderAnswer({
        status: 201,
        body: createdBody(deps, draft.wire, caller),
        location: `/v1/payments/${draft.id}`,
      });
      const written = await write(deps, writer, draft, scope, answer);
      if (written === 'key_taken') return await replay(deps, scope, reply, null);
      if (written === 'made_and_awaited') deps.wake(dispatchSweep);
      deps.live.announce({ merchantId: caller.merchant.id, resourceId: draft.id });
      return sendAnswer(reply, answer);
    },
  );
}

/** The creating key, and nobody later, is told the client secret. */
function createdBody(deps: PaymentRouteDeps, wire: Payment, caller: Caller): Payment {
  const { merchant } = caller;
  const payment = {
    ...wire,
    client_secret: deps.secrets.clientSecret(merchant.id, wire.id),
    merchant: merchantToWire(merchant),
  };
  return caller.kind === 'secret' ? payment : payerView(payment);
}

function write(
  deps: PaymentRouteDeps,
  writer: GroupWriter<NewPayment, Written>,
  draft: DraftPayment,
  scope: IdempotencyScope | null,
  answer: RenderedAnswer,
): Promise<Written> {
  const remembered = scope === null ? null : { scope, answer: sealAnswer(deps.secrets, answer, draft.id) };
  return writer.write({ ...draft.written, remembered });
}

/**
 * The key was taken: the call that took it is answered again, unless it had another body. So it is when the same call
 * could not be made any more, for `refusal`: the rate is away, or a setting has changed since.
 */
async function replay(
  deps: PaymentRouteDeps,
  scope: IdempotencyScope | null,
  reply: FastifyReply,
  refusal: unknown,
): Promise<FastifyReply> {
  if (scope === null) throw refusal ?? new Error('a payment without an Idempotency-Key was not written');
  const remembered = await readRemembered(deps.db, deps.secrets, scope);
  if (remembered.state === 'none' && refusal !== null) throw refusal;
  if (remembered.state !== 'answered') throw refusedRepeat(remembered.state);
  return sendAnswer(reply, remembered.answer, { replayed: true });
}
