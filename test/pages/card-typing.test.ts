import { describe, expect, it } from 'vitest';
import type { CardField } from '../../src/api/card-frame.ts';
import { problemOf } from '../../src/pages/card-frame/card.ts';
import { type Format, formatCode, formatExpiry, formatNumber, retype } from '../../src/pages/card-frame/typing.ts';

/** Presses keys in a field one by one. `|` marks the caret. */
function press(format: Format, start: string, ...keys: string[]): string {
  let caret = start.indexOf('|');
  let text = start.replace('|', '');
  for (const key of keys) {
    const before = text;
    const deleted = { Backspace: [caret - 1, caret], Delete: [caret, caret + 1] }[key];
    const [from, to] = deleted ?? [caret, caret];
    const raw = text.slice(0, Math.max(0, from ?? 0)) + (deleted ? '' : key) + text.slice(to);
    const at = deleted ? Math.max(0, from ?? 0) : caret + key.length;
    const stroke = key === 'Backspace' ? 'backspace' : key === 'Delete' ? 'delete' : 'other';
    ({ text, caret } = retype(before, raw, at, format, stroke));
  }
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

describe('a card number', () => {
  it.each([
    ['typed digit by digit', '|', [...'4242424242424242'], '4242 4242 4242 4242|'],
    ['pasted with blanks', '|', ['4242 4242 4242 4242'], '4242 4242 4242 4242|'],
    ['pasted with dashes and a line end', '|', ['4242-4242-4242-4242\n'], '4242 4242 4242 4242|'],
    ['of American Express', '|', [...'378282246310005'], '3782 822463 10005|'],
    ['of 19 digits', '|', ['6205500000000000004'], '6205 5000 0000 0000 004|'],
    ['with more digits than its brand has', '|', ['37828224631000599'], '3782 822463 10005|'],
    ['in Arabic digits', '|', ['٤٢٤٢٤'], '4242 4|'],
    ['in full-width digits', '|', ['４２４２４'], '4242 4|'],
    ['corrected in the middle', '4242 4|42', ['1'], '4242 41|42'],
    ['with a digit inserted into a full field', '37|82 822463 10005', ['9'], '379|8 282246 31000'],
    ['with Backspace after a space', '4242 |4', ['Backspace'], '424|4'],
    ['with Delete before a space', '4242| 42', ['Delete'], '4242 |2'],
    ['emptied from the end', '4242 4|', Array(5).fill('Backspace'), '|'],
    ['with letters typed into it', '42|', ['x'], '42|'],
  ])('%s stays in groups with the caret at its digit', (_, start, keys, expected) => {
    expect(press(formatNumber, start, ...keys)).toBe(expected);
  });
});

describe('an expiry date', () => {
  it.each([
    ['typed without a slash', '|', [...'1229'], '12 / 29|'],
    ['typed with a slash', '|', [...'12/29'], '12 / 29|'],
    ['of a month of one digit', '|', [...'429'], '04 / 29|'],
    ['of January with a slash', '|', [...'1/29'], '01 / 29|'],
    ['whose first two digits are not a month', '|', [...'13'], '01 / 3|'],
    ['with a year of four digits', '|', [...'122029'], '12 / 2029|'],
    ['filled in as MM/YY', '|', ['12/29'], '12 / 29|'],
    ['filled in as YYYY-MM', '|', ['2029-04'], '04 / 29|'],
    ['filled in as MM/YYYY', '|', ['04/2029'], '04 / 2029|'],
    ['with Backspace after the slash', '12 / |', ['Backspace'], '1|'],
    ['emptied from the end', '12 / 29|', Array(4).fill('Backspace'), '|'],
  ])('%s is formatted as MM / YY', (_, start, keys, expected) => {
    expect(press(formatExpiry, start, ...keys)).toBe(expected);
  });
});

describe('a field', () => {
  it('that is autofilled with the same text keeps all of it', () => {
    const over = (format: Format, before: string, raw: string) => retype(before, raw, raw.length, format, 'other').text;
    expect(over(formatExpiry, '12 / 29', '12/29')).toBe('12 / 29');
    expect(over(formatNumber, '4242 4242 4242 4242', '4242424242424242')).toBe('4242 4242 4242 4242');
  });
});

describe('a security code', () => {
  it('has as many digits as the brand’s code', () => {
    expect(press(formatCode({ value: '4' }), '|', ...'12 3x4')).toBe('123|');
    expect(press(formatCode({ value: '37' }), '|', ...'12345')).toBe('1234|');
  });
});

const rules = { brands: ['visa', 'amex', 'unionpay'], now: new Date('2026-11-21T10:00:00Z') };
const right = { number: '4242 4242 4242 4242', expiry: '12 / 29', cvc: '123', name: 'Jo Long' };

describe('a card', () => {
  it.each<[CardField, string, string | null]>([
    ['number', right.number, null],
    ['number', '6205 5000 0000 0000 004', null],
    ['number', '', 'numberMissing'],
    ['number', '4242 4242 4242 4241', 'numberInvalid'],
    ['number', '4242 4242 4242', 'numberInvalid'],
    ['number', '5555 5555 5555 4444', 'numberUnsupported'],
    ['expiry', '11 / 26', null],
    ['expiry', '12 / 2029', null],
    ['expiry', '', 'expiryMissing'],
    ['expiry', '10 / 26', 'expiryPast'],
    ['expiry', '00 / 29', 'expiryInvalid'],
    ['expiry', '12', 'expiryInvalid'],
    ['cvc', '12', 'cvcInvalid'],
    ['cvc', '', 'cvcMissing'],
    ['name', '   ', 'nameMissing'],
    ['name', '王', null],
  ])('whose %s is "%s" has the problem %s', (field, text, expected) => {
    expect(problemOf(field, { ...right, [field]: text }, rules)).toBe(expected);
  });

  it('of American Express needs the four-digit code', () => {
    const amex = { ...right, number: '3782 822463 10005' };
    expect(problemOf('cvc', amex, rules)).toBe('cvcInvalid');
    expect(problemOf('cvc', { ...amex, cvc: '1234' }, rules)).toBeNull();
  });
});
