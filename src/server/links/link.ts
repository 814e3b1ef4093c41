import type { Selectable } from 'kysely';
import type { LinkState, LinkStatus } from '../../api/link.ts';
import type { PaymentPhase } from '../../api/payment.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { defineMachine } from '../../core/machine.ts';
import { judgeReceived, type Tolerance } from '../payments/payment.ts';
import { givenBack, keptOf } from '../payments/payment-funds.ts';
import type { MoneyRefusal, PaymentOwner } from '../payments/payment-purpose.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { PaymentLinksTable } from './tables.ts';

export type LinkRow = Selectable<PaymentLinksTable>;

/** The link as the owner of its payments. */
export function linkOwner(linkId: string): PaymentOwner {
  return { type: 'payment_link', id: linkId };
}

/** The states of a link. Money in transit can complete an expired link, and a new `expires_at` reactivates it. */
export const linkMachine = defineMachine<LinkStatus>({
  active: ['disabled', 'expired', 'completed'],
  disabled: ['active', 'expired', 'completed'],
  expired: ['active', 'completed'],
  completed: [],
});

/** The state of the link for a payer at `now`: `expired` from `expires_at` on, even before a sweep sets the status. */
export function stateOf(link: LinkRow, now: Date): LinkState {
  if (link.status === 'completed') return 'used';
  if (link.status === 'expired' || isOver(link, now)) return 'expired';
  if (link.status === 'disabled') return 'disabled';
  return link.starts_at !== null && now < link.starts_at ? 'not_started' : 'open';
}

/** Whether the end of the link has passed. */
export function isOver({ expires_at: end }: Pick<LinkRow, 'expires_at'>, now: Date): boolean {
  return end !== null && now >= end;
}

/** The amount to pay: the link's amount, or the rest of the current use if paid in parts. Null without an amount. */
export function dueOf({ amount, allow_partial: inParts, collected }: LinkRow): bigint | null {
  return amount !== null && inParts ? amount - (collected % amount) : amount;
}

/** The number of reservations and the sum of their amounts. */
export interface ReservedUses {
  readonly count: number;
  readonly amount: bigint;
}

/**
 * Whether the link has room for a payment of this amount. A link paid in parts accepts `amount` times `max_uses` in
 * total. Other links count payments.
 */
export function hasRoom(link: LinkRow, reserved: ReservedUses, amount: bigint): boolean {
  if (link.max_uses === null) return true;
  if (link.allow_partial && link.amount !== null) {
    return link.collected + reserved.amount + amount <= link.amount * BigInt(link.max_uses);
  }
  return link.uses + reserved.count < link.max_uses;
}

/** Whether a payment in this phase keeps its reservation: it waits for its payer, or its money may be in transit. */
export function needsReservation(phase: PaymentPhase): boolean {
  return waitsForPayer(phase) || phase === 'processing' || phase === 'confirming';
}

/** Whether the payment waits for its payer, not for a bank or a chain. Only then can its reservation expire. */
export function waitsForPayer(phase: PaymentPhase): boolean {
  return phase === 'requires_action' || phase === 'partially_paid';
}

/** Seconds of a reservation while the payer is in 3-D Secure, or after the payer paid a part. */
const reservationSeconds = 900;

/**
 * Maximum seconds for which uses of a link may be reserved without a payment, since the link last received money. After
 * that, a payment that waits for its payer loses its reservation at once.
 */
const longestUnpaidSeconds = 2_700;

/** The end of a reservation that waits for its payer. Null if it must end now. */
export function reservedUntil(
  { unpaid_reservation_seconds: unpaidSeconds }: LinkRow,
  reservedAt: Date | null,
  now: Date,
): Date | null {
  const lastEnd = addSeconds(reservedAt ?? now, longestUnpaidSeconds - unpaidSeconds);
  if (lastEnd <= now) return null;
  const end = addSeconds(now, reservationSeconds);
  return end < lastEnd ? end : lastEnd;
}

/**
 * The amount that a change adds to the received money of a completed payment, in minor units. Each amount counts once,
 * so refunds and failed refunds change nothing.
 */
export function keptBy(before: PaymentRow, after: PaymentRow): bigint {
  if (after.completed_at === null) return 0n;
  if (before.completed_at === null) return keptOf(after);
  return givenBack(before) === givenBack(after) ? keptOf(after) - keptOf(before) : 0n;
}

/** Received money of a completed payment, in minor units. */
export interface KeptMoney {
  readonly amount: bigint;
  readonly currency: string;
  /** Whether this money completes the payment. */
  readonly isFirst: boolean;
}

/** The link's new totals. On a link paid in parts, `tolerance` forgives a missing amount once for each use. */
export function countedBy(link: LinkRow, money: KeptMoney, tolerance: Tolerance) {
  const own = link.collected + (money.currency === link.currency ? money.amount : 0n);
  const whole = link.allow_partial ? link.amount : null;
  const collected = whole === null ? own : filledUp(own, whole, tolerance);
  const uses = whole === null ? link.uses + (money.isFirst ? 1 : 0) : Number(collected / whole);
  const received = BigInt(link.received[money.currency] ?? '0') + money.amount;
  return {
    // Money after the last use is kept, but does not count as a use.
    uses: Math.min(uses, link.max_uses ?? uses),
    collected,
    received: { ...link.received, [money.currency]: String(received) },
  };
}

function filledUp(collected: bigint, amount: bigint, tolerance: Tolerance): bigint {
  const part = collected % amount;
  const isEnough = part > 0n && judgeReceived(amount, part, tolerance).phase === 'paid';
  return isEnough ? collected - part + amount : collected;
}

/** The received part of an incomplete use, in minor units. Only links paid in parts have incomplete uses. */
export function begunUse(link: LinkRow): bigint {
  if (!link.allow_partial || link.amount === null || isFull(link, link.uses)) return 0n;
  return link.collected % link.amount;
}

/** Whether a link with this number of paid uses accepts no further payment. */
export function isFull({ max_uses: most }: Pick<LinkRow, 'max_uses'>, uses: number): boolean {
  return most !== null && uses >= most;
}

/** Error and failure code for payers of a link without a free use. */
export const linkUsed = 'link_used';

/** The error for a payer of a link in this state. Expired and used links respond with 410 Gone. */
export function refusalOf(state: Exclude<LinkState, 'open'>): PayError {
  switch (state) {
    case 'used':
      return new PayError(linkUsed, 'This payment link has been paid already. Nothing more is due on it.', {
        status: 410,
      });
    case 'expired':
      return new PayError('link_expired', 'This payment link has expired. Ask the sender for a new one.');
    case 'disabled':
      return new PayError('link_disabled', 'This payment link is switched off at the moment. Ask the sender.');
    case 'not_started':
      return new PayError('link_not_started', 'This payment link cannot be paid yet. Come back later.');
  }
}

/** Failure codes of payments that a link has ended. */
const closedCodes = [linkUsed, 'link_expired', 'link_disabled'] as const;

/** The error for the payer of a payment that its link ended. Null if the link did not end the payment. */
export function closedError({ failure_code: failure, failure_message: message }: PaymentRow): PayError | null {
  const code = closedCodes.find(each => each === failure);
  return code === undefined ? null : new PayError(code, message ?? 'This link takes no payments now.');
}

/**
 * Why no use is free for a payment. `paid`: all uses are paid. `reserved`: the rest are reserved. `short`: the amount
 * of the payment exceeds the remaining amount.
 */
export type NoRoom = 'paid' | 'reserved' | 'short';

/** The message for a payer whose money is refused. */
export function noRoomForMoney(why: NoRoom): MoneyRefusal {
  return { code: linkUsed, message: noRoomMessages[why] };
}

const noRoomMessages: Readonly<Record<NoRoom, string>> = {
  paid: 'Someone else has already paid this. What you sent goes back to you.',
  reserved:
    'Someone else is paying this right now. What you sent goes back to you. If they do not finish, you can pay the link.',
  short: 'Less is still due than you chose to pay. What you sent goes back to you; open the link again.',
};

/** The error for a merchant who accepts late money while another payer has reserved the last use. */
export function reservedByOther(): PayError {
  return new PayError(
    linkUsed,
    'Another payer is paying this link right now. Send this money back, or decide when they have finished.',
  );
}

/** The error for a payer who starts to pay when no use is free. */
export function tooLate(why: NoRoom): PayError {
  return new PayError(linkUsed, tooLateMessages[why]);
}

const tooLateMessages: Readonly<Record<NoRoom, string>> = {
  paid: 'Someone else has already paid this. Nothing was taken from you.',
  reserved:
    'Someone else is paying this right now. Nothing was taken from you. If they do not finish, you can pay the link.',
  short: 'Less is still due than you chose to pay. Nothing was taken; open the link again.',
};
