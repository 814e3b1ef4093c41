import { Type } from 'typebox';
import { CreateWalletTransaction, SubmitWalletTransaction, WalletTransaction } from '../../../api/crypto.ts';
import { Payment } from '../../../api/payment.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { assertMayAskChain } from './crypto-options.service.ts';
import { makeWalletTransaction, submitWalletTransaction, walletSweep } from './wallet-transaction.service.ts';

const config = { access: 'payer', scope: 'payments:write' } as const;
const tags = ['Payments'];

/** Transactions for payers' wallets. The service builds them, wallets sign them, and the service submits them. */
export function registerWalletTransactionRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/wallet_transactions',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: CreateWalletTransaction,
        response: { 201: WalletTransaction },
        tags,
        summary: 'Create a transaction for the payer’s wallet',
        description:
          'A payment, or a path payment that delivers exactly the amount due and costs at most `amount_max`. The wallet ' +
          'signs `envelope_xdr` without changes; then submit it. At most 20 transactions may be open; further calls get 429 ' +
          '`too_many_attempts` with Retry-After.',
      },
      config,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        assertMayAskChain(deps, request.params.id);
        const make = await makeWalletTransaction(deps, callerOf(request), request.params.id, request.body);
        return await execution.commit(async tx => {
          const made = await make(tx);
          const location = `/v1/payments/${request.params.id}/wallet_transactions/${made.id}`;
          return { status: 201, body: made, location, resourceId: made.id };
        });
      }),
  );
  registerSubmission(app, deps);
}

function registerSubmission(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/wallet_transactions/:wtx/submit',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }), wtx: Type.String({ maxLength: 64 }) }),
        body: SubmitWalletTransaction,
        response: { 200: Payment },
        tags,
        summary: 'Submit the signed transaction of the wallet',
        description:
          'Only the created transaction, signed by its account, is accepted. The payment is `confirming` until the money ' +
          'has arrived.',
      },
      config,
    },
    async (request, reply) => {
      const sent = await deps.once(request, reply, async () => {
        const caller = callerOf(request);
        const { id: paymentId, wtx: transactionId } = request.params;
        const ids = { paymentId, transactionId };
        const row = await submitWalletTransaction(deps, caller, ids, request.body.signed_envelope_xdr);
        return { status: 200, body: viewFor(deps, caller, row) };
      });
      deps.wake(walletSweep);
      return sent;
    },
  );
}
