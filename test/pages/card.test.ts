import { describe, expect, it } from 'vitest';
import type { CardField } from '../../src/api/card-frame.ts';
import { problemOf } from '../../src/pages/card-frame/card.ts';

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

  it('of American Express needs the four digits on its front', () => {
    const amex = { ...right, number: '3782 822463 10005' };
    expect(problemOf('cvc', amex, rules)).toBe('cvcInvalid');
    expect(problemOf('cvc', { ...amex, cvc: '1234' }, rules)).toBeNull();
  });
});
