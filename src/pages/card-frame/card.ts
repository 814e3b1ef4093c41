import type { CardField, CardFrameStrings } from '../../api/card-frame.ts';
import { detectBrand, digitsOf, isCardNumber, isExpired, parseExpiry } from '../../core/card-number.ts';

/** What stands in the four fields. */
export type CardInputs = Readonly<Record<CardField, string>>;

/** Which cards are taken, and the day on the payment's clock. */
export interface CardRules {
  readonly brands: readonly string[];
  readonly now: Date;
}

/** Digits of the security code: what the brand prints, or as many as any brand prints while it is unknown. */
export function codeLength(number: string): number {
  return detectBrand(number)?.cvcLength ?? 4;
}

/** What is wrong with the field, as the name of the text that says so; null when it is right. */
export function problemOf(field: CardField, card: CardInputs, rules: CardRules): keyof CardFrameStrings | null {
  const text = card[field].trim();
  if (text === '') return `${field}Missing`;
  return { number: numberProblem, expiry: expiryProblem, cvc: codeProblem, name: () => null }[field](text, card, rules);
}

function numberProblem(text: string, _card: CardInputs, rules: CardRules) {
  if (!isCardNumber(text)) return 'numberInvalid';
  const brand = detectBrand(text)?.brand;
  return brand !== undefined && rules.brands.includes(brand) ? null : 'numberUnsupported';
}

function expiryProblem(text: string, _card: CardInputs, rules: CardRules) {
  const expiry = parseExpiry(text);
  if (!expiry) return 'expiryInvalid';
  return isExpired(expiry, rules.now) ? 'expiryPast' : null;
}

function codeProblem(text: string, card: CardInputs) {
  const brand = detectBrand(card.number);
  const count = digitsOf(text).length;
  return (brand ? count === brand.cvcLength : count >= 3) ? null : 'cvcInvalid';
}
