import type { LinkStatus } from '../../api/link.ts';
import type { PaymentPhase } from '../../api/payment.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { giveUpOpenAttempt } from '../payments/card/payment-card.service.ts';
import { closePayments } from '../payments/checkout/payment-lifecycle.service.ts';
import { changePayment, findPayment, lockPayment, type PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { findPartlyPaid } from '../payments/payment-owner.store.ts';
import { refundSweep, startRefund } from '../payments/refunds/refund.service.ts';
import type { Tx } from '../platform/db/database.ts';
import { runEach } from '../platform/jobs/run-each.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { expireLink } from './link.service.ts';
import { findLink } from './link.store.ts';
import { isWaitedFor, linkOwner } from './link.ts';
import {
  claimDueClaims,
  type DueClaim,
  findHolders,
  giveUpClaim,
  isStillDue,
  settleClaim,
} from './link-claim.store.ts';
import {
  type ClosingLink,
  claimClosingLinks,
  closeAgain,
  type DueLink,
  endClosing,
  findOverdueLinks,
} from './link-due.store.ts';
import { countOpens, openSweep } from './link-open.service.ts';
import { againSeconds, isPlaceHeld, linkOf } from './link-place.ts';
import { moneyLost, refusalOf } from './link-refusal.ts';
import { forgetVisits } from './link-visit.store.ts';

const batch = 50;
const daySeconds = 86_400;

/** What time does to links: they expire, those that take nobody any more are cleared, places and money are given back. */
export function linkSweeps(deps: PaymentDeps): Sweep[] {
  return [
    { name: 'links.expire', everyMs: 1_000, run: () => expireLinks(deps) },
    { name: 'links.close', everyMs: 1_000, run: () => closeLinks(deps) },
    { name: openSweep, everyMs: 1_000, run: () => countOpens(deps) },
    { name: 'links.places', everyMs: 1_000, run: () => seeToPlaces(deps) },
    {
      name: 'links.visits',
      everyMs: 3_600_000,
      run: () => forgetVisits(deps.db, addSeconds(deps.clock.now(), -2 * daySeconds), 1_000),
    },
  ];
}

async function expireLinks(deps: PaymentDeps): Promise<number> {
  const due = await findOverdueLinks(deps.db, deps.clock.now(), batch);
  return await runEach(due, link => expireLink(deps, link, link.clock));
}

/** Phases in which nobody has begun to pay; on a link that is all paid also those of payers who have not sent anything. */
const untouched: Readonly<Record<Exclude<LinkStatus, 'active'>, readonly PaymentPhase[]>> = {
  completed: ['awaiting_payer', 'awaiting_funds'],
  expired: ['awaiting_payer'],
  disabled: ['awaiting_payer'],
};

const stateOfStatus = { completed: 'used', expired: 'expired', disabled: 'disabled' } as const;

async function closeLinks(deps: PaymentDeps): Promise<number> {
  return await runEach(await claimClosingLinks(deps.db, deps.clock.now(), batch), due => closeLink(deps, due));
}

/** Ends the payments of a link that were only looked at, so that nobody pays for nothing. */
async function closeLink(deps: PaymentDeps, due: ClosingLink): Promise<void> {
  const link = await findLink(deps.db, due);
  if (link === null || link.status === 'active') return;
  const merchant = await deps.findMerchant(due.merchantId);
  const { code, message } = refusalOf(stateOfStatus[link.status]);
  await closePayments(deps, { merchant, now: due.clock }, linkOwner(link.id), {
    phases: untouched[link.status],
    reason: { code, message },
  });
  if (link.status === 'completed') await callOffLostParts(deps, due);
  await endClosing(deps.db, due);
}

/** Ends the payments of a used link of which a part came and no more: the part goes back. */
async function callOffLostParts(deps: PaymentDeps, due: DueLink): Promise<void> {
  const owner = { ...linkOwner(due.linkId), merchantId: due.merchantId };
  for (;;) {
    const holders = await findHolders(deps.db, due);
    let ended = 0;
    await runEach(await findPartlyPaid(deps.db, owner, { except: holders, limit: batch }), async id => {
      if (await callOffLostPart(deps, { merchantId: due.merchantId, paymentId: id }, due.clock)) ended++;
    });
    if (ended === 0) return;
  }
}

async function callOffLostPart(deps: PaymentDeps, key: PaymentKey, now: Date): Promise<boolean> {
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, key);
    if (payment.phase !== 'partially_paid' || (await isPlaceHeld(tx, payment))) return false;
    const { code, message } = moneyLost('paid');
    const failure = { failure_code: code, failure_message: message };
    await changePayment(tx, deps, payment, { to: 'canceled', set: { ...failure, next_action: null }, now });
    return true;
  });
}

async function seeToPlaces(deps: PaymentDeps): Promise<number> {
  const claims = await claimDueClaims(deps.db, deps.clock.now(), batch);
  return await runEach(claims, claim => (claim.state === 'held' ? reconsider(deps, claim) : giveBack(deps, claim)));
}

/**
 * A payer who has left the page of the card's bank, or sent a part and no more, must not keep others from paying. Whoever
 * goes on meanwhile, or sends more, is waited for again.
 */
async function reconsider(deps: PaymentDeps, claim: DueClaim): Promise<void> {
  const payment = await findPayment(deps.db, claim);
  // The place is looked at after the payment: where it is still due, nothing has come for what was read.
  if (payment === null || !(await isStillDue(deps.db, claim))) return;
  if (!isWaitedFor(payment.phase)) return await settleClaim(deps.db, claim, addSeconds(claim.clock, againSeconds));
  const merchant = await deps.findMerchant(claim.merchantId);
  const now = merchantNow(merchant, claim.livemode, deps.clock.now());
  await giveUpOpenAttempt(deps, { merchant, now }, claim.paymentId);
  await deps.db.transaction().execute(async tx => {
    const found = await lockPayment(tx, claim);
    if (await hasGoneOn(tx, claim, payment, found)) return;
    await giveUpClaim(tx, claim, now);
    await closeAgain(tx, linkOf(found), now);
  });
}

/**
 * Whether the payment no longer rests on its part, or something has happened since it was read, other than that its open
 * attempt was given up here. Ask with the payment locked.
 */
async function hasGoneOn(tx: Tx, claim: DueClaim, read: PaymentRow, found: PaymentRow): Promise<boolean> {
  if (found.phase !== 'partially_paid' || found.amount_received !== read.amount_received) return true;
  // An attempt that is given up moves the place's hour as a payer's step does; only a decline was the payer's own.
  if (read.phase === 'requires_action') return found.declined_attempts !== read.declined_attempts;
  return !(await isStillDue(tx, claim));
}

/** Sends back what came for a payment that had lost its place. What cannot be sent back by itself is the merchant's to decide. */
async function giveBack(deps: PaymentDeps, claim: DueClaim): Promise<void> {
  try {
    await deps.db.transaction().execute(async tx => {
      const payment = await lockPayment(tx, claim);
      if (payment.amount_suspense > 0n) {
        await startRefund(tx, deps, payment, { reason: 'paid_late' }, claim.clock, true);
      }
      await settleClaim(tx, claim, null);
    });
    deps.wake(refundSweep);
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    deps.log.warn({ err: error, payment: claim.paymentId }, 'money of a used link could not be sent back by itself');
    await settleClaim(deps.db, claim, null);
  }
}
