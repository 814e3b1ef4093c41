import type { ClaimAtomWire } from '@stellar/stellar-sdk/xdr';
import { least } from '../../../../core/money.ts';
import { addBalance, addLiabilities, canBuy, canSell } from '../state/balances.ts';
import { BrokenInvariant, type LiquidityPool, maxAmount, type Offer } from '../state/entries.ts';
import { assetWire, publicKeyOf } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { releaseSubEntry } from '../state/reserves.ts';
import { adjustedAmount, exchange, offerLiabilities, type Rounding } from './exchange.ts';
import { type PoolTrade, poolTrade, type Trade, tradeWithPool } from './liquidity-pool.ts';

/**
 * How a conversion ended. `done`: it reached a limit of the order. `partial`: the book has no more offers. `bad_price`,
 * `cross_self`: the next offer was refused. `too_many`: it would take more than `maxOffers` offers.
 */
export type ConversionEnd = 'done' | 'partial' | 'bad_price' | 'cross_self' | 'too_many';

/** The amounts of a conversion, and the offers and pools that were taken. */
export interface Conversion extends Trade {
  readonly end: ConversionEnd;
  readonly claimed: readonly Claim[];
}

interface ConversionOrder {
  /** The assets that the taker sends (*sheep*) and receives (*wheat*), in stellar-core’s words. */
  readonly from: string;
  readonly to: string;
  readonly limit: Trade;
  readonly rounding: Rounding;
  readonly maxOffers: number;
  /** Returns the reason to refuse the offer, or null. */
  readonly refuse: (offer: Offer) => 'bad_price' | 'cross_self' | null;
}

/**
 * Trades with an offer in the order book. The rest of the offer stays there, as far as its owner can trade the rest.
 */
function crossOffer(state: LedgerState, offer: Offer, limit: Trade, rounding: Rounding) {
  const { seller, selling, buying, price } = offer;
  releaseLiabilities(state, offer);
  const sheepReceive = canBuy(state, seller, buying);
  const amount = adjustedAmount(price, least(offer.amount, canSell(state, seller, selling)), sheepReceive);
  const limits = {
    wheatSend: least(amount, canSell(state, seller, selling)),
    wheatReceive: limit.receive,
    sheepSend: limit.send,
    sheepReceive,
  };
  const traded = exchange(price, limits, rounding);
  if (!addBalance(state, seller, buying, traded.sheep)) throw new BrokenInvariant('overflowed sheep balance');
  if (!addBalance(state, seller, selling, -traded.wheat)) throw new BrokenInvariant('overflowed wheat balance');
  const left = traded.wheatStays
    ? adjustedAmount(
        price,
        least(amount - traded.wheat, canSell(state, seller, selling)),
        canBuy(state, seller, buying),
      )
    : 0n;
  if (left === 0n) {
    deleteOffer(state, offer);
  } else {
    const rest = { ...offer, amount: left };
    state.offers.set(String(offer.id), rest);
    acquireLiabilities(state, rest);
  }
  return traded;
}

/** Converts with the order book only, best offer first. */
function convertWithOffers(state: LedgerState, order: ConversionOrder): Conversion {
  let { send, receive } = order.limit;
  const claimed: Claim[] = [];
  const ended = (end: ConversionEnd): Conversion => ({
    end,
    claimed,
    send: order.limit.send - send,
    receive: order.limit.receive - receive,
  });
  if (send <= 0n || receive <= 0n) return ended('done');
  if (order.maxOffers === 0) return ended('too_many');
  for (;;) {
    const [best] = state.books.book(order.to, order.from);
    if (!best) return ended('partial');
    const refusal = order.refuse(best);
    if (refusal) return ended(refusal);
    if (claimed.length >= order.maxOffers) return ended('too_many');
    const crossed = crossOffer(state, best, { send, receive }, order.rounding);
    claimed.push({
      from: best,
      sold: order.to,
      bought: order.from,
      soldAmount: crossed.wheat,
      boughtAmount: crossed.sheep,
    });
    send -= crossed.sheep;
    receive -= crossed.wheat;
    if (crossed.wheatStays || send <= 0n || receive <= 0n) return ended('done');
  }
}

function convertWithPool(state: LedgerState, trade: PoolTrade, { from, to }: ConversionOrder): Conversion {
  tradeWithPool(state, trade, from);
  const { pool, send, receive } = trade;
  const claim = { from: pool, sold: to, bought: from, soldAmount: receive, boughtAmount: send };
  return { end: 'done', claimed: [claim], send, receive };
}

/**
 * Converts with the pool (CAP-38). Converts with the order book if no pool can trade, or if the book fills the whole
 * amount at a better price.
 */
export function convert(state: LedgerState, order: ConversionOrder): Conversion {
  const pool = order.maxOffers === 0 ? null : poolTrade(state, order.from, order.to, order.limit, order.rounding);
  const mark = state.journal.mark();
  const book = convertWithOffers(state, order);
  if (!pool || (book.end === 'done' && pool.send * book.receive > pool.receive * book.send)) return book;
  state.journal.undo(mark);
  return convertWithPool(state, pool, order);
}

/** A trade with an offer or a pool. The offer or the pool sold one asset and bought the other. */
export interface Claim {
  readonly from: Offer | LiquidityPool;
  readonly sold: string;
  readonly soldAmount: bigint;
  readonly bought: string;
  readonly boughtAmount: bigint;
}

/** The claim in the form of a transaction result. */
export function claimAtom({ from, sold, soldAmount, bought, boughtAmount }: Claim): ClaimAtomWire {
  const amounts = {
    assetSold: assetWire(sold),
    amountSold: soldAmount,
    assetBought: assetWire(bought),
    amountBought: boughtAmount,
  };
  return 'seller' in from
    ? { type: 1, orderBook: { sellerId: publicKeyOf(from.seller), offerId: from.id, ...amounts } }
    : { type: 2, liquidityPool: { liquidityPoolId: Buffer.from(from.id, 'hex'), ...amounts } };
}

/** Adds the offer’s liabilities to its owner’s balances. */
export const acquireLiabilities = (state: LedgerState, offer: Offer): void => changeLiabilities(state, offer, 1n);

/** Removes the offer’s liabilities from its owner’s balances. */
export const releaseLiabilities = (state: LedgerState, offer: Offer): void => changeLiabilities(state, offer, -1n);

function changeLiabilities(state: LedgerState, offer: Offer, sign: 1n | -1n): void {
  const liabilities = offerLiabilities(offer.price, offer.amount);
  addLiabilities(state, offer.seller, offer.buying, { buying: sign * liabilities.buying });
  addLiabilities(state, offer.seller, offer.selling, { selling: sign * liabilities.selling });
}

/** Deletes an offer and releases its reserve. The caller has already released its liabilities. */
function deleteOffer(state: LedgerState, offer: Offer): void {
  releaseSubEntry(state, offer.seller, 1, offer.sponsor);
  state.offers.delete(String(offer.id));
}

/** Deletes every offer of the account that buys or sells the asset. */
export function deleteOffersWith(state: LedgerState, account: string, asset: string): void {
  for (const offer of state.offersOf(account)) {
    if (offer.selling !== asset && offer.buying !== asset) continue;
    releaseLiabilities(state, offer);
    deleteOffer(state, offer);
  }
}

/** The maximum number of offers that one operation may take. */
export const maxOffers = 1000;

/** The terms of a path payment. */
export interface PathTerms {
  /** All assets of the path, from the sent asset to the received asset. */
  readonly path: readonly string[];
  /** The side with the exact amount. */
  readonly strict: 'send' | 'receive';
  readonly amount: bigint;
  /** The account that pays. A conversion that reaches an offer of this account ends with `cross_self`. */
  readonly payer?: string | undefined;
}

interface PathConversion {
  readonly end: ConversionEnd;
  /** The received amount if `strict` is `send`, otherwise the sent amount. Valid only if `end` is `done`. */
  readonly amount: bigint;
  readonly claimed: readonly Claim[];
}

/** Converts along a path: forwards from an exact sent amount, or backwards from an exact received amount. */
export function convertPath(state: LedgerState, { path, strict, amount, payer }: PathTerms): PathConversion {
  const isSend = strict === 'send';
  const assets = isSend ? path : path.toReversed();
  const rounding = isSend ? 'strict_send' : 'strict_receive';
  const refuse = ({ seller }: Offer) => (seller === payer ? 'cross_self' : null);
  let claimed: readonly Claim[] = [];
  let current = amount;
  for (const [index, next] of assets.entries()) {
    const previous = assets[index - 1] ?? next;
    if (previous === next) continue;
    const pair = isSend ? { from: previous, to: next } : { from: next, to: previous };
    const limit = isSend ? { send: current, receive: maxAmount } : { send: maxAmount, receive: current };
    const hop = convert(state, { ...pair, limit, rounding, maxOffers: maxOffers - claimed.length, refuse });
    if (hop.end !== 'done') return { end: hop.end, amount: 0n, claimed };
    if (hop[strict] !== current) return { end: 'partial', amount: 0n, claimed };
    claimed = isSend ? [...claimed, ...hop.claimed] : [...hop.claimed, ...claimed];
    current = isSend ? hop.receive : hop.send;
  }
  return { end: 'done', amount: current, claimed };
}

/**
 * The received amount if `strict` is `send`, otherwise the sent amount. Null if the path payment is impossible. Changes
 * nothing.
 */
export function quote(state: LedgerState, terms: PathTerms): bigint | null {
  if (terms.amount <= 0n) return null;
  const mark = state.journal.mark();
  try {
    const { end, amount } = convertPath(state, terms);
    return end === 'done' && amount !== 0n ? amount : null;
  } catch (error) {
    if (error instanceof BrokenInvariant) return null;
    throw error;
  } finally {
    state.journal.undo(mark);
  }
}

/** Two assets. One trade can convert `from` to `to`. */
export interface TradingPair {
  readonly from: string;
  readonly to: string;
}

/** Pairs with offers or a funded pool, without duplicates. */
export function tradingPairs(state: LedgerState): TradingPair[] {
  const pairs = state.books.pairs().map(({ selling, buying }) => ({ from: buying, to: selling }));
  for (const { assetA, assetB, reserveA, reserveB } of state.pools.values()) {
    if (reserveA === 0n || reserveB === 0n) continue;
    pairs.push({ from: assetA, to: assetB }, { from: assetB, to: assetA });
  }
  return [...new Map(pairs.map(pair => [`${pair.from} ${pair.to}`, pair])).values()];
}
