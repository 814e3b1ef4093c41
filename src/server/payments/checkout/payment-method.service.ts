import type { ConfirmPayment, PaymentOptions } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Answer, Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { amountOnRail, bankRail, confirmBank } from '../bank/payment-bank.service.ts';
import { cardOption } from '../card/card-option.ts';
import { confirmCard, giveUpOpenAttempt } from '../card/payment-card.service.ts';
import { cryptoOptions } from '../crypto/crypto-options.service.ts';
import { chooseCrypto, confirmCrypto } from '../crypto/payment-crypto.service.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable } from '../payment-session.ts';
import { readPayment } from './payment-lifecycle.service.ts';
import { assertReturnUrl } from './redirect.ts';

/**
 * The methods that the payer can choose now, with their amounts: those that the payment allows and the service takes. A
 * payment that is over has none; a rail without a current rate is left out. `payerAddress` adds what that account
 * holds.
 */
export async function paymentOptions(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  payerAddress?: string,
): Promise<PaymentOptions> {
  const allowed = new Set(payment.status === 'pending' ? payment.payment_methods : []);
  const due = payment.amount - payment.amount_received;
  const byBank = allowed.has('bank_transfer') && deps.rails.banks.length > 0;
  const card = allowed.has('card') ? cardOption(deps, merchant, payment, due) : null;
  return {
    object: 'payment_options',
    ...(card === null ? {} : { card }),
    ...(byBank ? { bank_transfer: { rails: await bankOptions(deps, payment, due) } } : {}),
    ...(allowed.has('crypto') ? { crypto: await cryptoOptions(deps, payment, payerAddress) } : {}),
  };
}

/** The bank rails, the one in the payment's own currency first. */
async function bankOptions(deps: PaymentDeps, payment: PaymentRow, due: bigint) {
  const rails = await Promise.all(
    deps.rails.banks.map(async rail => {
      const amount = await amountOnRail(deps, payment.currency, due, rail).catch(nullWithoutRate);
      const terms = { rail: rail.id, currency: rail.currency, settlement_days: rail.settlementDays };
      return amount === null ? [] : [{ ...terms, amount: Number(amount) }];
    }),
  );
  return rails.flat().sort((a, b) => Number(b.currency === payment.currency) - Number(a.currency === payment.currency));
}

function nullWithoutRate(error: unknown): null {
  if (error instanceof PayError && error.code === 'rate_unavailable') return null;
  throw error;
}

/** A payer's choice of a method, and how to render the answer. */
interface Confirmation {
  readonly caller: Caller;
  readonly paymentId: string;
  readonly body: ConfirmPayment;
  readonly execution: Execution;
  readonly render: (payment: PaymentRow) => Answer;
}

/** Starts to pay by the chosen method. Throws as `assertPayable` does, and the errors of the method. */
export async function confirmPayment(deps: PaymentDeps, confirmation: Confirmation): Promise<Answer> {
  const { caller, paymentId, body, execution, render } = confirmation;
  const payment = await readPayment(deps, caller, paymentId);
  assertPayable(deps, payment, body.method, caller.now);
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
