import { digitsOf, formatCardNumber, parseExpiry } from '../../core/card-number.ts';

/** Formats what stands in a field; `deleting` while the payer takes characters away. */
export type Format = (text: string, deleting: boolean) => string;

/** What a field shows after a keystroke, a paste or an autofill. */
export interface Typed {
  readonly text: string;
  readonly caret: number;
}

/** Digits of other scripts (Arabic, Persian, full-width) as ASCII digits: keyboards of those languages type them. */
export function latinDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹０-９]/g, digit => String(digit.charCodeAt(0) & 15));
}

/** What was done to a field: characters were taken away before or after the caret, or it was anything else. */
export type Stroke = 'backspace' | 'delete' | 'other';

/**
 * The field's text formatted anew, with the caret at the digit where it was. `before` is what the field showed. Taking
 * away a separator takes away the digit next to it; otherwise Backspace would stop at each blank.
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

/** The place in the text after which `count` digits follow. */
function caretBefore(text: string, count: number): number {
  let caret = text.length;
  for (let left = count; left > 0 && caret > 0; caret--) {
    if (/\d/.test(text[caret - 1] ?? '')) left--;
  }
  return caret;
}

/** Card numbers in the groups of their brand. */
export const formatNumber: Format = text => formatCardNumber(text);

/** Expiries as `MM / YY`; a first digit from 2 on, or one followed by a slash, is a month of one digit. */
export const formatExpiry: Format = (text, deleting) => {
  const iso = /^\s*\d{4}-\d{1,2}\s*$/.test(text) ? parseExpiry(text) : null;
  if (iso) return `${String(iso.month).padStart(2, '0')} / ${String(iso.year).slice(2)}`;
  let digits = digitsOf(text);
  if (/^\s*\d\s*[/.-]/.test(text) || /^[2-9]/.test(digits) || Number(digits.slice(0, 2)) > 12) digits = `0${digits}`;
  // A year that starts with 20 may be on its way to four digits.
  const year = digits.slice(2, digits.startsWith('20', 2) ? 6 : 4);
  const month = digits.slice(0, 2);
  return month.length < 2 || (deleting && year === '') ? month : `${month} / ${year}`;
};

/** Security codes of at most `longest` digits. */
export function formatCode(longest: () => number): Format {
  return text => digitsOf(text).slice(0, longest());
}

/** Autofill and scripts send events without a type: those replace the whole text. */
function strokeOf(event: Event): Stroke {
  const type = event instanceof InputEvent ? event.inputType : '';
  if (!type.startsWith('delete')) return 'other';
  return type.endsWith('Forward') ? 'delete' : 'backspace';
}

/** Keeps the input formatted while the payer types, pastes or lets the browser fill it in. */
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
