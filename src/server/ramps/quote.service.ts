import type { CreateRampQuote, RampDirection } from '../../api/ramps/ramp.ts';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import { formatAsset } from '../../core/asset.ts';
import { addSeconds } from '../../core/clock.ts';
import { readCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { maxWireAmount, parseUnits } from '../../core/money.ts';
import {
  buyCoins,
  buyFor,
  type RampFee as FeeRule,
  needed,
  type RampPrice,
  sellCoins,
  sellFor,
} from '../../core/ramp/price.ts';
import { unitOf } from '../../core/unit.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { findCurrencyRate } from '../rates/rates.ts';
import { findTerms, insertQuote, lockReservations, reservedCoins } from './ramp.store.ts';
import type { RampDeps } from './ramp-deps.ts';
import type { RampQuoteRow } from './tables.ts';
import { assertOffered, feeRuleFor, type Wanted } from './terms/terms.ts';

/**
 * A trade to price. Exactly one of `money` (minor units) and `coins` (smallest units of the asset) is given. `money`: what
 * a buyer pays, fee included, or what a seller gets after the fee.
 */
export interface Trade extends Wanted {
  readonly direction: RampDirection;
  readonly money: bigint | null;
  readonly coins: bigint | null;
}

/** Where the fields of a trade stand in a request. */
export type TradeParams = Readonly<Record<'currency' | 'money' | 'asset' | 'coins', string>>;

interface GivenTrade {
  readonly direction: RampDirection;
  readonly currency: string | undefined;
  readonly asset: string | undefined;
  readonly method: Wanted['method'];
  readonly money: number | string | undefined;
  readonly coins: number | string | undefined;
}

/** Checks the trade's form. Throws a PayError that names the wrong field. */
export function readTrade({ rates }: Pick<RampDeps, 'rates'>, given: GivenTrade, params: TradeParams): Trade {
  const { direction, method, money, coins: text } = given;
  const currency = readCurrency(present(given.currency, params.currency), params.currency);
  const asset = formatAsset(rates.listedAsset(present(given.asset, params.asset), params.asset));
  if (direction === 'off' && method === 'card') {
    const message = 'Nobody is paid by card. Sold coins are paid by bank_transfer or mobile_money.';
    throw new PayError('payment_method_not_allowed', message, { param: 'method' });
  }
  if ((money === undefined) === (text === undefined)) {
    const message = `Give exactly one of ${params.money} and ${params.coins}.`;
    throw new PayError('parameter_invalid', message, { param: params.money });
  }
  if (typeof money === 'string') {
    const message = `${params.money} takes an integer in minor units of ${currency}.`;
    throw new PayError('invalid_amount', message, { param: params.money });
  }
  const coins = text === undefined ? null : readCoins(text, asset, params.coins);
  return { direction, currency, asset, method, money: money === undefined ? null : BigInt(money), coins };
}

function present(text: string | undefined, param: string): string {
  if (text !== undefined) return text;
  throw new PayError('parameter_missing', `${param} is missing.`, { param });
}

function readCoins(text: number | string, asset: string, param: string): bigint {
  const { decimals, most } = unitOf(asset);
  const coins = typeof text === 'string' ? parseUnits(text, decimals) : null;
  if (coins !== null && coins > 0n && coins <= most) return coins;
  const message = `${param} takes a positive decimal text with at most ${decimals} decimals.`;
  throw new PayError('invalid_amount', message, { param });
}

/** A price for the trade at the market, with the account's fee. Nothing is stored or reserved. */
export async function priceTrade(
  deps: Pick<RampDeps, 'rates'>,
  { merchant, livemode, now }: Pick<Caller, 'merchant' | 'livemode' | 'now'>,
  terms: RampTerms,
  wanted: Trade,
): Promise<RampQuoteRow> {
  const { direction, currency, asset, method } = wanted;
  assertOffered(terms, wanted);
  const rule = feeRuleFor(terms, wanted);
  const { gross, fee, coins } = await priceOf(deps, wanted, rule);
  const isNothing = coins === 0n || gross === fee;
  if (isNothing || coins > unitOf(asset).most || gross > maxWireAmount) {
    const message =
      'After the fee, nothing is left of the amount, or more than the most of its currency or asset. Change it.';
    throw new PayError('invalid_amount', message, { param: 'amount' });
  }
  return {
    merchant_id: merchant.id,
    id: newId('quote'),
    livemode,
    direction,
    currency,
    asset,
    method,
    gross,
    fee,
    coins,
    fee_basis_points: rule.basisPoints,
    fee_fixed: rule.fixed,
    // The price that the customer gets, so that the whole amount stands for exactly these coins.
    rate_numerator: coins,
    rate_denominator: direction === 'on' ? gross - fee : gross,
    reserves: true,
    customer_id: null,
    ramp_id: null,
    created_at: now,
    expires_at: addSeconds(now, merchant.quoteSeconds),
  };
}

/** The trade at the market. Large amounts get the price at which the market takes them. */
async function priceOf({ rates }: Pick<RampDeps, 'rates'>, trade: Trade, rule: FeeRule): Promise<RampPrice> {
  const { direction, currency, asset, money, coins } = trade;
  const { rate: usual } = await findCurrencyRate(rates, { currency, asset, param: 'currency' });
  if (direction === 'on') {
    const taken = money ?? needed(coins ?? 0n, usual);
    const { rate } = await rates.findFor(taken, currency, asset);
    return coins === null ? buyFor(money ?? 0n, rate, rule) : buyCoins(coins, rate, rule);
  }
  const given =
    coins ?? sellFor(money ?? 0n, { numerator: usual.denominator, denominator: usual.numerator }, rule).coins;
  const { rate } = await rates.findFor(given, asset, currency);
  return coins === null ? sellFor(money ?? 0n, rate, rule) : sellCoins(coins, rate, rule);
}

/**
 * Prepares the reservation of a purchase's coins, before the transaction. Returns a check for the transaction. Both
 * throw `no_liquidity` if the treasury can neither send nor buy the coins besides all that is reserved. A sale reserves
 * nothing.
 */
export async function prepareReservation(
  deps: Pick<RampDeps, 'db' | 'clock' | 'money'>,
  { direction, asset, livemode, coins }: Pick<RampQuoteRow, 'direction' | 'asset' | 'livemode' | 'coins'>,
): Promise<(tx: Tx) => Promise<void>> {
  if (direction === 'off') return async () => {};
  const key = { asset, livemode };
  const now = deps.clock.now();
  const wanted = coins + (await reservedCoins(deps.db, key, now));
  const coverage = await deps.money.coverage(asset, wanted);
  const assertCovered = (needed: bigint) => {
    if (needed <= coverage) return;
    const message = `The service does not have enough ${asset.split(':')[0]} at present. Use a smaller amount, or try later.`;
    throw new PayError('no_liquidity', message, { param: 'amount' });
  };
  assertCovered(wanted);
  return async tx => {
    await lockReservations(tx, key);
    assertCovered(coins + (await reservedCoins(tx, key, now)));
  };
}

const quoteParams: Readonly<Record<RampDirection, TradeParams>> = {
  on: { currency: 'sell.currency', money: 'sell.amount', asset: 'buy.asset', coins: 'buy.amount' },
  off: { currency: 'buy.currency', money: 'buy.amount', asset: 'sell.asset', coins: 'sell.amount' },
};

/** The money and the coins of the two sides. Throws if a side names both, or the wrong one. */
function tradeOf({ direction, sell, buy, method }: CreateRampQuote): GivenTrade {
  const [moneySide, coinSide] = direction === 'on' ? [sell, buy] : [buy, sell];
  const params = quoteParams[direction];
  const wrong = moneySide.asset !== undefined ? params.currency : coinSide.currency !== undefined ? params.asset : null;
  if (wrong !== null) {
    const message = `With direction ${direction}, give ${params.currency} and ${params.asset}.`;
    throw new PayError('parameter_invalid', message, { param: wrong });
  }
  const { currency, amount: money } = moneySide;
  const { asset, amount: coins } = coinSide;
  return { direction, currency, asset, method, money, coins };
}

/** A publishable key is known to all visitors, so it names no customer of the account. */
export function pageNamesCustomer(): PayError {
  const message = 'customer_id needs a secret key, from your server. Give customer.email to the ramp.';
  return new PayError('secret_key_required', message, { param: 'customer_id' });
}

/**
 * Prepares a quote. The returned function stores it, and reserves the coins of a purchase. A page's quote reserves none: visitors could
 * otherwise take all coins away from each other. Its ramp reserves them.
 */
export async function prepareQuote(
  deps: RampDeps,
  caller: Caller,
  body: CreateRampQuote,
): Promise<(tx: Tx) => Promise<RampQuoteRow>> {
  const { direction, customer_id: customerId } = body;
  const wanted = readTrade(deps, tradeOf(body), quoteParams[direction]);
  const isPage = caller.kind === 'publishable';
  if (isPage && customerId !== undefined) throw pageNamesCustomer();
  if (customerId !== undefined && (await deps.findCustomer(scopeOf(caller), customerId)) === null) {
    const message = `No customer ${customerId} exists. Check the id.`;
    throw new PayError('resource_missing', message, { param: 'customer_id' });
  }
  const terms = await findTerms(deps.db, caller.merchant.id);
  const priced = await priceTrade(deps, caller, terms, wanted);
  const quote: RampQuoteRow = { ...priced, customer_id: customerId ?? null, reserves: !isPage };
  const reserve = await prepareReservation(deps, quote);
  return async tx => {
    if (quote.reserves) await reserve(tx);
    await insertQuote(tx, quote);
    return quote;
  };
}
