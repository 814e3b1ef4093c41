import type { CardField, CardFrameStrings } from '../../api/card-frame.ts';
import { detectBrand, digitsOf, isCardNumber, isExpired, parseExpiry } from '../../core/card-number.ts';

/** Texts of the four fields. */
export type CardInputs = Readonly<Record<CardField, string>>;

/** Accepted brands, and the current time on the payment's clock. */
export interface CardRules {
  readonly brands: readonly string[];
  readonly now: Date;
}

/** Length of the security code; the longest of all brands while the brand is unknown. */
export function codeLength(number: string): number {
  return detectBrand(number)?.cvcLength ?? 4;
}

/** Name of the error text for a field, or null if the field is correct. */
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
