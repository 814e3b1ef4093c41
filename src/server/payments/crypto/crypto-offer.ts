import type { Selectable } from 'kysely';
import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { NextAction } from '../../../api/payment.ts';
import { divideDown, divideUp, formatUnits, sumOf } from '../../../core/money.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { CryptoOffersTable, DepositTargetsTable } from '../tables.ts';

/** A price that a payer was given. Received crypto counts by the price in its asset, never revalued (wire contract §2). */
export type OfferRow = Selectable<CryptoOffersTable>;

/** The account, and the tag in it, that the payer of a payment sends to on a chain. */
export type TargetRow = Selectable<DepositTargetsTable>;

/**
 * The price for crypto in `asset` that reached the chain at `at`: the payer's best price of those valid then, else the
 * newest earlier one. Null when the payment was never quoted in the asset. The chain's clock may be behind, so crypto
 * from before all prices gets the first one.
 */
export function offerFor(offers: readonly OfferRow[], asset: string, at: Date): OfferRow | null {
  const inAsset = offers.filter(offer => offer.asset === asset).sort((a, b) => a.number - b.number);
  const given = inAsset.filter(offer => offer.created_at <= at);
  const held = given.filter(offer => at < offer.expires_at);
  if (held.length > 0) return held.reduce((best, offer) => (isCheaper(offer, best) ? offer : best));
  return given.at(-1) ?? inAsset[0] ?? null;
}

/** Whether the first price asks for less of the asset for the same value. Of two equal prices the later one counts. */
function isCheaper(offer: OfferRow, than: OfferRow): boolean {
  return offer.amount * than.payment_amount <= than.amount * offer.payment_amount;
}

/**
 * The value of `amount` more under the price, in minor units of the payment's currency. The total under one price is
 * rounded down once, so that parts that sum to the asked amount count in full.
 */
export function valueUnder(offer: OfferRow, amount: bigint): bigint {
  return divideDown((offer.received + amount) * offer.payment_amount, offer.amount) - offer.counted;
}

/** The price after `amount` more was received and counted. */
export function countedUnder(offer: OfferRow, amount: bigint): OfferRow {
  return { ...offer, received: offer.received + amount, counted: offer.counted + valueUnder(offer, amount) };
}

/** The amount of the asset that still covers `due` of the payment's currency. */
export function leftUnder(offer: OfferRow, due: bigint): bigint {
  const whole = divideUp((offer.counted + due) * offer.amount, offer.payment_amount);
  return whole > offer.received ? whole - offer.received : 0n;
}

/** The cost of `due` of the payment's currency at the price. */
export function amountAtPriceOf(offer: OfferRow, due: bigint): bigint {
  return divideUp(due * offer.amount, offer.payment_amount);
}

/** The total received in the asset, under all prices. */
export function receivedOf(offers: readonly OfferRow[], asset: string): bigint {
  return sumOf(offers.filter(offer => offer.asset === asset).map(offer => offer.received));
}

interface CryptoInstructions {
  readonly chain: Chain;
  readonly target: TargetRow;
  /** All prices given on the chain. */
  readonly offers: readonly OfferRow[];
  readonly merchant: Pick<Merchant, 'name'>;
  /** The asset of the payer's instructions; null: the asset priced last. */
  readonly asset: string | null;
  /** The amount due, in minor units of the payment's currency. */
  readonly due: bigint;
}

/** The asset of the payer's instructions; null when they are not for a chain. */
export function chosenAsset(action: NextAction | null): string | null {
  return action?.type === 'crypto_transfer' ? action.asset : null;
}

/** The newest price, in the asset if one is given: the price that the payer sees. */
export function shownOffer(all: readonly OfferRow[], asset: string | null): OfferRow | null {
  const offers = asset === null ? all : all.filter(offer => offer.asset === asset);
  return offers.reduce<OfferRow | null>(
    (last, offer) => (last !== null && last.number > offer.number ? last : offer),
    null,
  );
}

/** The payer's instructions (wire contract §2, `next_action`); null when no price was ever given. */
export function cryptoAction(instructions: CryptoInstructions): CryptoTransfer | null {
  const { chain, target, offers, merchant, due } = instructions;
  const offer = shownOffer(offers, instructions.asset);
  if (offer === null) return null;
  const { asset } = offer;
  const left = leftUnder(offer, due);
  const received = receivedOf(offers, asset);
  const { address, baseAddress, memo, memoType } = chain.newDepositTarget(target.account, String(target.tag));
  const message = `Payment to ${merchant.name}`;
  const uri = chain.paymentUri({ target: { address, baseAddress, memo, memoType }, asset, amount: left, message });
  const decimals = chain.decimals(asset);
  return {
    type: 'crypto_transfer',
    chain: chain.id,
    asset,
    address,
    base_address: baseAddress,
    memo,
    memo_type: memoType,
    amount: formatUnits(left, decimals),
    amount_received: formatUnits(received, decimals),
    uri,
    qr: { format: chain.uriFormat, payload: uri },
    confirmations: received > 0n ? chain.requiredConfirmations : 0,
    required_confirmations: chain.requiredConfirmations,
    expires_at: offer.expires_at.toISOString(),
  };
}
