import { addLiabilities } from './balance.ts';
import type { Offer } from './entries.ts';
import { offerLiabilities } from './exchange.ts';
import type { LedgerState } from './ledger-state.ts';
import { releaseSubEntry } from './sponsorship.ts';

/** Books what the offer promises on its owner’s balances. */
export function acquireLiabilities(state: LedgerState, { seller, selling, buying, price, amount }: Offer): void {
  const promised = offerLiabilities(price, amount);
  addLiabilities(state, seller, buying, { buying: promised.buying });
  addLiabilities(state, seller, selling, { selling: promised.selling });
}

/** Takes back what {@link acquireLiabilities} booked. */
export function releaseLiabilities(state: LedgerState, { seller, selling, buying, price, amount }: Offer): void {
  const promised = offerLiabilities(price, amount);
  addLiabilities(state, seller, buying, { buying: -promised.buying });
  addLiabilities(state, seller, selling, { selling: -promised.selling });
}

/** Takes an offer whose liabilities are released off the book and gives its reserve back. */
export function deleteOffer(state: LedgerState, offer: Offer): void {
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
