import type { PaymentMethod } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import { isPriced, UnknownPair } from '../../rates/rates.ts';
import { cryptoRails } from '../crypto/crypto-price.service.ts';
import { operatorsFor } from '../mobile-money/operators.ts';
import type { PaymentDeps } from '../payment-deps.ts';

type Deps = Pick<PaymentDeps, 'crypto' | 'rails' | 'rates'>;
type Methods = readonly PaymentMethod[];

/**
 * In live mode, a payment must allow a method by which the server takes real money. Others exist in test mode only.
 * Throws `live_mode_unavailable`.
 */
export function assertLiveMethod(deps: Pick<Deps, 'crypto' | 'rails'>, chosen: Methods): void {
  const live = liveMethods(deps);
  if (chosen.some(method => live.includes(method))) return;
  if (live.length === 0) {
    const message = 'This server takes no real money. Use a test key (sk_test_… or pk_test_…).';
    throw new PayError('live_mode_unavailable', message);
  }
  const missing = live.length === 1 ? live.join() : 'one of them';
  const message = `This server takes real money by ${live.join(' and ')} only. Add ${missing} to payment_methods.`;
  throw new PayError('live_mode_unavailable', message, { param: 'payment_methods' });
}

/** The methods for which the server has a chain or rail of live mode. */
function liveMethods({ crypto, rails }: Pick<Deps, 'crypto' | 'rails'>): Methods {
  const connected: Readonly<Record<PaymentMethod, readonly { readonly livemode: boolean }[]>> = {
    card: rails.cards,
    bank_transfer: rails.banks,
    crypto,
    mobile_money: rails.phones,
  };
  return allMethods.filter(method => connected[method].some(({ livemode }) => livemode));
}

const allMethods = ['card', 'bank_transfer', 'crypto', 'mobile_money'] as const;

/** What a new payment asks for. */
interface Asked {
  readonly livemode: boolean;
  readonly currency: string;
  /** Whether it is settled in a currency, so that no rate to an asset was read. */
  readonly inFiat: boolean;
}

/**
 * Throws `payment_method_not_allowed` if the server takes the currency by none of the chosen methods, in this mode. The
 * payer would then be offered nothing.
 */
export async function assertTakesCurrency(deps: Deps, asked: Asked, chosen: Methods): Promise<void> {
  for (const method of chosen) if (await takesCurrency(deps, asked, method)) return;
  const others: PaymentMethod[] = [];
  for (const method of allMethods.filter(each => !chosen.includes(each))) {
    if (await takesCurrency(deps, asked, method)) others.push(method);
  }
  const currencies = chosen.includes('mobile_money') ? collected(deps, asked) : [];
  const message = [
    `This server takes no ${asked.currency} by ${chosen.join(' or ')}.`,
    ...(others.length === 0 ? [] : [`Add ${others.join(' or ')} to payment_methods.`]),
    ...(currencies.length === 0 ? [] : [`By mobile_money it takes ${currencies.join(', ')}.`]),
  ].join(' ');
  throw new PayError('payment_method_not_allowed', message, { param: 'payment_methods' });
}

/** Whether the server takes the currency by the method. */
export async function takesCurrency(deps: Deps, asked: Asked, method: PaymentMethod): Promise<boolean> {
  const { livemode, currency, inFiat } = asked;
  switch (method) {
    case 'card':
      return chooseCardRail(deps.rails.cards, asked) !== null;
    case 'bank_transfer': {
      const banks = deps.rails.banks.filter(bank => bank.livemode === livemode);
      return await isExchanged(
        deps,
        currency,
        banks.map(bank => bank.currency),
      );
    }
    case 'crypto':
      return cryptoRails(deps, livemode).length > 0 && (!inFiat || (await isPriced(deps.rates, currency)));
    case 'mobile_money':
      return await isExchanged(deps, currency, collected(deps, asked));
  }
}

/** The currencies that the operators collect in this mode. */
function collected(deps: Deps, { livemode }: Asked): readonly string[] {
  const markets = operatorsFor(deps, { livemode }).flatMap(operator => operator.markets);
  return [...new Set(markets.map(({ currency }) => currency))];
}

/** Whether money of the currency can be asked for in one of the others. A rate that is missing now may come back. */
async function isExchanged({ rates }: Deps, currency: string, others: readonly string[]): Promise<boolean> {
  if (others.includes(currency)) return true;
  for (const other of others) {
    const isKnown = await rates.find(currency, other).then(
      () => true,
      (error: unknown) => !(error instanceof UnknownPair),
    );
    if (isKnown) return true;
  }
  return false;
}
