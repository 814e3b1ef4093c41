import type { TemplateResult } from 'lit';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalsOf } from '../../element/money-text.ts';
import type { FormTexts } from './action-dialog.ts';
import { formField } from './form-field.ts';
import { moneyWords } from './values.ts';

/** A currency and the largest amount that may be typed, in minor units. */
interface Cap {
  readonly currency: string;
  readonly most: number;
}

/** The typed amount in minor units. Null if the text is not a number, or the amount is zero or above `most`. */
export function cappedAmount(texts: FormTexts, { currency, most }: Cap): number | null {
  const amount = parseAmount(texts['amount'] ?? '', decimalsOf(currency), '.');
  return amount !== null && amount > 0 && amount <= most ? amount : null;
}

/** The field `amount` of an action. Its hint names the largest amount. An invalid or larger amount shows an error. */
export function cappedAmountField(label: string, cap: Cap) {
  const most = moneyWords(cap.most, cap.currency);
  return (texts: FormTexts, errors: FormTexts, type: (name: string, text: string) => void): TemplateResult => {
    const text = texts['amount'] ?? '';
    const isWrong = text !== '' && cappedAmount(texts, cap) === null;
    return formField({
      label: `${label} (${cap.currency})`,
      name: 'amount',
      value: text,
      inputMode: 'decimal',
      required: true,
      hint: `At most ${most}`,
      error: errors['amount'] ?? (isWrong ? `Type an amount up to ${most}.` : undefined),
      onInput: value => type('amount', value),
    });
  };
}
