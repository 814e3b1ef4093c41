import type { FastifyInstance } from 'fastify';
import { Payment } from '../../api/payment.ts';
import { TestPhoneAnswer } from '../../api/test-helpers.ts';
import { PayError } from '../../core/error.ts';
import type { Tx } from '../../server/platform/db/database.ts';
import type { Caller } from '../../server/platform/http/access/caller.ts';
import type { Once } from '../../server/platform/http/idempotency/idempotent-execution.ts';
import type { PhonePayer } from './payer.ts';

interface PhoneHelperDeps {
  readonly once: Once;
  readonly payer: PhonePayer;
  /** The time of the process. */
  readonly now: () => Date;
  /** Throws `resource_missing` for a payment that the merchant does not have. */
  readonly assertPayment: (caller: Caller, paymentId: string) => Promise<unknown>;
  readonly readPayment: (tx: Tx, caller: Caller, paymentId: string) => Promise<Payment>;
}

/** Registers `POST /v1/test_helpers/mobile_money`. */
export function registerPhoneHelper(app: FastifyInstance, deps: PhoneHelperDeps): void {
  app.post<{ Body: TestPhoneAnswer }>(
    '/v1/test_helpers/mobile_money',
    {
      schema: {
        body: TestPhoneAnswer,
        response: { 201: Payment },
        tags: ['Test helpers'],
        summary: 'Answer a prompt on the payer’s phone',
        description:
          'Test mode only. Answers the open prompt of a payment by mobile money, as the payer does on the phone. Answers ' +
          'the payment as it is afterwards. The page `/demo/phone` does the same by hand.',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const { caller } = request;
        if (caller === null) throw new PayError('invalid_api_key', 'Test helpers need a secret test key.');
        const { payment, outcome } = request.body;
        await deps.assertPayment(caller, payment);
        const filter = { merchant_id: caller.merchant.id, payment_id: payment };
        const [open] = await deps.payer.open(filter, deps.now());
        if (open === undefined) {
          const message =
            'The payment has no open prompt. Confirm it with method mobile_money, and with a number that waits for an answer.';
          throw new PayError('illegal_state', message, { param: 'payment' });
        }
        await deps.payer.answer(open.prompt, outcome, open.now);
        return await execution.commit(async tx => ({
          status: 201,
          body: await deps.readPayment(tx, caller, payment),
          resourceId: payment,
        }));
      }),
  );
}
