import type { Decline } from '../server/rails/card-rail.ts';

/** The outcome of a refund: `completed` at once, `pending` (completed later), `failed` later, or `refused` at once. */
export type RefundBehavior = 'completed' | 'pending' | 'failed' | 'refused';

interface CardBehavior {
  /**
   * `captured`: at once. `delayed`: captured later. `challenge`: 3-D Secure. `unanswered`: captured, but the response
   * is lost. `uncapturable`: every capture is declined, but an authorization succeeds. Any other value is a decline
   * code.
   */
  readonly charge: 'captured' | 'delayed' | 'challenge' | 'unanswered' | 'uncapturable' | Decline['code'];
  readonly refund: Exclude<RefundBehavior, 'refused'>;
}

const behaviors = {
  approved: { charge: 'captured', refund: 'completed' },
  delayed: { charge: 'delayed', refund: 'completed' },
  challenge: { charge: 'challenge', refund: 'completed' },
  unanswered: { charge: 'unanswered', refund: 'completed' },
  card_declined: { charge: 'card_declined', refund: 'completed' },
  insufficient_funds: { charge: 'insufficient_funds', refund: 'completed' },
  expired_card: { charge: 'expired_card', refund: 'completed' },
  incorrect_cvc: { charge: 'incorrect_cvc', refund: 'completed' },
  processing_error: { charge: 'processing_error', refund: 'completed' },
  uncapturable: { charge: 'uncapturable', refund: 'completed' },
  refund_pending: { charge: 'captured', refund: 'pending' },
  refund_failed: { charge: 'captured', refund: 'failed' },
} as const satisfies Record<string, CardBehavior>;

/** Names of behaviours, as stored with tokens. */
type BehaviorName = keyof typeof behaviors;

/** The behaviour with this name. Unknown names get `approved`. */
export function behaviorNamed(name: string): CardBehavior {
  return Object.hasOwn(behaviors, name) ? behaviors[name as BehaviorName] : behaviors.approved;
}

/** Card numbers with a behaviour. All other valid numbers are approved. */
const numbers: Readonly<Record<string, BehaviorName>> = {
  '4000000000000002': 'card_declined',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
  '4000002500003155': 'challenge',
  '4000000000000077': 'delayed',
  '4000000000000341': 'uncapturable',
  '4000000000007726': 'refund_pending',
  '4000000000005126': 'refund_failed',
};

/** The behaviour of a card number (digits only). */
export function behaviorOfNumber(digits: string): BehaviorName {
  return Object.hasOwn(numbers, digits) ? (numbers[digits] ?? 'approved') : 'approved';
}

export interface KnownCard {
  readonly brand: string;
  readonly last4: string;
  readonly behavior: CardBehavior;
}

const visa = (last4: string, name: BehaviorName): KnownCard => ({ brand: 'visa', last4, behavior: behaviors[name] });

/** Fixed test tokens, which can be used any number of times. */
const tokens: Readonly<Record<string, KnownCard>> = {
  tok_visa: visa('4242', 'approved'),
  tok_mastercard: { brand: 'mastercard', last4: '4444', behavior: behaviors.approved },
  tok_amex: { brand: 'amex', last4: '0005', behavior: behaviors.approved },
  tok_3ds: visa('3155', 'challenge'),
  tok_declined: visa('0002', 'card_declined'),
  tok_insufficient_funds: visa('9995', 'insufficient_funds'),
  tok_expired_card: visa('0069', 'expired_card'),
  tok_incorrect_cvc: visa('0127', 'incorrect_cvc'),
  tok_processing_error: visa('0119', 'processing_error'),
  tok_delayed: visa('0077', 'delayed'),
  tok_timeout: visa('4242', 'unanswered'),
  tok_uncapturable: visa('0341', 'uncapturable'),
  tok_refund_pending: visa('7726', 'refund_pending'),
  tok_refund_failed: visa('5126', 'refund_failed'),
};

/** The card of a fixed test token, or null. */
export function fixedToken(token: string): KnownCard | null {
  return Object.hasOwn(tokens, token) ? (tokens[token] ?? null) : null;
}

/** Messages for the payer, by decline code. */
export const declineMessages: Readonly<Record<Decline['code'], string>> = {
  card_declined: 'The bank declined this card. Nothing was taken. Try another card, or ask the bank that issued it.',
  insufficient_funds: 'There is not enough money on this card. Nothing was taken. Try another card.',
  expired_card: 'This card has expired. Nothing was taken. Try another card.',
  incorrect_cvc: 'The security code is not right. Nothing was taken. Check it and try again.',
  processing_error: 'The card could not be processed just now. Nothing was taken. Try again in a moment.',
  authentication_failed:
    'The bank could not confirm that it is you. Nothing was taken. Try again, or try another card.',
  invalid_token: 'This card entry was already used. Enter the card again.',
};
