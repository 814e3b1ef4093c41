import { findMerchant } from '../merchants/merchant.store.ts';
import type { Tolerance } from '../payments/payment.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { sumCountedSince } from '../payments/payment-owner.store.ts';
import { isAtRest, type PaymentPurpose } from '../payments/payment-purpose.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { toleranceOf } from '../platform/merchant.ts';
import { changeLink, findLink, lockLink } from './link.store.ts';
import {
  begunUse,
  countedBy,
  holdsPlace,
  isFull,
  isWaitedFor,
  type KeptMoney,
  keptBy,
  type LinkRow,
  stateOf,
} from './link.ts';
import type { LinkPlace } from './link.view.ts';
import { giveUpClaim, releaseClaim, saveClaim } from './link-claim.store.ts';
import { closeAgain } from './link-due.store.ts';
import { isPlaceHeld, keepPlace, linkOf, paymentOf, takePlace, whyNoPlace } from './link-place.ts';
import { closedError, linkUsed, lostPlace, moneyLost, placeInUse, refusalOf } from './link-refusal.ts';

/**
 * Links as a purpose of payments. A payment gets a place on its link when its money is on the way, releases it when the
 * attempt ends without money, and uses it up on completion. Money for which no place is left is refused before it counts.
 */
export function createLinkPurpose(place: LinkPlace): PaymentPurpose {
  return {
    type: 'payment_link',
    wireFields: linkId => ({ payment_link: linkId }),
    assertMayPay: async (tx, { payment, now }, request) => {
      if (request === 'first') await assertOpen(tx, payment, now);
    },
    followAttempt: async (tx, { before, payment, now }) => {
      if (holdsPlace(payment.phase)) await holdPlace(tx, before, payment, now);
      else await giveUpClaim(tx, paymentOf(payment), now);
      await noteLostMoney(tx, before, payment, now);
    },
    attemptEnded: async (tx, { payment, now }) => {
      if (!(await isPlaceHeld(tx, payment))) await closeAgain(tx, linkOf(payment), now);
    },
    refuseMoney: async (tx, payment, now) => {
      const why = await takePlace(tx, payment, now);
      return why === null ? null : moneyLost(why);
    },
    countMoney: async (tx, { before, payment, now }) => {
      const money = moneyOf(before, payment);
      if (money.isFirst || money.amount > 0n) await countMoney(tx, place, payment, money, now);
    },
    endedError: closedError,
    findSuccessMessage,
  };
}

/** The merchant's message for payers of the link; of a link paid in parts, only for those that paid the last whole amount. */
async function findSuccessMessage(db: Db, payment: PaymentRow): Promise<string | null> {
  const link = await findLink(db, linkOf(payment));
  if (link === null || link.success_message === null) return null;
  const begun = begunUse(link);
  return begun === 0n || (await sumCountedSince(db, payment)) > begun ? link.success_message : null;
}

/** A payer begins to pay: the clock decides whether that is in time, and nobody is sent off to pay for nothing. */
async function assertOpen(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const link = await findLink(tx, linkOf(payment));
  if (link === null) return;
  const state = stateOf(link, now);
  if (state === 'used') throw lostPlace('paid');
  if (state !== 'open') throw refusalOf(state);
  const why = await whyNoPlace(tx, link, payment);
  if (why !== null && !(await isPlaceHeld(tx, payment))) throw lostPlace(why);
}

/** Whoever sets out to pay needs a place. Money that is on its way already is asked about again when it comes. */
async function holdPlace(tx: Tx, before: PaymentRow, payment: PaymentRow, now: Date): Promise<void> {
  // Money that counts for nothing is no news, and has asked for a place all the same: nobody is waited for longer for that.
  if (isWaitedFor(payment.phase)) return await keepPlace(tx, payment, now);
  const isNews = before.phase !== payment.phase || before.amount_received !== payment.amount_received;
  if (!isNews) return;
  const why = await takePlace(tx, payment, now);
  if (why !== null && isAtRest(before.phase)) throw lostPlace(why);
}

function moneyOf(before: PaymentRow, payment: PaymentRow): KeptMoney {
  const { currency } = payment;
  return { amount: keptBy(before, payment), currency, isFirst: before.completed_at === null };
}

/** Counts what came and was kept; the last payment that the link is for completes the link. */
async function countMoney(tx: Tx, place: LinkPlace, payment: PaymentRow, money: KeptMoney, now: Date): Promise<void> {
  const link = await lockLink(tx, linkOf(payment));
  if (money.isFirst) await usePlace(tx, link, payment);
  const { received, ...counted } = countedBy(link, money, await toleranceFor(tx, link));
  const completes = isFull(link, counted.uses) && link.status !== 'completed';
  await changeLink(tx, place, link, {
    set: {
      ...counted,
      received: JSON.stringify(received),
      held_in_vain: 0,
      ...(completes && { status: 'completed', completed_at: now, closing_at: now }),
    },
    events: [
      money.isFirst ? 'payment_link.paid' : 'payment_link.updated',
      ...(completes ? ['payment_link.completed' as const] : []),
    ],
    now,
  });
}

/**
 * The payment uses its place up. Money that came has one; what the merchant takes as enough may have none, and is not given
 * that of somebody who is paying.
 */
async function usePlace(tx: Tx, link: LinkRow, payment: PaymentRow): Promise<void> {
  // Nobody needs a place on a link without a limit.
  if (link.max_uses === null) return;
  const isFree = link.allow_partial || isFull(link, link.uses) || (await isPlaceHeld(tx, payment));
  if (!isFree && (await whyNoPlace(tx, link, payment)) !== null) throw placeInUse();
  await releaseClaim(tx, paymentOf(payment));
}

async function toleranceFor(tx: Tx, { merchant_id: merchantId }: LinkRow): Promise<Tolerance> {
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`);
  return toleranceOf(merchant);
}

/**
 * A payment of which money is there has lost its place, or money came after that: it is to go back. What could not be sent
 * back is tried no second time.
 */
async function noteLostMoney(tx: Tx, before: PaymentRow, payment: PaymentRow, now: Date): Promise<void> {
  const isNews = before.failure_code !== linkUsed || payment.amount_received > before.amount_received;
  if (payment.failure_code !== linkUsed || !isNews || payment.amount_suspense === 0n) return;
  await saveClaim(tx, payment, 'lost', { heldAt: null, dueAt: now });
}
