import { detectBrand, digitsOf, formatCardNumber, parseExpiry } from '../../core/card/card-number.ts';

/** Formats the text of a field. `deleting`: the payer is deleting characters. */
export type Format = (text: string, deleting: boolean) => string;

/** Text and caret position of a field after a keystroke, a paste or an autofill. */
export interface Typed {
  readonly text: string;
  readonly caret: number;
}

/** Replaces Arabic, Persian and full-width digits, which some keyboards type, by ASCII digits. */
export function latinDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹０-９]/g, digit => String(digit.charCodeAt(0) & 15));
}

/** Kind of change: deletion before the caret, deletion after the caret, or any other change. */
export type Stroke = 'backspace' | 'delete' | 'other';

/**
 * Formats the text again and keeps the caret at its digit. `before` is the previous text. Deleting a separator also
 * deletes the digit next to it. Otherwise the formatting would add the separator again at once.
 */
export function retype(before: string, raw: string, caret: number, format: Format, stroke: Stroke): Typed {
  let head = latinDigits(raw.slice(0, caret));
  let tail = latinDigits(raw.slice(caret));
  if (stroke !== 'other' && digitsOf(head + tail) === digitsOf(before)) {
    if (stroke === 'delete') tail = tail.replace(/^\D*\d/, '');
    else head = head.replace(/\d\D*$/, '');
  }
  const text = format(head + tail, stroke !== 'other');
  const dropped = Math.max(0, digitsOf(head + tail).length - digitsOf(text).length);
  return { text, caret: caretBefore(text, digitsOf(tail).length - dropped) };
}

/** The position in the text at which `count` digits remain on the right. */
function caretBefore(text: string, count: number): number {
  let caret = text.length;
  for (let left = count; left > 0 && caret > 0; caret--) {
    if (/\d/.test(text[caret - 1] ?? '')) left--;
  }
  return caret;
}

/** Groups the digits of a card number as its brand does. */
export const formatNumber: Format = text => formatCardNumber(text);

/**
 * Formats an expiry date as `MM / YY`. A month with one digit gets a zero: a first digit from 2 to 9, a single digit
 * before a separator, or the first digit of a number above 12.
 */
export const formatExpiry: Format = (text, deleting) => {
  const iso = /^\s*\d{4}-\d{1,2}\s*$/.test(text) ? parseExpiry(text) : null;
  if (iso) return `${String(iso.month).padStart(2, '0')} / ${String(iso.year).slice(2)}`;
  let digits = digitsOf(text);
  if (/^\s*\d\s*[/.-]/.test(text) || /^[2-9]/.test(digits) || Number(digits.slice(0, 2)) > 12) digits = `0${digits}`;
  // A year that begins with 20 may have four digits.
  const year = digits.slice(2, digits.startsWith('20', 2) ? 6 : 4);
  const month = digits.slice(0, 2);
  return month.length < 2 || (deleting && year === '') ? month : `${month} / ${year}`;
};

/** Limits a security code to the brand's number of digits. For an unknown brand, to four digits. */
export function formatCode(number: { readonly value: string }): Format {
  return text => digitsOf(text).slice(0, detectBrand(number.value)?.cvcLength ?? 4);
}

/** The kind of change. Events of autofill and scripts may have no type, and count as `other`. */
function strokeOf(event: Event): Stroke {
  const type = event instanceof InputEvent ? event.inputType : '';
  if (!type.startsWith('delete')) return 'other';
  return type.endsWith('Forward') ? 'delete' : 'backspace';
}

/** Keeps the input formatted during typing, pasting and autofill. */
export function keepFormatted(input: HTMLInputElement, format: Format): void {
  let shown = input.value;
  input.addEventListener('input', event => {
    const typed = retype(shown, input.value, input.selectionStart ?? input.value.length, format, strokeOf(event));
    if (typed.text !== input.value) {
      input.value = typed.text;
      if (document.activeElement === input) input.setSelectionRange(typed.caret, typed.caret);
    }
    shown = typed.text;
  });
}
