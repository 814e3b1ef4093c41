import { addSeconds } from '../../core/clock.ts';
import type { PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { ownerIdOf } from '../payments/payment-purpose.ts';
import type { Tx } from '../platform/db/database.ts';
import { findLink, type LinkKey, lockLink } from './link.store.ts';
import { hasRoom, type LinkRow, waitsUntil } from './link.ts';
import { findClaim, giveUpClaim, heldPlaces, holdUntil, saveClaim } from './link-claim.store.ts';
import type { NoPlace } from './link-refusal.ts';

/** How long it takes until a place is looked at again whose payer is not waited for: a bank or a chain is. In seconds. */
export const againSeconds = 900;

/** The link that the payment was made for. */
export function linkOf(payment: PaymentRow): LinkKey {
  return { merchantId: payment.merchant_id, linkId: ownerIdOf(payment) };
}

/** The payment, as claims know it. */
export function paymentOf({ merchant_id: merchantId, id: paymentId }: PaymentRow): PaymentKey {
  return { merchantId, paymentId };
}

/**
 * Takes a place on the link for the payment, once; null: it has one, or the link has any number of them. Otherwise why
 * there is none. The lock on the link's row is what makes it atomic: whoever comes next sees this place taken.
 */
export async function takePlace(tx: Tx, payment: PaymentRow, now: Date): Promise<NoPlace | null> {
  const key = linkOf(payment);
  const known = await findLink(tx, key);
  // How often a link may be used never changes, so that one without a limit need not be locked.
  if (known === null || known.max_uses === null) return null;
  // A claim changes with its payment only, which the transaction holds locked.
  if (await isPlaceHeld(tx, payment)) return null;
  const link = await lockLink(tx, key);
  const why = await whyNoPlace(tx, link, payment);
  if (why === null) await saveClaim(tx, payment, 'held', { heldAt: now, dueAt: addSeconds(now, againSeconds) });
  return why;
}

/** Whether the payment has its place. */
export async function isPlaceHeld(tx: Tx, payment: PaymentRow): Promise<boolean> {
  return (await findClaim(tx, paymentOf(payment)))?.state === 'held';
}

/**
 * The payer is waited for, at the page of the card's bank or for the rest of the money: not longer than others can be
 * asked to wait. A place that is given up costs the payer nothing while nobody else takes it.
 */
export async function keepPlace(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const claim = await findClaim(tx, paymentOf(payment));
  const link = claim?.state === 'held' ? await findLink(tx, linkOf(payment)) : null;
  if (claim === null || link === null) return;
  const until = waitsUntil(link, claim.held_at, now);
  if (until === null) await giveUpClaim(tx, paymentOf(payment), now);
  else await holdUntil(tx, paymentOf(payment), until);
}

/** Why there is no place on the link for the payment just now; null when there is one. */
export async function whyNoPlace(tx: Tx, link: LinkRow, payment: PaymentRow): Promise<NoPlace | null> {
  const key = linkOf(payment);
  if (hasRoom(link, await heldPlaces(tx, key), payment.amount)) return null;
  const isFree = (amount: bigint) => hasRoom(link, { count: 0, amount: 0n }, amount);
  if (!isFree(1n)) return 'paid';
  return isFree(payment.amount) ? 'held' : 'short';
}
