/**
 * An independent model of a payment: its amounts, and the calls that it refuses. Tests compare the service with the
 * model.
 */
export interface Oracle {
  readonly amount: number;
  phase: string;
  exception: string | null;
  received: number;
  refunded: number;
  /** Received, but not yet the merchant's. */
  suspense: number;
  isToldToTransfer: boolean;
  declines: number;
  quoteEnds: number;
  sessionEnds: number;
  /** A card is authorized first, and captured later. */
  readonly isManual: boolean;
}

/** HTTP status, and the error code of an error. */
export type Outcome = readonly [number, string?];

const quoteSeconds = 900;
const graceSeconds = 600;
const sessionSeconds = 86_400;
const authorizationSeconds = 7 * 86_400;
const statuses: Readonly<Record<string, string>> = {
  awaiting_payer: 'pending',
  awaiting_funds: 'pending',
  partially_paid: 'pending',
  authorized: 'pending',
  paid: 'completed',
  partially_refunded: 'completed',
  refunded: 'refunded',
  declined: 'failed',
  expired: 'failed',
  canceled: 'failed',
};

/** A new payment; times are in seconds. */
export function newOracle(amount: number, now: number, isManual = false): Oracle {
  return {
    isManual,
    amount,
    phase: 'awaiting_payer',
    exception: null,
    received: 0,
    refunded: 0,
    suspense: 0,
    isToldToTransfer: false,
    declines: 0,
    quoteEnds: now + quoteSeconds,
    sessionEnds: now + sessionSeconds,
  };
}

/** One unit is dust, so it is no part. */
const hasPart = ({ received }: Oracle) => received > 1;

export const statusOf = (oracle: Oracle): string => statuses[oracle.phase] ?? '';

/** Moves the time. The end of the session, or of a card's authorization, ends the payment. */
export function passTime(oracle: Oracle, now: number): void {
  if (statusOf(oracle) === 'pending' && now >= oracle.sessionEnds) oracle.phase = 'expired';
}

function whyNotPayable(oracle: Oracle, now: number): Outcome | null {
  const status = statusOf(oracle);
  if (status === 'completed' || status === 'refunded') return [409, 'payment_already_settled'];
  if (oracle.phase === 'expired') return [409, 'payment_expired'];
  if (status === 'failed') return [409, 'illegal_state'];
  if (oracle.phase === 'authorized') return [409, 'payment_in_flight'];
  return now >= oracle.quoteEnds ? [409, 'quote_expired'] : null;
}

export function requote(oracle: Oracle, now: number): Outcome {
  const refused = whyNotPayable({ ...oracle, quoteEnds: now + 1 }, now);
  if (refused) return refused;
  // A quote that lasts for more than five seconds is kept.
  if (oracle.quoteEnds - now > 5) return [200];
  oracle.quoteEnds = Math.min(now + quoteSeconds, oracle.sessionEnds);
  return [200];
}

export function payByCard(oracle: Oracle, isGood: boolean, now: number): Outcome {
  const refused = whyNotPayable(oracle, now);
  if (refused) return refused;
  if (isGood && oracle.isManual) {
    oracle.phase = 'authorized';
    oracle.sessionEnds = now + authorizationSeconds;
    return [200];
  }
  if (isGood) {
    receive(oracle, oracle.amount - oracle.received);
    return [200];
  }
  oracle.declines++;
  oracle.phase = hasPart(oracle) ? 'partially_paid' : oracle.declines >= 10 ? 'declined' : 'awaiting_payer';
  return [402, 'card_declined'];
}

/** Captures `amount` of an authorized card, or all of it. It completes the payment, after its quote with a new one. */
export function capture(oracle: Oracle, amount: number | null, now: number): Outcome {
  if (!oracle.isManual) return [409, 'illegal_state'];
  const status = statusOf(oracle);
  if (status === 'completed' || status === 'refunded') return [409, 'payment_already_settled'];
  if (oracle.phase === 'expired') return [409, 'payment_expired'];
  if (oracle.phase !== 'authorized') return [409, 'illegal_state'];
  const most = oracle.amount - oracle.received;
  if ((amount ?? most) > most) return [400, 'amount_out_of_range'];
  if (now >= oracle.quoteEnds) oracle.quoteEnds = Math.min(now + quoteSeconds, oracle.sessionEnds);
  oracle.received += amount ?? most;
  oracle.suspense = 0;
  oracle.phase = 'paid';
  oracle.exception = null;
  return [200];
}

export function askForTransfer(oracle: Oracle, now: number): Outcome {
  const refused = whyNotPayable(oracle, now);
  if (refused) return refused;
  oracle.isToldToTransfer = true;
  oracle.phase = hasPart(oracle) ? 'partially_paid' : 'awaiting_funds';
  return [200];
}

/** Money arrives for the payment, in any state. */
export function receive(oracle: Oracle, value: number): void {
  oracle.received += value;
  const status = statusOf(oracle);
  const slack = Math.max(Math.round((oracle.amount * 50) / 10_000), 1);
  if (status !== 'pending') {
    oracle.suspense += value;
    // One unit is dust.
    if (value > 1 || oracle.suspense > slack) oracle.exception = status === 'failed' ? 'paid_late' : 'overpaid';
    return;
  }
  const isEnough = oracle.received >= oracle.amount - Math.min(slack, oracle.amount - 1);
  if (!isEnough && !hasPart(oracle)) {
    oracle.suspense = oracle.received;
    return;
  }
  const excess = Math.max(oracle.received - oracle.amount, 0);
  const partly = oracle.phase === 'authorized' ? 'authorized' : 'partially_paid';
  oracle.phase = isEnough ? 'paid' : partly;
  oracle.suspense = isEnough ? excess : oracle.received;
  oracle.exception = isEnough ? (excess > slack ? 'overpaid' : null) : 'underpaid';
}

/** Money arrives by bank. After quote and grace, it brings the open payment a quote at the rate of its arrival. */
export function receiveByBank(oracle: Oracle, value: number, now: number): void {
  receive(oracle, value);
  const isOver = now >= oracle.quoteEnds + graceSeconds;
  if (isOver && statusOf(oracle) === 'pending' && hasPart(oracle)) {
    oracle.quoteEnds = Math.min(now + quoteSeconds, oracle.sessionEnds);
  }
}

export function cancel(oracle: Oracle): Outcome {
  const status = statusOf(oracle);
  if (oracle.phase === 'canceled') return [200];
  if (status !== 'pending') return [409, 'illegal_state'];
  if (hasPart(oracle)) return [409, 'payment_in_flight'];
  oracle.phase = 'canceled';
  return [200];
}

/** Refunds `amount`, or the whole remaining amount. */
export function refund(oracle: Oracle, amount: number | null): Outcome {
  const most = oracle.received - oracle.refunded;
  if (statusOf(oracle) === 'pending' || most === 0) return [409, 'illegal_state'];
  const wanted = amount ?? most;
  if (wanted > most) return [400, 'refund_exceeds_payment'];
  giveBack(oracle, wanted, Math.max(wanted - (most - oracle.suspense), 0));
  return [201];
}

function giveBack(oracle: Oracle, amount: number, fromSuspense: number): void {
  const isCompleted = statusOf(oracle) === 'completed';
  oracle.suspense -= fromSuspense;
  if (fromSuspense > 0 && oracle.suspense === 0) oracle.exception = null;
  oracle.refunded += amount;
  if (isCompleted && oracle.refunded === oracle.received) oracle.phase = 'refunded';
  else if (isCompleted && fromSuspense < amount) oracle.phase = 'partially_refunded';
}

/** Whether the merchant has to accept or to return money. */
export function requiresDecision(oracle: Oracle): boolean {
  const mayDecide = statusOf(oracle) !== 'pending' || ['partially_paid', 'authorized'].includes(oracle.phase);
  return oracle.exception !== null && oracle.suspense > 0 && mayDecide;
}

export function resolve(oracle: Oracle, action: 'accept' | 'refund'): Outcome {
  const isOpen = statusOf(oracle) === 'pending';
  const isPartly = oracle.phase === 'partially_paid' || (oracle.phase === 'authorized' && hasPart(oracle));
  if (oracle.suspense === 0 || (isOpen && !isPartly)) {
    const outcome: Outcome = oracle.exception === null ? [409, 'illegal_state'] : [200];
    oracle.exception = null;
    return outcome;
  }
  if (action === 'refund') {
    oracle.exception = null;
    if (isOpen) oracle.phase = 'canceled';
    giveBack(oracle, oracle.suspense, oracle.suspense);
    return [200];
  }
  // A fully refunded payment stays refunded: its surplus can only be returned.
  if (oracle.phase === 'refunded') return [409, 'illegal_state'];
  if (statusOf(oracle) !== 'completed') oracle.phase = 'paid';
  oracle.suspense = 0;
  oracle.exception = null;
  return [200];
}
