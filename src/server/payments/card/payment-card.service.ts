import type { ConfirmPayment } from '../../../api/payments/attempt.ts';
import { PayError } from '../../../core/error.ts';
import type { RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import type { ChargeRequest } from '../../rails/card-rail.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import type { AttemptRow } from '../attempts/attempt.store.ts';
import type { RailOutcome } from '../attempts/attempt.ts';
import { chargeOutcome } from '../attempts/attempt-rails.ts';
import { type Confirmation, confirmAttempt } from '../attempts/attempt-start.service.ts';
import type { AttemptPlan, AttemptWriter } from '../attempts/attempt-writer.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { type CardToken, openCardToken } from './card-option.ts';

type CardConfirmation = Extract<ConfirmPayment, { method: 'card' }>;

/** A payer's choice of a card. */
export interface CardChoice extends Confirmation {
  readonly body: CardConfirmation;
  /** Reads the payment. Expires it first if its session is over. */
  readonly read: () => Promise<PaymentRow>;
  /** Throws unless the payer may pay the payment by card now. */
  readonly check: (payment: PaymentRow) => void;
}

/** The acquirers that can charge the token in this mode. */
async function railsOfToken({ rails }: PaymentDeps, livemode: boolean, { rail, token }: CardToken) {
  const asked = rails.cards.filter(card => card.livemode === livemode && (rail === null || card.id === rail));
  const known = await Promise.all(asked.map(card => card.isToken(token)));
  return asked.filter((_, index) => known[index]);
}

/** Charges a card token as `confirmAttempt` does. Throws the card error for a declined card. */
export async function confirmCard(
  deps: PaymentDeps,
  attempts: AttemptWriter,
  choice: CardChoice,
): Promise<RenderedAnswer> {
  const { caller, paymentId, body, read, check } = choice;
  const given = openCardToken(deps.secrets, { merchantId: caller.merchant.id, paymentId }, body.token);
  const known = await railsOfToken(deps, caller.livemode, given);
  const choose = (payment: PaymentRow): AttemptPlan => {
    check(payment);
    if (chooseCardRail(deps.rails.cards, payment) === null) {
      throw new PayError('payment_method_not_allowed', 'This server takes no cards for this payment.', {
        param: 'method',
      });
    }
    const rail = chooseCardRail(known, payment);
    if (rail !== null) return planOf(rail.id, payment);
    throw new PayError('invalid_token', 'The card token is unknown or used. Enter the card again.', { param: 'token' });
  };
  return await confirmAttempt(deps, attempts, {
    ...choice,
    choose,
    returnUrl: body.return_url ?? null,
    prepare: async () => void choose(await read()),
    take: (attempt, captureMethod) => charge(deps, choice, attempt, { token: given.token, captureMethod }),
  });
}

function planOf(rail: string, { amount, amount_received: received, currency }: PaymentRow): AttemptPlan {
  const due = amount - received;
  return { method: 'card', rail, amount: due, currency, payment_amount: null, number: null, expires_at: null };
}

async function charge(
  { rails, publicUrl, secrets }: PaymentDeps,
  { caller: { merchant, now } }: CardChoice,
  attempt: AttemptRow,
  { token, captureMethod }: Pick<ChargeRequest, 'token' | 'captureMethod'>,
): Promise<RailOutcome> {
  const { id: attemptId, payment_id: paymentId, amount, currency } = attempt;
  const rail = rails.cards.find(card => card.id === attempt.rail);
  if (rail === undefined) return { state: 'unknown' };
  const returnUrl = `${publicUrl()}/checkout/resume/${secrets.paymentToken('resume', merchant.id, paymentId)}`;
  const outcome = await rail.charge({
    attemptId,
    merchantId: merchant.id,
    paymentId,
    payee: merchant.name,
    token,
    amount,
    currency,
    captureMethod,
    returnUrl,
    now,
  });
  return chargeOutcome(outcome);
}
