import type { Selectable } from 'kysely';
import { divideDown, divideUp } from '../../../core/money.ts';
import type { CryptoOffersTable } from '../../platform/db/tables/crypto-tables.ts';

/**
 * A price a payer was given: `amount` of an asset for `payment_amount` of the payment's currency. What arrives is
 * judged in the asset it was quoted in and never revalued (wire contract §2).
 */
export type OfferRow = Selectable<CryptoOffersTable>;

/**
 * The price by which money in `asset` is judged that reached the chain at `at`: of the prices that were held then the
 * one best for the payer, who was promised it; when none was, the newest that had been given. Null when the payment
 * was never quoted in the asset. A chain's clock may be behind ours, so what came before every price has the first.
 */
export function offerFor(offers: readonly OfferRow[], asset: string, at: Date): OfferRow | null {
  const inAsset = offers.filter(offer => offer.asset === asset).sort((a, b) => a.number - b.number);
  const given = inAsset.filter(offer => offer.created_at <= at);
  const held = given.filter(offer => at < offer.expires_at);
  if (held.length > 0) return held.reduce((best, offer) => (isCheaper(offer, best) ? offer : best));
  return given.at(-1) ?? inAsset[0] ?? null;
}

/** Whether the first asks for less of the asset for the same worth; of two equal prices the later one is taken. */
function isCheaper(offer: OfferRow, than: OfferRow): boolean {
  return offer.amount * than.payment_amount <= than.amount * offer.payment_amount;
}

/**
 * What `amount` more counts for in the payment's currency, under the price. All that came under one price is rounded
 * down together, so that parts which sum to the amount asked for count for all of it, and dust is not lost.
 */
export function valueUnder(offer: OfferRow, amount: bigint): bigint {
  return divideDown((offer.received + amount) * offer.payment_amount, offer.amount) - offer.counted;
}

/** The price after `amount` more has come and was counted. */
export function countedUnder(offer: OfferRow, amount: bigint): OfferRow {
  return { ...offer, received: offer.received + amount, counted: offer.counted + valueUnder(offer, amount) };
}

/** What of the asset is still to be sent so that `due` of the payment's currency is covered. */
export function leftUnder(offer: OfferRow, due: bigint): bigint {
  const whole = divideUp((offer.counted + due) * offer.amount, offer.payment_amount);
  return whole > offer.received ? whole - offer.received : 0n;
}

/** What `due` of the payment's currency costs at the price that an offer fixed. */
export function amountAtPriceOf(offer: OfferRow, due: bigint): bigint {
  return divideUp(due * offer.amount, offer.payment_amount);
}

/** What has arrived of the asset, whatever the price was. */
export function receivedOf(offers: readonly OfferRow[], asset: string): bigint {
  return offers.reduce((sum, offer) => (offer.asset === asset ? sum + offer.received : sum), 0n);
}
