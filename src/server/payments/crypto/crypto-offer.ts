import type { Selectable } from 'kysely';
import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { NextAction } from '../../../api/payment.ts';
import { divideDown, divideUp, formatUnits } from '../../../core/money.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { CryptoOffersTable, DepositTargetsTable } from './tables.ts';

/**
 * A price a payer was given: `amount` of an asset for `payment_amount` of the payment's currency. What arrives is
 * judged in the asset it was quoted in and never revalued (wire contract §2).
 */
export type OfferRow = Selectable<CryptoOffersTable>;

/** The account, and the tag in it, that the payer of a payment sends to on a chain. */
export type TargetRow = Selectable<DepositTargetsTable>;

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

/** A payer who is to pay on a chain: where, for whom, and at what price. */
interface CryptoAsked {
  readonly chain: Chain;
  readonly target: TargetRow;
  /** All prices that were given on the chain. */
  readonly offers: readonly OfferRow[];
  readonly merchant: Pick<Merchant, 'name'>;
  /** The asset in which the payer was told to pay last; null: whichever was priced last. */
  readonly asset: string | null;
  /** What is due, in minor units of the payment's currency. */
  readonly due: bigint;
}

/** The asset in which the payer was told to pay last; null when that was not on a chain. */
export function toldAsset(action: NextAction | null): string | null {
  return action?.type === 'crypto_transfer' ? action.asset : null;
}

/** The price that the payer is shown: the newest, in the asset if one is named. */
export function shownOffer(all: readonly OfferRow[], asset: string | null): OfferRow | null {
  const offers = asset === null ? all : all.filter(offer => offer.asset === asset);
  return offers.reduce<OfferRow | null>(
    (last, offer) => (last !== null && last.number > offer.number ? last : offer),
    null,
  );
}

/** What the payer is told to send where (wire contract §2, `next_action`); null when no price was ever given. */
export function cryptoAction({
  chain,
  target,
  offers,
  merchant,
  due,
  asset: told,
}: CryptoAsked): CryptoTransfer | null {
  const offer = shownOffer(offers, told);
  if (offer === null) return null;
  const { asset } = offer;
  const left = leftUnder(offer, due);
  const received = receivedOf(offers, asset);
  const place = chain.newDepositTarget(target.account, String(target.tag));
  const message = `Payment to ${merchant.name}`;
  const uri = chain.paymentUri({ target: place, asset, amount: left, message });
  const decimals = chain.decimals(asset);
  return {
    type: 'crypto_transfer',
    chain: chain.id,
    asset,
    address: place.address,
    base_address: place.baseAddress,
    memo: place.memo,
    memo_type: place.memoType,
    amount: formatUnits(left, decimals),
    amount_received: formatUnits(received, decimals),
    uri,
    qr: { format: chain.uriFormat, payload: uri },
    confirmations: received > 0n ? chain.requiredConfirmations : 0,
    required_confirmations: chain.requiredConfirmations,
    expires_at: offer.expires_at.toISOString(),
  };
}
