import type { ConfirmPayment } from '../../api/payment.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { Answer, Execution } from '../platform/http/idempotency/idempotent-execution.ts';
import { amountOnRail, bankRail, confirmBank } from './bank/payment-bank.service.ts';
import { confirmCard, giveUpOpenAttempt } from './card/payment-card.service.ts';
import { chooseCrypto, confirmCrypto } from './crypto/payment-crypto.service.ts';
import { assertPayable } from './payable.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readPayment } from './payment-lifecycle.service.ts';
import { assertReturnUrl } from './redirect.ts';

/** A payer's choice of a method, and how to answer it. */
export interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly body: ConfirmPayment;
  readonly execution: Execution;
  readonly render: (payment: PaymentRow) => Answer;
}

/** Pays by the method chosen, or says what to do next. Throws as `assertPayable` does, and what the method refuses. */
export async function confirmPayment(deps: PaymentDeps, confirmation: Confirmation): Promise<Answer> {
  const { caller, paymentId, body, execution, render } = confirmation;
  const payment = await readPayment(deps, caller, paymentId);
  assertPayable(payment, body.method, caller.now);
  if (body.method === 'card') {
    if (body.return_url !== undefined) {
      assertReturnUrl(body.return_url, caller, { redirectUrl: payment.redirect_url, publicUrl: deps.publicUrl() });
    }
    return await confirmCard(deps, caller, paymentId, body, execution, render);
  }
  if (body.method === 'crypto') {
    const choice = await chooseCrypto(deps, payment, body);
    await giveUpOpenAttempt(deps, caller, paymentId);
    return await execution.commit(async tx => render(await confirmCrypto(deps, tx, caller, paymentId, choice)));
  }
  const rail = bankRail(deps, body.rail);
  await giveUpOpenAttempt(deps, caller, paymentId);
  const due = payment.amount - payment.amount_received;
  const amount = due > 0n ? await amountOnRail(deps, payment.currency, due, rail) : 0n;
  return await execution.commit(async tx =>
    render(await confirmBank(deps, tx, caller, paymentId, rail, { due, amount })),
  );
}
