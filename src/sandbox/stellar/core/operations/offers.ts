import type {
  AssetWire,
  ClaimAtomWire,
  ManageBuyOfferResultWire,
  ManageSellOfferResultWire,
  OfferEntryWire,
  PriceWire,
} from '@stellar/stellar-sdk/xdr';
import { addBalance, available, canBuy, canSell, findLine, isAuthorized, room } from '../state/balances.ts';
import { BrokenInvariant, maxAmount, type Offer, type Price } from '../state/entries.ts';
import { offerWire } from '../state/entry-xdr.ts';
import { assetText, isValidAsset, native } from '../state/identifiers.ts';
import { releaseSubEntry, reserveSubEntry } from '../state/reserves.ts';
import { adjustedAmount, offerLiabilities } from '../trading/exchange.ts';
import {
  acquireLiabilities,
  type Conversion,
  claimAtom,
  convert,
  releaseLiabilities,
} from '../trading/offer-conversion.ts';
import { defineOperation, exceededWorkLimit, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

/** Codes that all three offer operations share. */
const offerFault = {
  malformed: -1,
  sellNoTrust: -2,
  buyNoTrust: -3,
  sellNotAuthorized: -4,
  buyNotAuthorized: -5,
  lineFull: -6,
  underfunded: -7,
  crossSelf: -8,
  notFound: -11,
  lowReserve: -12,
} as const;

interface OfferFault {
  readonly code: (typeof offerFault)[keyof typeof offerFault];
}

/** An offer as it is asked for: the price is of what is sold, whichever side the amount is of. */
interface OfferOrder {
  /** 0 for a new offer. */
  readonly id: bigint;
  readonly selling: string;
  readonly buying: string;
  readonly price: Price;
  /** Exactly one of the two is given. */
  readonly sell: bigint | null;
  readonly buy: bigint | null;
  readonly passive: boolean;
}

interface OfferPlaced {
  code: 0;
  success: {
    offersClaimed: ClaimAtomWire[];
    offer: { effect: 0 | 1; offer: OfferEntryWire } | { effect: 2 };
  };
}

type OfferResult = OfferPlaced | OfferFault | Refusal;

const maxOffers = 1000;

/** The result of an offer operation that nobody came to. */
const blankOffer: OfferPlaced = {
  code: 0,
  success: {
    offersClaimed: [],
    offer: {
      effect: 0,
      offer: {
        sellerId: { type: 0, ed25519: new Uint8Array(32) },
        offerId: 0n,
        selling: { type: 0 },
        buying: { type: 0 },
        amount: 0n,
        price: { n: 0, d: 0 },
        flags: 0,
        ext: { v: 0 },
      },
    },
  },
};

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Whether the account may trade the two assets at all. */
function lineFault({ state, source }: OperationScope, { selling, buying }: OfferOrder): OfferFault | null {
  if (selling !== native) {
    const line = findLine(state, source, selling);
    if (line === null) return { code: offerFault.sellNoTrust };
    if (line !== 'issuer' && line.balance === 0n) return { code: offerFault.underfunded };
    if (!isAuthorized(line)) return { code: offerFault.sellNotAuthorized };
  }
  if (buying !== native) {
    const line = findLine(state, source, buying);
    if (line === null) return { code: offerFault.buyNoTrust };
    if (!isAuthorized(line)) return { code: offerFault.buyNotAuthorized };
  }
  return null;
}

/** What stays of an offer through the change of it. */
interface Kept {
  readonly isNew: boolean;
  readonly passive: boolean;
  readonly sponsor: string | null;
}

/** Takes the old offer off the book, or the reserve for a new one. */
function prepare({ state, source }: OperationScope, order: OfferOrder): Kept | OfferFault | Refusal {
  if (order.id === 0n) {
    const reserved = reserveSubEntry(state, source, 1);
    if (reserved.fault) return reserveRefusal(reserved.fault, { code: offerFault.lowReserve });
    return { isNew: true, passive: order.passive, sponsor: reserved.sponsor };
  }
  const offer = state.offers.get(String(order.id));
  if (!offer || offer.seller !== source) return { code: offerFault.notFound };
  releaseLiabilities(state, offer);
  state.offers.delete(String(offer.id));
  return { isNew: false, passive: offer.passive, sponsor: offer.sponsor };
}

/** The whole of the order must fit into what the account can give and take, before anything trades (CAP-3). */
function roomFault({ state, source }: OperationScope, order: OfferOrder): OfferFault | null {
  const promised = offerLiabilities(order.price, order.sell ?? maxAmount, order.buy ?? maxAmount);
  if ((room(state, source, order.buying) ?? 0n) < promised.buying) return { code: offerFault.lineFull };
  if ((available(state, source, order.selling) ?? 0n) < promised.selling) return { code: offerFault.underfunded };
  return canBuy(state, source, order.buying) === 0n ? { code: offerFault.lineFull } : null;
}

/** What is left of the order’s own amounts. */
function limitsOf({ state, source }: OperationScope, order: OfferOrder, sent = 0n, received = 0n) {
  const send = canSell(state, source, order.selling);
  const receive = canBuy(state, source, order.buying);
  return {
    send: order.sell === null ? send : least(order.sell - sent, send),
    receive: order.buy === null ? receive : least(order.buy - received, receive),
  };
}

/** Whether a resting offer asks more than the order gives; a passive order leaves an equal price alone. */
function isBadPrice(resting: Price, { n, d }: Price, passive: boolean): boolean {
  const asked = BigInt(resting.n) * BigInt(n);
  const given = BigInt(d) * BigInt(resting.d);
  return passive ? asked >= given : asked > given;
}

/** Takes what the book gives at the order’s price or better, and settles it. */
function take(scope: OperationScope, order: OfferOrder, passive: boolean): Conversion {
  const { state, source } = scope;
  const conversion = convert(state, {
    from: order.selling,
    to: order.buying,
    limit: limitsOf(scope, order),
    rounding: 'normal',
    maxOffers,
    refuse: ({ price, seller }: Offer) =>
      isBadPrice(price, order.price, passive) ? 'bad_price' : seller === source ? 'cross_self' : null,
  });
  if (conversion.receive === 0n || conversion.end === 'cross_self' || conversion.end === 'too_many') return conversion;
  const settled =
    addBalance(state, source, order.buying, conversion.receive) &&
    addBalance(state, source, order.selling, -conversion.send);
  if (!settled) throw new BrokenInvariant('offer claimed over limit');
  return conversion;
}

/** Puts what is left of the order on the book. */
function rest(scope: OperationScope, order: OfferOrder, kept: Kept, amount: bigint): OfferPlaced['success']['offer'] {
  const { state, source } = scope;
  if (amount === 0n) {
    releaseSubEntry(state, source, 1, kept.sponsor);
    return { effect: 2 };
  }
  if (kept.isNew) state.header = { ...state.header, idPool: state.header.idPool + 1n };
  const id = kept.isNew ? state.header.idPool : order.id;
  const { selling, buying, price } = order;
  const { passive, sponsor } = kept;
  const offer: Offer = { id, seller: source, selling, buying, amount, price, passive, sponsor, lastModified: 0 };
  state.offers.set(String(id), offer);
  acquireLiabilities(state, offer);
  return { effect: kept.isNew ? 0 : 1, offer: offerWire(offer) };
}

/** Creates, changes or deletes an offer; what crosses the book is traded first. */
function placeOffer(scope: OperationScope, order: OfferOrder): OfferResult {
  const deletes = order.sell === 0n || order.buy === 0n;
  const unable = deletes ? null : lineFault(scope, order);
  if (unable) return unable;
  const kept = prepare(scope, order);
  if (!('isNew' in kept)) return kept;
  if (deletes) return { code: 0, success: { offersClaimed: [], offer: rest(scope, order, kept, 0n) } };
  const noRoom = roomFault(scope, order);
  if (noRoom) return noRoom;
  const { end, claimed, send, receive } = take(scope, order, kept.passive);
  if (end === 'cross_self') return { code: offerFault.crossSelf };
  if (end === 'too_many') return exceededWorkLimit;
  const left = end === 'done' ? { send: 0n, receive: 0n } : limitsOf(scope, order, send, receive);
  const amount = end === 'done' ? 0n : adjustedAmount(order.price, left.send, left.receive);
  return { code: 0, success: { offersClaimed: claimed.map(claimAtom), offer: rest(scope, order, kept, amount) } };
}

interface OfferTerms {
  readonly selling: AssetWire;
  readonly buying: AssetWire;
  readonly price: PriceWire;
}

function isMalformed({ selling, buying, price }: OfferTerms, amount: bigint, id: bigint): boolean {
  if (!isValidAsset(selling) || !isValidAsset(buying) || assetText(selling) === assetText(buying)) return true;
  if (amount < 0n || price.n <= 0 || price.d <= 0) return true;
  return id < 0n || (id === 0n && amount === 0n);
}

const malformed = { code: offerFault.malformed };

const assetsOf = ({ selling, buying }: OfferTerms) => ({ selling: assetText(selling), buying: assetText(buying) });

/** Sells up to an amount. */
export const manageSellOffer = defineOperation<3, ManageSellOfferResultWire>(3, {
  threshold: 'medium',
  blank: blankOffer,
  wrap: manageSellOfferResult => ({ type: 3, manageSellOfferResult }),
  check: ({ manageSellOfferOp: op }) => (isMalformed(op, op.amount, op.offerId) ? malformed : null),
  apply: ({ manageSellOfferOp: op }, scope) =>
    placeOffer(scope, { ...assetsOf(op), id: op.offerId, price: op.price, sell: op.amount, buy: null, passive: false }),
});

/** Buys up to an amount; its price is of what is bought, so the offer’s is the inverse. */
export const manageBuyOffer = defineOperation<12, ManageBuyOfferResultWire>(12, {
  threshold: 'medium',
  blank: blankOffer,
  wrap: manageBuyOfferResult => ({ type: 12, manageBuyOfferResult }),
  check: ({ manageBuyOfferOp: op }) => (isMalformed(op, op.buyAmount, op.offerId) ? malformed : null),
  apply: ({ manageBuyOfferOp: op }, scope) => {
    const price = { n: op.price.d, d: op.price.n };
    return placeOffer(scope, { ...assetsOf(op), id: op.offerId, price, sell: null, buy: op.buyAmount, passive: false });
  },
});

/**
 * Sells up to an amount without taking offers of the very same price. stellar-core turns it into a sell offer first, so
 * its result says that it was one.
 */
export const createPassiveSellOffer = defineOperation<4, ManageSellOfferResultWire>(4, {
  threshold: 'medium',
  blank: blankOffer,
  wrap: manageSellOfferResult => ({ type: 3, manageSellOfferResult }),
  check: ({ createPassiveSellOfferOp: op }) => (isMalformed(op, op.amount, 0n) ? malformed : null),
  apply: ({ createPassiveSellOfferOp: op }, scope) =>
    placeOffer(scope, { ...assetsOf(op), id: 0n, price: op.price, sell: op.amount, buy: null, passive: true }),
});
