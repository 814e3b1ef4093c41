import { addBalance, canBuy, canSell } from './balance.ts';
import type { Claim } from './claim-atom.ts';
import { BrokenInvariant, type Offer } from './entries.ts';
import { adjustedAmount, exchange, type Rounding } from './exchange.ts';
import type { LedgerState } from './ledger-state.ts';
import { acquireLiabilities, deleteOffer, releaseLiabilities } from './offer-entry.ts';
import { type PoolTrade, poolTrade, type Trade, tradeWithPool } from './pool-exchange.ts';

/** How a conversion ended. `partial`: the book ran out; `bad_price` and `cross_self`: the next offer must not be taken. */
export type ConversionEnd = 'done' | 'partial' | 'bad_price' | 'cross_self' | 'too_many';

/** What was converted, and from whom. */
export interface Conversion extends Trade {
  readonly end: ConversionEnd;
  readonly claimed: readonly Claim[];
}

/** What to convert. */
export interface ConversionOrder {
  /** Given and wanted asset: *sheep* and *wheat*. */
  readonly from: string;
  readonly to: string;
  readonly limit: Trade;
  readonly rounding: Rounding;
  /** Offers that may still be taken. */
  readonly maxOffers: number;
  /** Why the next best offer must not be taken, if it must not. */
  readonly refuse: (offer: Offer) => 'bad_price' | 'cross_self' | null;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Takes what the taker wants of one resting offer and puts the rest back, trimmed to what can trade. */
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
  return { ...traded, taken: left === 0n };
}

/** Converts with the book alone, best offer first. */
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
    if (!crossed.taken) return ended('partial');
  }
}

function convertWithPool(state: LedgerState, trade: PoolTrade, { from, to }: ConversionOrder): Conversion {
  tradeWithPool(state, trade, from);
  const { pool, send, receive } = trade;
  const claim = { from: pool, sold: to, bought: from, soldAmount: receive, boughtAmount: send };
  return { end: 'done', claimed: [claim], send, receive };
}

/** Converts with the book or with the pool; the book only where it does the whole at a strictly better price (CAP-38). */
export function convert(state: LedgerState, order: ConversionOrder): Conversion {
  const pool = order.maxOffers === 0 ? null : poolTrade(state, order.from, order.to, order.limit, order.rounding);
  const mark = state.journal.mark();
  const book = convertWithOffers(state, order);
  if (!pool || (book.end === 'done' && pool.send * book.receive > pool.receive * book.send)) return book;
  state.journal.undo(mark);
  return convertWithPool(state, pool, order);
}
