import type { CreateRefund } from '../../../api/refund.ts';
import { PayError } from '../../../core/error.ts';
import { mobileMoneyMarkets } from '../../../core/mobile-money/markets.ts';
import { mobileMoneyNames } from '../../../core/mobile-money/names.ts';
import { moneyText } from '../../ledger/balance-money.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import type { RefundShare } from './refund.ts';

/** Received money that goes back to its sender. */
interface Returnable {
  readonly livemode: boolean;
  readonly rail: string;
  /** The rail's reference of the money. */
  readonly reference: string;
  readonly sender: string | null;
  readonly currency: string;
  readonly isOnChain: boolean;
}

type WayBack = Pick<NewOutbound, 'rail' | 'destination' | 'originalReference'>;

/**
 * How money goes back: by the lane of its rail, which finds the sender by the reference. On a chain, to the given address
 * or else to the sender. Mobile money is paid out to the wallet that paid. Throws `unavailable` if the operator's
 * account cannot pay it, and `illegal_state` if the wallet is unknown.
 */
export function wayBack(
  { rails }: Pick<PaymentDeps, 'rails'>,
  money: Returnable,
  given: Readonly<Record<string, string>> | null,
): WayBack {
  const { rail, sender, reference, isOnChain } = money;
  if (isMobileMoney(rail)) {
    const destination = walletOf(money);
    return { rail: payerOf({ rails }, money, destination).lane, destination, originalReference: null };
  }
  const address = given?.['address'] ?? sender ?? '';
  return { rail, destination: isOnChain ? { ...given, address } : given, originalReference: reference };
}

/** The amounts in which money goes back: multiples of `step`, from `least` on, in minor units of its currency. */
interface LimitsBack {
  readonly step: bigint;
  readonly least: bigint;
}

/** The limits of the rail that sends the money back. Throws `unavailable` as `wayBack` does. */
export function limitsBack({ rails }: Pick<PaymentDeps, 'rails'>, money: Returnable): LimitsBack {
  if (!isMobileMoney(money.rail)) return { step: 1n, least: 1n };
  const { step = 1n, leastOf } = payerOf({ rails }, money, walletOf(money));
  return { step, least: leastOf?.(money.currency) ?? step };
}

/**
 * Throws `invalid_amount` if the rail cannot send the share of a refund. An amount that the merchant chose must be a
 * whole step if it is in the rail's currency, because the payer would otherwise get less.
 */
export function assertSendable(
  { transfer, amount, railAmount }: RefundShare,
  { step, least }: LimitsBack,
  { payment, request }: { readonly payment: Pick<PaymentRow, 'currency'>; readonly request: CreateRefund },
): void {
  const { rail, currency, value, valueTaken } = transfer;
  const text = (units: bigint) => moneyText({ amount: units, currency });
  const isChosen = request.amount !== undefined && payment.currency === currency && amount < value - valueTaken;
  const problem =
    isChosen && amount % step !== 0n
      ? `multiples of ${text(step)} only. Refund such an amount, or all that is left.`
      : railAmount < least
        ? `at least ${text(least)}, and this would be ${text(railAmount)}.`
        : null;
  if (problem === null) return;
  throw new PayError('invalid_amount', `${mobileMoneyNames[rail] ?? rail} sends ${problem}`, { param: 'amount' });
}

function isMobileMoney(rail: string): boolean {
  return mobileMoneyMarkets.some(({ provider }) => provider === rail);
}

/** The wallet that paid. Throws `illegal_state` if its number was erased with the customer. */
function walletOf({ rail: provider, sender }: Returnable) {
  if (sender === null) {
    const message = 'The phone number that paid was erased with its customer. Pay the money back by a payout.';
    throw new PayError('illegal_state', message);
  }
  return { type: 'mobile_money', provider, number: sender };
}

/** The operator's rail that pays the wallet in the currency in which it paid. */
function payerOf(
  { rails }: Pick<PaymentDeps, 'rails'>,
  { rail: id, livemode, currency }: Returnable,
  destination: Readonly<Record<string, string>>,
) {
  const payer = rails.payouts.find(
    rail => rail.id === id && rail.livemode === livemode && rail.currencyFor(destination, currency) === currency,
  );
  if (payer !== undefined) return payer;
  const name = mobileMoneyNames[id] ?? id;
  const message = `Money goes back by a payout of ${name} in ${currency}, and the server has no account for it. Connect one, then try again.`;
  throw new PayError('unavailable', message);
}
