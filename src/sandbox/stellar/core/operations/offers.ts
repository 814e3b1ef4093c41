import type {
  AssetWire,
  ManageBuyOfferResultWire,
  ManageSellOfferResultWire,
  PriceWire,
} from '@stellar/stellar-sdk/xdr';
import { assetText, isValidAsset } from '../ledger-asset.ts';
import { defineOperation } from '../operation-rules.ts';
import { blankOffer, offerFault, placeOffer } from './manage-offer.ts';

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
