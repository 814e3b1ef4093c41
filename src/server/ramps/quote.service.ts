import type { CreateRampQuote } from '../../api/ramps/ramp.ts';
import type { RampTerms } from '../../api/ramps/ramp-settings.ts';
import { formatAsset } from '../../core/asset.ts';
import { addSeconds } from '../../core/clock.ts';
import { readCurrency } from '../../core/currency.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { maxWireAmount, parseUnits } from '../../core/money.ts';
import { buyCoins, buyFor, netFor } from '../../core/ramp/price.ts';
import { unitOf } from '../../core/unit.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { findCurrencyRate } from '../rates/rates.ts';
import { findTerms, insertQuote, lockReservations, reservedCoins } from './ramp.store.ts';
import type { RampDeps } from './ramp-deps.ts';
import type { RampQuoteRow } from './tables.ts';
import { assertOffered, feeRuleFor, type Wanted } from './terms/terms.ts';

/** A purchase to price. Exactly one of `gross` (minor units) and `coins` (smallest units of the asset) is given. */
export interface Purchase extends Wanted {
  readonly gross: bigint | null;
  readonly coins: bigint | null;
}

/** Where the fields of a purchase stand in a request. */
export interface PurchaseParams {
  readonly currency: string;
  readonly gross: string;
  readonly asset: string;
  readonly coins: string;
}

interface GivenPurchase {
  readonly currency: string;
  readonly asset: string;
  readonly method: Wanted['method'];
  readonly gross: number | undefined;
  readonly coins: string | undefined;
}

/** Checks the purchase's form. Throws a PayError that names the wrong field. */
export function readPurchase(
  { rates }: Pick<RampDeps, 'rates'>,
  given: GivenPurchase,
  params: PurchaseParams,
): Purchase {
  const currency = readCurrency(given.currency, params.currency);
  const asset = formatAsset(rates.listedAsset(given.asset, params.asset));
  const { gross, coins: text, method } = given;
  if ((gross === undefined) === (text === undefined)) {
    const message = `Give exactly one of ${params.gross} and ${params.coins}.`;
    throw new PayError('parameter_invalid', message, { param: params.gross });
  }
  const coins = text === undefined ? null : parseUnits(text, unitOf(asset).decimals);
  const isWrong = text !== undefined && (coins === null || coins === 0n || coins > unitOf(asset).most);
  if (isWrong) {
    const message = `${params.coins} takes a positive decimal text with at most ${unitOf(asset).decimals} decimals.`;
    throw new PayError('invalid_amount', message, { param: params.coins });
  }
  return { currency, asset, method, gross: gross === undefined ? null : BigInt(gross), coins };
}

/** A price for the purchase at the market, with the account's fee. Nothing is stored or reserved. */
export async function pricePurchase(
  deps: Pick<RampDeps, 'rates'>,
  { merchant, livemode, now }: Pick<Caller, 'merchant' | 'livemode' | 'now'>,
  terms: RampTerms,
  wanted: Purchase,
): Promise<RampQuoteRow> {
  const { currency, asset, method } = wanted;
  assertOffered(terms, wanted);
  const rule = feeRuleFor(terms, wanted);
  const { rate: usual } = await findCurrencyRate(deps.rates, { currency, asset, param: 'currency' });
  // Large amounts get the price at which the market takes them.
  const taken = wanted.gross ?? netFor(wanted.coins ?? 0n, usual);
  const { rate } = currency === asset ? { rate: usual } : await deps.rates.findFor(taken, currency, asset);
  const { gross, fee, coins } =
    wanted.coins === null ? buyFor(wanted.gross ?? 0n, rate, rule) : buyCoins(wanted.coins, rate, rule);
  if (coins === 0n || coins > unitOf(asset).most || gross > maxWireAmount) {
    const message = 'After the fee, the amount buys less than the smallest unit of the asset, or more than its most.';
    throw new PayError('invalid_amount', message, { param: 'amount' });
  }
  return {
    merchant_id: merchant.id,
    id: newId('quote'),
    livemode,
    currency,
    asset,
    method,
    gross,
    fee,
    coins,
    fee_basis_points: rule.basisPoints,
    fee_fixed: rule.fixed,
    // The price that the customer gets, so that the whole amount buys exactly these coins.
    rate_numerator: coins,
    rate_denominator: gross - fee,
    customer_id: null,
    ramp_id: null,
    created_at: now,
    expires_at: addSeconds(now, merchant.quoteSeconds),
  };
}

/**
 * Prepares the reservation of a purchase's coins, before the transaction. Returns a check for the transaction. Both
 * throw `no_liquidity` if the treasury can neither send nor buy the coins besides all that is reserved.
 */
export async function prepareReservation(
  deps: Pick<RampDeps, 'db' | 'clock' | 'money'>,
  { asset, livemode, coins }: Pick<RampQuoteRow, 'asset' | 'livemode' | 'coins'>,
): Promise<(tx: Tx) => Promise<void>> {
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

const quoteParams: PurchaseParams = {
  currency: 'sell.currency',
  gross: 'sell.amount',
  asset: 'buy.asset',
  coins: 'buy.amount',
};

/** Prepares a quote. The returned function stores it and reserves its coins. */
export async function prepareQuote(
  deps: RampDeps,
  caller: Caller,
  { sell, buy, method, customer_id: customerId }: CreateRampQuote,
): Promise<(tx: Tx) => Promise<RampQuoteRow>> {
  const wanted = readPurchase(
    deps,
    { currency: sell.currency, asset: buy.asset, method, gross: sell.amount, coins: buy.amount },
    quoteParams,
  );
  if (customerId !== undefined && (await deps.findCustomer(scopeOf(caller), customerId)) === null) {
    const message = `No customer ${customerId} exists. Check the id.`;
    throw new PayError('resource_missing', message, { param: 'customer_id' });
  }
  const terms = await findTerms(deps.db, caller.merchant.id);
  const priced = await pricePurchase(deps, caller, terms, wanted);
  const quote: RampQuoteRow = { ...priced, customer_id: customerId ?? null };
  const reserve = await prepareReservation(deps, quote);
  return async tx => {
    await reserve(tx);
    await insertQuote(tx, quote);
    return quote;
  };
}
