import type { ConfirmPayment } from '../../../api/payments/attempt.ts';
import { addSeconds } from '../../../core/clock.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import type { MobileMoneyMarket } from '../../../core/mobile-money/markets.ts';
import { formatUnits } from '../../../core/money.ts';
import type { Rate } from '../../../core/rate.ts';
import type { RenderedAnswer } from '../../platform/http/idempotency/idempotent-execution.ts';
import { type PhoneNumber, readPhoneNumber } from '../../platform/phone-number.ts';
import type { CollectingRail } from '../../rails/mobile-money/collecting.ts';
import type { AttemptRow } from '../attempts/attempt.store.ts';
import { promptGraceSeconds, type RailOutcome } from '../attempts/attempt.ts';
import { promptOutcome } from '../attempts/attempt-rails.ts';
import { type Confirmation, confirmAttempt } from '../attempts/attempt-start.service.ts';
import type { AttemptPlan, AttemptWriter } from '../attempts/attempt-writer.ts';
import { findOpenPrompt } from '../attempts/open-prompt.store.ts';
import { promptOpen } from '../attempts/prompt-limit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { assertCollectable, operatorName, operatorsFor, promptAmount, rateFor } from './operators.ts';

type PhoneConfirmation = Extract<ConfirmPayment, { method: 'mobile_money' }>;

/** A payer's choice of a mobile-money account. */
export interface PhoneChoice extends Confirmation {
  readonly body: PhoneConfirmation;
  /** Reads the payment. Expires it first if its session is over. */
  readonly read: () => Promise<PaymentRow>;
  /** Throws unless the payer may pay the payment by mobile money now. */
  readonly check: (payment: PaymentRow) => void;
}

/** The price of a prompt: the rate for the amount that was due when it was read. */
interface Price {
  readonly due: bigint;
  readonly rate: Rate | null;
}

/**
 * Shows a prompt on the payer's phone as `confirmAttempt` does. Throws the error of a prompt that the operator refuses
 * at once; later refusals are seen in the payment. Throws `invalid_provider`, `invalid_phone_number`,
 * `amount_out_of_range` beyond the operator's limits, `price_changed` if the payer was shown another amount,
 * `prompt_open` while an earlier prompt of the payment, or of the merchant to this number, is open, and
 * `too_many_attempts` if the number got too many.
 */
export async function confirmPhone(
  deps: PaymentDeps,
  attempts: AttemptWriter,
  choice: PhoneChoice,
): Promise<RenderedAnswer> {
  const { caller, paymentId, read, check } = choice;
  let price: Price | null = null;
  const choose = (payment: PaymentRow): AttemptPlan | 'unprepared' => {
    check(payment);
    const wanted = walletOf(deps, choice.body, payment);
    const known = price ?? firstPrice(payment, wanted.market);
    if (known === null) return 'unprepared';
    if (known.due !== dueOf(payment)) {
      throw new PayError('payment_in_flight', 'Money has just arrived. Read the payment again.');
    }
    const plan = planOf(payment, wanted, known.rate, caller.now);
    assertShown(plan, choice.body.amount);
    return plan;
  };
  const prepare = async () => {
    const payment = await read();
    check(payment);
    await assertNoPrompt(deps, payment, caller.now);
    const { market } = walletOf(deps, choice.body, payment);
    price = { due: dueOf(payment), rate: await rateFor(deps, payment, market) };
    choose(payment);
  };
  const take = (attempt: AttemptRow) => prompt(deps, choice, attempt);
  return await confirmAttempt(deps, attempts, { ...choice, paymentId, choose, prepare, take, returnUrl: null });
}

/** The price of a first attempt that needs no rate. Null: an earlier prompt may be open, or a rate must be read. */
function firstPrice(payment: PaymentRow, market: MobileMoneyMarket): Price | null {
  return payment.method === null && payment.currency === market.currency ? { due: dueOf(payment), rate: null } : null;
}

function dueOf({ amount, amount_received: received }: PaymentRow): bigint {
  return amount - received;
}

interface Wallet {
  readonly operator: CollectingRail;
  readonly market: MobileMoneyMarket;
  readonly number: string;
}

function planOf(payment: PaymentRow, { operator, market, number }: Wallet, rate: Rate | null, now: Date): AttemptPlan {
  const amount = promptAmount(payment, market, rate);
  assertCollectable(amount, market);
  return {
    method: 'mobile_money',
    rail: market.provider,
    amount,
    currency: market.currency,
    payment_amount: dueOf(payment),
    number,
    expires_at: addSeconds(now, operator.promptSeconds),
  };
}

/** Throws `price_changed` if the prompt asks for another amount than the one that the payer was shown. */
function assertShown({ amount, currency }: Pick<AttemptPlan, 'amount' | 'currency'>, shown: number | undefined): void {
  if (shown === undefined || BigInt(shown) === amount) return;
  const text = `${formatUnits(amount, currencyDecimals(currency))} ${currency}`;
  const message = `The price has changed. The prompt would now ask for ${text}. Show this amount, then confirm again.`;
  throw new PayError('price_changed', message, { param: 'amount' });
}

/** The market of the payer's operator and number. Throws `invalid_provider` and `invalid_phone_number`. */
function walletOf(deps: PaymentDeps, { provider, number: text }: PhoneConfirmation, payment: PaymentRow): Wallet {
  const operators = operatorsFor(deps, payment);
  if (operators.length === 0) {
    const message = 'This server takes no mobile money for this payment.';
    throw new PayError('payment_method_not_allowed', message, { param: 'method' });
  }
  const operator = operators.find(({ id }) => id === provider.trim().toLowerCase());
  if (operator === undefined) {
    const known = operators.map(({ id }) => id).join(', ');
    const message = `“${provider}” is not an operator that collects here. Use one of ${known}.`;
    throw new PayError('invalid_provider', message, { param: 'provider' });
  }
  const number = readPhoneNumber(text);
  const market = number && operator.markets.find(({ country }) => country === number.country);
  if (!number || !market) throw wrongNumber(numberProblem(number, operator));
  if (number.isLandline) {
    throw wrongNumber('This is the number of a landline. A prompt needs the number of a mobile phone.');
  }
  return { operator, market, number: number.number };
}

function wrongNumber(message: string): PayError {
  return new PayError('invalid_phone_number', message, { param: 'number' });
}

function numberProblem(number: PhoneNumber | null, { id, markets }: CollectingRail): string {
  if (number === null) {
    return 'This is not a whole phone number. Write it with + and the country code, for example +256772123456.';
  }
  const countries = markets.map(({ country }) => country).join(', ');
  return `${operatorName(id)} does not collect from numbers of ${number.country ?? 'this country'}. Use a number of ${countries}, or another operator.`;
}

/** Throws `prompt_open` while the payer can still approve an earlier prompt of the payment. */
async function assertNoPrompt({ db }: PaymentDeps, payment: PaymentRow, now: Date): Promise<void> {
  const key = { merchantId: payment.merchant_id, paymentId: payment.id };
  const open = await findOpenPrompt(db, key, addSeconds(now, -promptGraceSeconds));
  if (open !== null) throw promptOpen(open.number ?? '', null);
}

async function prompt(
  { rails, log }: PaymentDeps,
  { caller: { merchant, now } }: PhoneChoice,
  attempt: AttemptRow,
): Promise<RailOutcome> {
  const { id: attemptId, payment_id: paymentId, merchant_id: merchantId, amount, currency, number } = attempt;
  const rail = rails.phones.find(({ id }) => id === attempt.rail);
  if (rail === undefined || number === null) return { state: 'unknown' };
  const request = { attemptId, merchantId, paymentId, payee: merchant.name, number, amount, currency, now };
  const outcome = await rail.prompt(request);
  if (outcome.state === 'refused' && outcome.refusal.code === 'operator_unavailable') {
    log.warn({ rail: rail.id, attempt: attemptId }, 'an operator did not receive a prompt');
  }
  return promptOutcome(attempt, outcome);
}
