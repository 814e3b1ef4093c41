import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toLatinText } from '../../../src/core/bank/latin-text.ts';

describe('texts for banks', () => {
  test.each([
    ['Ada Lovelace', 'Ada Lovelace'],
    ['Zoë Müller-Strauß', 'Zoe Muller-Strauss'],
    ['Łukasz Żółć', 'Lukasz Zolc'],
    ['Søren Ærø', 'Soren Aero'],
    ['Straße & Söhne', 'Strasse + Sohne'],
    ['Владимир Щукин', 'Vladimir Shtukin'],
    ['Чайковский Ёлкин', 'Chaykovskiy Elkin'],
    ['Чайковский Ёлкин'.normalize('NFD'), 'Chaykovskiy Elkin'],
    ['Γιώργος Παπαδόπουλος', 'Giorgos Papadopoylos'],
    ['中村', '..'],
    ['//Invoice// 12/', 'Invoice/ 12'],
    ['a\u0000b\nc', 'a b c'],
    ['payout_12', 'payout-12'],
  ])('%j is %j', (text, latin) => {
    expect(toLatinText(text, 70)).toBe(latin);
  });

  test('have the characters of SEPA alone, and no more than allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 140 }), (text, most) => {
        const latin = toLatinText(text, most);
        expect(latin).toMatch(/^[A-Za-z0-9/?:().,'+ -]*$/);
        expect(latin).not.toMatch(/^\/|\/$|\/\//);
        expect(latin.length).toBeLessThanOrEqual(most);
        expect(toLatinText(latin, most)).toBe(latin);
      }),
    );
  });
});
