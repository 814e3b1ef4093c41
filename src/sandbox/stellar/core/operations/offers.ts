import type {
  AssetWire,
  ClaimAtomWire,
  ManageBuyOfferResultWire,
  ManageSellOfferResultWire,
  OfferEntryWire,
  PriceWire,
} from '@stellar/stellar-sdk/xdr';
import { least } from '../../../../core/money.ts';
import { addBalance, available, canBuy, canSell, findLine, isAuthorized, room } from '../state/balances.ts';
import { BrokenInvariant, maxAmount, type Offer, type Price } from '../state/entries.ts';
import { offerWire } from '../state/entry-xdr.ts';
import { assetText, isValidAsset, native } from '../state/identifiers.ts';
import { releaseSubEntry, reserveSubEntry } from '../state/reserves.ts';
import {
  acquireLiabilities,
  type Conversion,
  claimAtom,
  convert,
  maxOffers,
  releaseLiabilities,
} from '../trading/conversion.ts';
import { adjustedAmount, offerLiabilities } from '../trading/exchange.ts';
import { defineOperation, exceededWorkLimit, type OperationScope, type Refusal, reserveRefusal } from './operation.ts';

/** Codes that all three offer operations share. */
const code = {
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
  readonly code: (typeof code)[keyof typeof code];
}

/** The terms of an offer operation. The price is in bought units per sold unit. */
interface OfferTerms {
  /** 0 for a new offer. */
  readonly id: bigint;
  readonly selling: string;
  readonly buying: string;
  readonly price: Price;
  /** Exactly one of `sell` and `buy` is an amount. The other is null. */
  readonly sell: bigint | null;
  readonly buy: bigint | null;
  readonly passive: boolean;
}

interface OfferSuccess {
  code: 0;
  success: {
    offersClaimed: ClaimAtomWire[];
    offer: { effect: 0 | 1; offer: OfferEntryWire } | { effect: 2 };
  };
}

const blank: OfferSuccess = {
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

/** The code of the refusal if the account lacks trust lines or balance to trade, otherwise null. */
function lineFault({ state, source }: OperationScope, { selling, buying }: OfferTerms): OfferFault | null {
  if (selling !== native) {
    const line = findLine(state, source, selling);
    if (line === null) return { code: code.sellNoTrust };
    if (line !== 'issuer' && line.balance === 0n) return { code: code.underfunded };
    if (!isAuthorized(line)) return { code: code.sellNotAuthorized };
  }
  if (buying !== native) {
    const line = findLine(state, source, buying);
    if (line === null) return { code: code.buyNoTrust };
    if (!isAuthorized(line)) return { code: code.buyNotAuthorized };
  }
  return null;
}

/** Properties that an offer keeps when it changes. */
interface Kept {
  readonly isNew: boolean;
  readonly passive: boolean;
  readonly sponsor: string | null;
}

/** Removes the old offer from the book, or takes the reserve for a new offer. */
function prepare({ state, source }: OperationScope, terms: OfferTerms): Kept | OfferFault | Refusal {
  if (terms.id === 0n) {
    const reserved = reserveSubEntry(state, source, 1);
    if (reserved.fault) return reserveRefusal(reserved.fault, { code: code.lowReserve });
    return { isNew: true, passive: terms.passive, sponsor: reserved.sponsor };
  }
  const offer = state.offers.get(String(terms.id));
  if (!offer || offer.seller !== source) return { code: code.notFound };
  releaseLiabilities(state, offer);
  state.offers.delete(String(offer.id));
  return { isNew: false, passive: offer.passive, sponsor: offer.sponsor };
}

/** The code of the refusal if the account cannot cover the liabilities of the whole offer before any trade (CAP-3). */
function liabilitiesFault({ state, source }: OperationScope, terms: OfferTerms): OfferFault | null {
  const liabilities = offerLiabilities(terms.price, terms.sell ?? maxAmount, terms.buy ?? maxAmount);
  if ((room(state, source, terms.buying) ?? 0n) < liabilities.buying) return { code: code.lineFull };
  if ((available(state, source, terms.selling) ?? 0n) < liabilities.selling) return { code: code.underfunded };
  return canBuy(state, source, terms.buying) === 0n ? { code: code.lineFull } : null;
}

/** The most that the account can still send and receive under the terms. */
function limitsOf({ state, source }: OperationScope, terms: OfferTerms, sent = 0n, received = 0n) {
  const send = canSell(state, source, terms.selling);
  const receive = canBuy(state, source, terms.buying);
  return {
    send: terms.sell === null ? send : least(terms.sell - sent, send),
    receive: terms.buy === null ? receive : least(terms.buy - received, receive),
  };
}

/** Whether an offer on the book is too expensive. A passive offer also skips equal prices. */
function isBadPrice(resting: Price, { n, d }: Price, passive: boolean): boolean {
  const asked = BigInt(resting.n) * BigInt(n);
  const given = BigInt(d) * BigInt(resting.d);
  return passive ? asked >= given : asked > given;
}

/** Trades with offers on the book at the terms’ price or better, and changes the account’s balances. */
function take(scope: OperationScope, terms: OfferTerms, passive: boolean): Conversion {
  const { state, source } = scope;
  const conversion = convert(state, {
    from: terms.selling,
    to: terms.buying,
    limit: limitsOf(scope, terms),
    rounding: 'normal',
    maxOffers,
    refuse: ({ price, seller }: Offer) =>
      isBadPrice(price, terms.price, passive) ? 'bad_price' : seller === source ? 'cross_self' : null,
  });
  if (conversion.receive === 0n || conversion.end === 'cross_self' || conversion.end === 'too_many') return conversion;
  const settled =
    addBalance(state, source, terms.buying, conversion.receive) &&
    addBalance(state, source, terms.selling, -conversion.send);
  if (!settled) throw new BrokenInvariant('offer claimed over limit');
  return conversion;
}

/** Puts the remaining amount on the book. An amount of 0 deletes the offer. */
function rest(scope: OperationScope, terms: OfferTerms, kept: Kept, amount: bigint): OfferSuccess['success']['offer'] {
  const { state, source } = scope;
  if (amount === 0n) {
    releaseSubEntry(state, source, 1, kept.sponsor);
    return { effect: 2 };
  }
  if (kept.isNew) state.header = { ...state.header, idPool: state.header.idPool + 1n };
  const id = kept.isNew ? state.header.idPool : terms.id;
  const { selling, buying, price } = terms;
  const { passive, sponsor } = kept;
  const offer: Offer = { id, seller: source, selling, buying, amount, price, passive, sponsor, lastModified: 0 };
  state.offers.set(String(id), offer);
  acquireLiabilities(state, offer);
  return { effect: kept.isNew ? 0 : 1, offer: offerWire(offer) };
}

/** Creates, changes or deletes an offer. First trades the part that matches offers on the book. */
function manageOffer(scope: OperationScope, terms: OfferTerms): OfferSuccess | OfferFault | Refusal {
  const deletes = terms.sell === 0n || terms.buy === 0n;
  const unable = deletes ? null : lineFault(scope, terms);
  if (unable) return unable;
  const kept = prepare(scope, terms);
  if (!('isNew' in kept)) return kept;
  if (deletes) return { code: 0, success: { offersClaimed: [], offer: rest(scope, terms, kept, 0n) } };
  const uncovered = liabilitiesFault(scope, terms);
  if (uncovered) return uncovered;
  const { end, claimed, send, receive } = take(scope, terms, kept.passive);
  if (end === 'cross_self') return { code: code.crossSelf };
  if (end === 'too_many') return exceededWorkLimit;
  const left = end === 'done' ? null : limitsOf(scope, terms, send, receive);
  const amount = left === null ? 0n : adjustedAmount(terms.price, left.send, left.receive);
  return { code: 0, success: { offersClaimed: claimed.map(claimAtom), offer: rest(scope, terms, kept, amount) } };
}

interface OfferOp {
  readonly selling: AssetWire;
  readonly buying: AssetWire;
  readonly price: PriceWire;
}

function check({ selling, buying, price }: OfferOp, amount: bigint, id: bigint): OfferFault | null {
  const isMalformed =
    !isValidAsset(selling) ||
    !isValidAsset(buying) ||
    assetText(selling) === assetText(buying) ||
    amount < 0n ||
    price.n <= 0 ||
    price.d <= 0 ||
    id < 0n ||
    (id === 0n && amount === 0n);
  return isMalformed ? { code: code.malformed } : null;
}

const assetsOf = ({ selling, buying }: OfferOp) => ({ selling: assetText(selling), buying: assetText(buying) });

export const manageSellOffer = defineOperation<3, ManageSellOfferResultWire>(3, {
  blank,
  wrap: manageSellOfferResult => ({ type: 3, manageSellOfferResult }),
  check: ({ manageSellOfferOp: op }) => check(op, op.amount, op.offerId),
  apply: ({ manageSellOfferOp: op }, scope) =>
    manageOffer(scope, {
      ...assetsOf(op),
      id: op.offerId,
      price: op.price,
      sell: op.amount,
      buy: null,
      passive: false,
    }),
});

/** The operation’s price is in sold units per bought unit. An offer’s price is in bought units per sold unit. */
export const manageBuyOffer = defineOperation<12, ManageBuyOfferResultWire>(12, {
  blank,
  wrap: manageBuyOfferResult => ({ type: 12, manageBuyOfferResult }),
  check: ({ manageBuyOfferOp: op }) => check(op, op.buyAmount, op.offerId),
  apply: ({ manageBuyOfferOp: op }, scope) => {
    const price = { n: op.price.d, d: op.price.n };
    return manageOffer(scope, {
      ...assetsOf(op),
      id: op.offerId,
      price,
      sell: null,
      buy: op.buyAmount,
      passive: false,
    });
  },
});

/** stellar-core converts this operation to a sell offer, so its result has the type of a sell offer. */
export const createPassiveSellOffer = defineOperation<4, ManageSellOfferResultWire>(4, {
  blank,
  wrap: manageSellOfferResult => ({ type: 3, manageSellOfferResult }),
  check: ({ createPassiveSellOfferOp: op }) => check(op, op.amount, 0n),
  apply: ({ createPassiveSellOfferOp: op }, scope) =>
    manageOffer(scope, { ...assetsOf(op), id: 0n, price: op.price, sell: op.amount, buy: null, passive: true }),
});
