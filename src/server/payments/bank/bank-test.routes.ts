import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Payment } from '../../../api/payment.ts';
import { SimulateBankTransfer } from '../../../api/test-helpers.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { readPayment } from '../checkout/payment-lifecycle.service.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { receiveCredits } from './bank-credit.service.ts';

/** The sandbox bank's side of a transfer by a payer. */
export interface SandboxPayer {
  transfer(credit: {
    readonly rail: string;
    readonly merchantId: string;
    readonly reference: string;
    readonly amount: bigint;
    readonly currency: string;
    readonly now: Date;
  }): Promise<void>;
}

/** Limits what a payer can simulate: overpaying is a test case, arbitrary sums are not. */
const largestMultiple = 10n;

/** The "simulate my bank" button of the checkout. In test mode a payer may have the sandbox bank pay the payment. */
export function registerPaymentTestRoutes(app: FastifyInstance, deps: PaymentRouteDeps, payer: SandboxPayer): void {
  app.post<{ Params: { id: string }; Body: { amount?: number } }>(
    '/v1/payments/:id/simulate_bank_transfer',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: SimulateBankTransfer,
        response: { 200: Payment },
        tags: ['Test helpers'],
        summary: 'Pay a waiting bank transfer at the sandbox bank',
        description:
          'Test mode only. `amount` is in the smallest unit of the instructions’ currency; without it, all that is due.',
      },
      config: { access: 'payer', scope: 'payments:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async () => {
        const caller = callerOf(request);
        if (caller.livemode) throw new PayError('test_mode_only', 'Banks are simulated in test mode only.');
        const payment = await readPayment(deps, caller, request.params.id);
        const action = payment.next_action;
        const rail = deps.rails.banks.find(bank => bank.id === payment.bank_rail);
        if (action?.type !== 'bank_instructions' || !rail) {
          throw new PayError(
            'illegal_state',
            'The payment does not wait for a bank transfer. Confirm it with method bank_transfer first.',
          );
        }
        const amount = BigInt(request.body.amount ?? action.amount);
        if (amount > BigInt(action.amount) * largestMultiple) {
          throw new PayError('invalid_amount', `At most ${largestMultiple} times what is due can be simulated.`, {
            param: 'amount',
          });
        }
        await payer.transfer({
          rail: rail.id,
          merchantId: caller.merchant.id,
          reference: action.reference,
          amount,
          currency: action.currency,
          now: caller.now,
        });
        await receiveCredits(deps, rail);
        return { status: 200, body: viewFor(deps, caller, await readPayment(deps, caller, request.params.id)) };
      }),
  );
}
