import { divideDown, divideUp, least } from '../../../../core/money.ts';
import { BrokenInvariant, maxAmount, type Price } from '../state/entries.ts';

// How two offers trade (CAP-4, stellar-core’s `exchangeV10`). As in stellar-core, the resting offer sells *wheat* and
// is paid in *sheep*. The smaller side is always used up, and rounding favours the larger side.

interface Amounts {
  readonly wheat: bigint;
  readonly sheep: bigint;
}

interface Exchanged extends Amounts {
  /** Whether the resting offer is the larger side. If so, a part of the offer stays in the order book. */
  readonly wheatStays: boolean;
}

/** The maximum that each side can send and receive. The resting offer sends wheat and the taker sends sheep. */
interface ExchangeLimits {
  readonly wheatSend: bigint;
  readonly wheatReceive: bigint;
  readonly sheepSend: bigint;
  readonly sheepReceive: bigint;
}

/** `normal` is for offers. The other two are for path payments, in which one amount is exact. */
export type Rounding = 'normal' | 'strict_receive' | 'strict_send';

/** The exchange before the check of the price error. */
function exchangeAmounts(price: Price, limits: ExchangeLimits, rounding: Rounding): Exchanged {
  const n = BigInt(price.n);
  const d = BigInt(price.d);
  const wheatValue = least(limits.wheatSend * n, limits.sheepReceive * d);
  const sheepValue = least(limits.sheepSend * d, limits.wheatReceive * n);
  const wheatStays = wheatValue > sheepValue;
  const { wheat, sheep } = wheatStays
    ? takenFromLarger(n, d, sheepValue, limits, rounding)
    : takenWhole(n, d, wheatValue);
  if (wheat > least(limits.wheatReceive, limits.wheatSend)) throw new BrokenInvariant('wheatReceive out of bounds');
  if (sheep > least(limits.sheepReceive, limits.sheepSend)) throw new BrokenInvariant('sheepSend out of bounds');
  return { wheat, sheep, wheatStays };
}

/** The exchange if the resting offer stays. Rounding favours the resting offer. */
function takenFromLarger(
  n: bigint,
  d: bigint,
  sheepValue: bigint,
  limits: ExchangeLimits,
  rounding: Rounding,
): Amounts {
  if (rounding === 'strict_send') {
    return { wheat: divideDown(sheepValue, n), sheep: least(limits.sheepSend, limits.sheepReceive) };
  }
  if (n > d || rounding === 'strict_receive') {
    const wheat = divideDown(sheepValue, n);
    return { wheat, sheep: divideUp(wheat * n, d) };
  }
  const sheep = divideDown(sheepValue, d);
  return { sheep, wheat: divideDown(sheep * d, n) };
}

/** The exchange if the resting offer is used up. Rounding favours the taker. */
function takenWhole(n: bigint, d: bigint, wheatValue: bigint): Amounts {
  if (n > d) {
    const wheat = divideDown(wheatValue, n);
    return { wheat, sheep: divideDown(wheat * n, d) };
  }
  const sheep = divideDown(wheatValue, d);
  return { sheep, wheat: divideUp(sheep * d, n) };
}

/**
 * The exchange. Rounding must not cost a side more than 1 % (CAP-4), except the taker of a path payment. If it would,
 * offers exchange amounts of 0, and path payments throw `BrokenInvariant`.
 */
export function exchange(price: Price, limits: ExchangeLimits, rounding: Rounding): Exchanged {
  const result = exchangeAmounts(price, limits, rounding);
  if (result.wheat === 0n || result.sheep === 0n) {
    if (rounding !== 'strict_send') return { ...result, wheat: 0n, sheep: 0n };
    if (result.sheep === 0n) throw new BrokenInvariant('invalid amount of sheep sent');
    return result;
  }
  if (isFair(price, result, rounding !== 'normal')) return result;
  if (rounding !== 'normal') throw new BrokenInvariant('exceeded price error bound');
  return { ...result, wheat: 0n, sheep: 0n };
}

function isFair(price: Price, { wheat, sheep }: Amounts, mayFavourWheat: boolean): boolean {
  const asked = 100n * BigInt(price.n) * wheat;
  const paid = 100n * BigInt(price.d) * sheep;
  if (mayFavourWheat && paid > asked) return true;
  const difference = asked > paid ? asked - paid : paid - asked;
  return difference <= BigInt(price.n) * wheat;
}

const unlimited = { wheatReceive: maxAmount, sheepSend: maxAmount };

/** The part of an offer that can trade, given the maximum that its owner can send and receive. */
export const adjustedAmount = (price: Price, wheatSend: bigint, sheepReceive: bigint): bigint =>
  exchange(price, { ...unlimited, wheatSend, sheepReceive }, 'normal').wheat;

/** The liabilities of an offer: the maximum that the offer can sell and buy (CAP-3). */
export function offerLiabilities(price: Price, wheatSend: bigint, sheepReceive: bigint = maxAmount) {
  const { wheat, sheep } = exchangeAmounts(price, { ...unlimited, wheatSend, sheepReceive }, 'normal');
  return { selling: wheat, buying: sheep };
}
