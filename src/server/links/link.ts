import type { Selectable } from 'kysely';
import type { LinkState, LinkStatus } from '../../api/link.ts';
import type { PaymentPhase } from '../../api/payment.ts';
import { defineMachine } from '../../core/machine.ts';
import type { PaymentLinksTable } from '../db/link-tables.ts';

/** A link as the database holds it. */
export type LinkRow = Selectable<PaymentLinksTable>;

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
export interface HeldPlaces {
  readonly count: number;
  readonly amount: bigint;
}

/**
 * Whether one more payment of the amount fits. A link paid in parts is full by money: its uses times its amount; any
 * other by the number of payments.
 */
export function hasRoom(link: LinkRow, held: HeldPlaces, amount: bigint): boolean {
  if (link.max_uses === null) return true;
  if (link.allow_partial && link.amount !== null) {
    return link.collected + held.amount + amount <= link.amount * BigInt(link.max_uses);
  }
  return link.uses + held.count < link.max_uses;
}

/** Phases in which a payment's money is on its way, so that nobody else may have its place. */
const heldPhases: ReadonlySet<PaymentPhase> = new Set([
  'processing',
  'requires_action',
  'confirming',
  'partially_paid',
]);

/** Whether a payment in the phase holds its place on the link. */
export function holdsPlace(phase: PaymentPhase): boolean {
  return heldPhases.has(phase);
}

const restingPhases: ReadonlySet<PaymentPhase> = new Set(['awaiting_payer', 'awaiting_funds']);
const begunPhases: ReadonlySet<PaymentPhase> = new Set(['awaiting_funds', 'processing', 'confirming']);

/** Whether the step is a payer's own, who begins to pay: only then must the link be open. Money that is on its way counts. */
export function beginsToPay(from: PaymentPhase, to: PaymentPhase): boolean {
  return from !== to && restingPhases.has(from) && begunPhases.has(to);
}

/** A payment that has completed, as its link counts it. Minor units. */
export interface CompletedPayment {
  readonly amount: bigint;
  readonly received: bigint;
  readonly currency: string;
}

/** The columns of the link that counts the payment. */
export function countedBy(link: LinkRow, payment: CompletedPayment) {
  const isOwnCurrency = payment.currency === link.currency;
  const collected = link.collected + (isOwnCurrency ? payment.amount : 0n);
  const uses = link.allow_partial && link.amount !== null ? Number(collected / link.amount) : link.uses + 1;
  const before = BigInt(link.received[payment.currency] ?? '0');
  return {
    uses,
    collected,
    received: { ...link.received, [payment.currency]: String(before + payment.received) },
  };
}

/** Whether a link with these uses has had all that it is for. */
export function isFull({ max_uses: most }: Pick<LinkRow, 'max_uses'>, uses: number): boolean {
  return most !== null && uses >= most;
}
