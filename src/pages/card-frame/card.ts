import type { CardField, CardFrameStrings } from '../../api/card-frame.ts';
import { isCardNumber, isExpired } from '../../core/card/card-check.ts';
import { detectBrand, digitsOf, parseExpiry } from '../../core/card/card-number.ts';
import type { CardInputs } from './card-form.ts';

/** Accepted brands. `now`: the time on the payment's clock when the frame was loaded. */
export interface CardRules {
  readonly brands: readonly string[];
  readonly now: Date;
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
