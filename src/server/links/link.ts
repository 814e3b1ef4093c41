import type { Selectable } from 'kysely';
import type { LinkState, LinkStatus } from '../../api/link.ts';
import type { PaymentPhase } from '../../api/payment.ts';
import { addSeconds } from '../../core/clock.ts';
import { defineMachine } from '../../core/machine.ts';
import { judgeReceived, type Tolerance } from '../payments/payment.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import { givenBack, keptOf } from '../payments/payment-funds.ts';
import type { PaymentOwner } from '../payments/payment-purpose.ts';
import type { PaymentLinksTable } from './tables.ts';

/** A link as the database holds it. */
export type LinkRow = Selectable<PaymentLinksTable>;

/** The link as the owner of its payments. */
export function linkOwner(linkId: string): PaymentOwner {
  return { type: 'payment_link', id: linkId };
}

/**
 * The life of a link. An expired one completes when money that was on its way arrives, and is active again when it is
 * given more time.
 */
export const linkMachine = defineMachine<LinkStatus>({
  active: ['disabled', 'expired', 'completed'],
  disabled: ['active', 'expired', 'completed'],
  expired: ['active', 'completed'],
  completed: [],
});

/** What a payer who comes at `now` meets. The clock decides about the end, not when somebody came by to note it. */
export function stateOf(link: LinkRow, now: Date): LinkState {
  if (link.status === 'completed') return 'used';
  if (link.status === 'expired' || isOver(link, now)) return 'expired';
  if (link.status === 'disabled') return 'disabled';
  return link.starts_at !== null && now < link.starts_at ? 'not_started' : 'open';
}

/** Whether the link's time has ended, noted or not. */
export function isOver({ expires_at: end }: Pick<LinkRow, 'expires_at'>, now: Date): boolean {
  return end !== null && now >= end;
}

/** What is missing of the amount of a link paid in parts; of any other its amount; null where the payer names it. */
export function dueOf({ amount, allow_partial: inParts, collected }: LinkRow): bigint | null {
  return amount !== null && inParts ? amount - (collected % amount) : amount;
}

/** Places taken by payments that are on their way: how many, and the sum of their amounts. */
export interface ReservedUses {
  readonly count: number;
  readonly amount: bigint;
}

/**
 * Whether one more payment of the amount fits. A link paid in parts is full by money: its uses times its amount; any
 * other by the number of payments.
 */
export function hasRoom(link: LinkRow, reserved: ReservedUses, amount: bigint): boolean {
  if (link.max_uses === null) return true;
  if (link.allow_partial && link.amount !== null) {
    return link.collected + reserved.amount + amount <= link.amount * BigInt(link.max_uses);
  }
  return link.uses + reserved.count < link.max_uses;
}

/** Phases in which a payment's money is on its way: it needs a reservation. */
const phasesOnTheWay: ReadonlySet<PaymentPhase> = new Set([
  'processing',
  'requires_action',
  'confirming',
  'partially_paid',
]);

const waitingPhases: ReadonlySet<PaymentPhase> = new Set(['requires_action', 'partially_paid']);

/** Whether the payment waits for its payer's action, not for a bank or a chain. Such a reservation has an end. */
export function waitsForPayer(phase: PaymentPhase): boolean {
  return waitingPhases.has(phase);
}

/** How long a payer is waited for who is at the page of the card's bank, or has paid a part, in seconds. */
const reservationSeconds = 900;

/**
 * Seconds that a link's uses may be reserved in all without a payment. After that, reservations no longer block other
 * payers.
 */
const longestUnpaidSeconds = 2_700;

/** The end of a reservation that waits for its payer; null when it is over now. */
export function reservedUntil(
  { unpaid_reservation_seconds: unpaidSeconds }: LinkRow,
  reservedAt: Date | null,
  now: Date,
): Date | null {
  const patience = addSeconds(reservedAt ?? now, longestUnpaidSeconds - unpaidSeconds);
  if (patience <= now) return null;
  const end = addSeconds(now, reservationSeconds);
  return end < patience ? end : patience;
}

/** Whether a payment in the phase needs a reservation on its link. */
export function needsReservation(phase: PaymentPhase): boolean {
  return phasesOnTheWay.has(phase);
}

/** The columns of a payment that say what has become its merchant's. Minor units. */
export type PaymentMoney = Pick<
  PaymentRow,
  'completed_at' | 'amount_received' | 'amount_suspense' | 'amount_refunded' | 'amount_refunding'
>;

/**
 * What a change of a completed payment has added to what came and was kept: all that was not given back the moment it
 * completes, and later what the merchant takes of that which came on top. Money that is refunded was kept once.
 */
export function keptBy(before: PaymentMoney, after: PaymentMoney): bigint {
  if (after.completed_at === null) return 0n;
  if (before.completed_at === null) return keptOf(after);
  return givenBack(before) === givenBack(after) ? keptOf(after) - keptOf(before) : 0n;
}

/** Money of a completed payment, as its link counts it. Minor units. */
export interface KeptMoney {
  readonly amount: bigint;
  readonly currency: string;
  /** Whether the payment completes with it; else it is more of one that is counted. */
  readonly isFirst: boolean;
}

/**
 * The columns of the link that counts the money. Of a link paid in parts what came counts, whatever the parts were to be:
 * `tolerance` is forgiven where that is missing of the whole amount, so once for each use.
 */
export function countedBy(link: LinkRow, money: KeptMoney, tolerance: Tolerance) {
  const own = link.collected + (money.currency === link.currency ? money.amount : 0n);
  const whole = link.allow_partial ? link.amount : null;
  const collected = whole === null ? own : filledUp(own, whole, tolerance);
  const before = BigInt(link.received[money.currency] ?? '0');
  return {
    uses: usesOf(link, whole === null ? link.uses + (money.isFirst ? 1 : 0) : Number(collected / whole)),
    collected,
    received: { ...link.received, [money.currency]: String(before + money.amount) },
  };
}

function filledUp(collected: bigint, amount: bigint, tolerance: Tolerance): bigint {
  const part = collected % amount;
  const isEnough = part > 0n && judgeReceived(amount, part, tolerance).phase === 'paid';
  return isEnough ? collected - part + amount : collected;
}

/** More than it is for may be kept, and is no further use. */
function usesOf({ max_uses: most }: LinkRow, times: number): number {
  return most !== null && times > most ? most : times;
}

/** What has come of a use that is not wholly paid yet, in minor units: of a link that is paid in parts. */
export function begunUse(link: LinkRow): bigint {
  if (!link.allow_partial || link.amount === null || isFull(link, link.uses)) return 0n;
  return link.collected % link.amount;
}

/** Whether a link with these uses has had all that it is for. */
export function isFull({ max_uses: most }: Pick<LinkRow, 'max_uses'>, uses: number): boolean {
  return most !== null && uses >= most;
}
