import { formatAsset } from '../../../core/asset.ts';
import { parseCurrency } from '../../../core/currency.ts';
import { type FieldError, PayError } from '../../../core/error.ts';
import { basisPointsOf, maxWireAmount } from '../../../core/money.ts';
import { convert, convertUp, type Rate } from '../../../core/rate.ts';
import { unitOf } from '../../../core/unit.ts';
import { type Rates, UnknownPair } from '../../rates/rates.ts';

/** Default slippage in basis points: by how much the rate may get worse between acceptance and sending. */
export const usualSlippage = 200;

/** The maximum debit of a payout, and the minimum amount that its recipient receives, in smallest units. */
export interface Price {
  readonly sourceCurrency: string;
  readonly sourceAmount: bigint;
  readonly leastAmount: bigint;
}

/** The amount and units that determine a payout's price. */
export interface Priced {
  readonly amount: bigint;
  readonly currency: string;
  readonly sourceCurrency: string;
  /** The currency or asset that the recipient receives. Null without a rail. */
  readonly unit: string | null;
}

/** Prices the payouts of one request. Reads the rate of each pair of currencies or assets only once. */
export function createPricing(rates: Rates, slippage: number) {
  const known = new Map<string, Promise<Rate | MissingRate>>();

  function rateOf(from: string, to: string): Promise<Rate | MissingRate> {
    const key = `${from}>${to}`;
    let found = known.get(key);
    if (found === undefined) {
      found = findRate(rates, from, to);
      known.set(key, found);
    }
    return found;
  }

  /** The price, or the error of the row at `path`. The error `rate_unavailable` is temporary. */
  async function price(payout: Priced, path: string): Promise<Price | FieldError> {
    const { amount, currency, sourceCurrency, unit } = payout;
    const [given, paid] = [
      sourceCurrency === currency ? one : await rateOf(currency, sourceCurrency),
      unit === null || unit === currency ? one : await rateOf(currency, unit),
    ];
    if (typeof given === 'string') return noRate(given, `${path}.source_currency`, currency, sourceCurrency);
    if (typeof paid === 'string') {
      const param = paid === 'asset_not_listed' ? `${path}.destination.asset` : `${path}.currency`;
      return noRate(paid, param, currency, unit ?? '');
    }
    const sourceAmount = convertUp(amount, given);
    const estimate = convert(amount, paid);
    const leastAmount = paid === one ? amount : estimate - basisPointsOf(estimate, slippage);
    if (leastAmount <= 0n || sourceAmount <= 0n) {
      const message = `${path}.amount is worth less than the smallest unit that can be paid.`;
      return { param: `${path}.amount`, code: 'invalid_amount', message };
    }
    const reserve = given === one ? amount : sourceAmount + basisPointsOf(sourceAmount, slippage);
    if (reserve > maxWireAmount || leastAmount > unitOf(unit ?? currency).most) {
      const message = `${path}.amount is more than can be paid at once.`;
      return { param: `${path}.amount`, code: 'invalid_amount', message };
    }
    return { sourceCurrency, sourceAmount: reserve, leastAmount };
  }

  return { price };
}

const one: Rate = { numerator: 1n, denominator: 1n };

/** Why a pair has no rate: no source knows it, no reliable rate is available now, or an asset is not listed. */
type MissingRate = 'no_route' | 'rate_unavailable' | 'asset_not_listed';

async function findRate(rates: Rates, from: string, to: string): Promise<Rate | MissingRate> {
  try {
    return (await rates.find(from, to)).rate;
  } catch (error) {
    if (error instanceof UnknownPair) return 'no_route';
    if (error instanceof PayError && (error.code === 'rate_unavailable' || error.code === 'asset_not_listed')) {
      return error.code;
    }
    throw error;
  }
}

function noRate(code: MissingRate, param: string, from: string, to: string): FieldError {
  const pair = `from ${from} to ${to.split(':')[0]}`;
  const messages: Readonly<Record<MissingRate, string>> = {
    no_route: `No rate ${pair} is known, so ${param} cannot be paid.`,
    rate_unavailable: `There is no reliable rate ${pair} right now. Try again shortly.`,
    asset_not_listed: `The operator does not list the asset, so nothing is converted ${pair}.`,
  };
  return { param, code, message: messages[code] };
}

/** The balance that a row names: a currency code, or an asset's wire text. Throws PayError `invalid_asset`. */
export function balanceUnit(rates: Pick<Rates, 'asset'>, text: string, param: string): string {
  return parseCurrency(text) ?? formatAsset(rates.asset(text, param));
}
