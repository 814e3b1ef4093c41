import type { Selectable } from 'kysely';
import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { NextAction } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { divideDown, divideUp, formatUnits, sumOf } from '../../../core/money.ts';
import { unitOf } from '../../../core/unit.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { CryptoOffersTable, DepositTargetsTable } from '../tables.ts';

/** A price given to a payer. Crypto received at a price is never revalued. */
export type OfferRow = Selectable<CryptoOffersTable>;

/** Where the payer of a payment sends crypto: an account on a chain, and a tag. */
export type TargetRow = Selectable<DepositTargetsTable>;

/**
 * The price that held for crypto in `asset` at the time `at`: the payer's best price that was valid then. A price holds
 * `graceSeconds` longer, for crypto that is being sent. Crypto from before all prices gets the first price, because the
 * chain's clock may be behind. Null if no price held: the crypto is late.
 */
export function heldOffer(offers: readonly OfferRow[], asset: string, at: Date, graceSeconds: number): OfferRow | null {
  const inAsset = inOrder(offers, asset);
  const given = inAsset.filter(offer => offer.created_at <= at);
  if (given.length === 0) return inAsset[0] ?? null;
  const held = given.filter(offer => at < addSeconds(offer.expires_at, graceSeconds));
  return held.length === 0 ? null : held.reduce((best, offer) => (isCheaper(offer, best) ? offer : best));
}

/** The newest price given before `at`, for late crypto. Null if the payment has no price in the asset. */
export function lastOffer(offers: readonly OfferRow[], asset: string, at: Date): OfferRow | null {
  const inAsset = inOrder(offers, asset);
  return inAsset.filter(offer => offer.created_at <= at).at(-1) ?? inAsset[0] ?? null;
}

function inOrder(offers: readonly OfferRow[], asset: string): OfferRow[] {
  return offers.filter(offer => offer.asset === asset).sort((a, b) => a.number - b.number);
}

/** Whether `offer` asks for the same amount of the asset as `than`, or less, for the same value. */
function isCheaper(offer: OfferRow, than: OfferRow): boolean {
  return offer.amount * than.payment_amount <= than.amount * offer.payment_amount;
}

/**
 * The value of another `amount` at this price, in minor units of the payment's currency. Rounds down the total and not
 * each part. Parts that sum to the quoted amount therefore count in full.
 */
export function valueUnder(offer: OfferRow, amount: bigint): bigint {
  return divideDown((offer.received + amount) * offer.payment_amount, offer.amount) - offer.counted;
}

/** The price with another `amount` counted. */
export function countedUnder(offer: OfferRow, amount: bigint): OfferRow {
  return { ...offer, received: offer.received + amount, counted: offer.counted + valueUnder(offer, amount) };
}

/** The amount of the asset that the payer must still send for `due`, which is in the payment's currency. */
export function leftUnder(offer: OfferRow, due: bigint): bigint {
  const whole = divideUp((offer.counted + due) * offer.amount, offer.payment_amount);
  return whole > offer.received ? whole - offer.received : 0n;
}

/** The cost of `due` at the price, in the asset. */
export function amountAtPriceOf(offer: OfferRow, due: bigint): bigint {
  return divideUp(due * offer.amount, offer.payment_amount);
}

/** The total received in the asset, at all prices. */
export function receivedOf(offers: readonly OfferRow[], asset: string): bigint {
  return sumOf(offers.filter(offer => offer.asset === asset).map(offer => offer.received));
}

interface CryptoInstructions {
  readonly chain: Chain;
  readonly target: TargetRow;
  /** All prices of the payment on the chain. */
  readonly offers: readonly OfferRow[];
  readonly merchant: Pick<Merchant, 'name'>;
  /** The asset of the payer's instructions. Null: the asset of the newest price. */
  readonly asset: string | null;
  /** The amount due, in minor units of the payment's currency. */
  readonly due: bigint;
}

/** The asset of the payer's instructions. Null if the instructions are not for crypto. */
export function chosenAsset(action: NextAction | null): string | null {
  return action?.type === 'crypto_transfer' ? action.asset : null;
}

/** The newest price, which the payer sees. With `asset`, the newest price in that asset. */
export function shownOffer(all: readonly OfferRow[], asset: string | null): OfferRow | null {
  const offers = asset === null ? all : all.filter(offer => offer.asset === asset);
  return offers.reduce<OfferRow | null>(
    (last, offer) => (last !== null && last.number > offer.number ? last : offer),
    null,
  );
}

/** The payer's instructions (`next_action`). Null if there is no price. */
export function cryptoAction(instructions: CryptoInstructions): CryptoTransfer | null {
  const { chain, target, offers, merchant, due } = instructions;
  const offer = shownOffer(offers, instructions.asset);
  if (offer === null) return null;
  const { asset } = offer;
  const left = leftUnder(offer, due);
  const received = receivedOf(offers, asset);
  const place = chain.receive.newTarget(target.account, target.tag);
  const message = `Payment to ${merchant.name}`;
  const uri = chain.receive.uri({ target: place, asset, amount: left, message });
  const decimals = unitOf(asset).decimals;
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
    qr: { format: chain.receive.uriFormat, payload: uri },
    confirmations: received > 0n ? chain.receive.finality(asset, received).blocks : 0,
    required_confirmations: chain.receive.finality(asset, left).blocks,
    expires_at: offer.expires_at.toISOString(),
  };
}
