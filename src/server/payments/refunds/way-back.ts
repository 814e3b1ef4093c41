import { PayError } from '../../../core/error.ts';
import { mobileMoneyMarkets } from '../../../core/mobile-money/markets.ts';
import { mobileMoneyNames } from '../../../core/mobile-money/names.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import type { PaymentDeps } from '../payment-deps.ts';

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
 * account cannot pay it.
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

/** What the amount that goes back is a multiple of, in minor units of its currency. */
export function stepBack({ rails }: Pick<PaymentDeps, 'rails'>, money: Returnable): bigint {
  return isMobileMoney(money.rail) ? (payerOf({ rails }, money, walletOf(money)).step ?? 1n) : 1n;
}

function isMobileMoney(rail: string): boolean {
  return mobileMoneyMarkets.some(({ provider }) => provider === rail);
}

function walletOf({ rail: provider, sender }: Returnable) {
  return { type: 'mobile_money', provider, number: sender ?? '' };
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
