import { describe, expect, it } from 'vitest';
import { unitOf, unitText } from '../../src/core/unit.ts';

const usdc = 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const stellarMost = 2n ** 63n - 1n;

describe('the unit of amounts', () => {
  it.each([
    ['EUR', { code: 'EUR', decimals: 2, most: 2n ** 53n - 1n }],
    ['JPY', { code: 'JPY', decimals: 0, most: 2n ** 53n - 1n }],
    ['XLM', { code: 'XLM', decimals: 7, most: stellarMost }],
    ['USDC', { code: 'USDC', decimals: 7, most: stellarMost }],
    [usdc, { code: 'USDC', decimals: 7, most: stellarMost }],
  ])('of %s', (text, unit) => {
    expect(unitOf(text)).toEqual(unit);
  });

  it.each(['', 'two words', 'CODE:', 'TOO-LONG-A-CODE', 'eip155:1/slip44:60'])('is unknown for “%s”', text => {
    expect(() => unitOf(text)).toThrow(RangeError);
  });

  it.each([
    [1250n, 'EUR', '12.50'],
    [30_000_000n, usdc, '3.0000000'],
  ])('writes %s of %s as %s', (amount, unit, text) => {
    expect(unitText(amount, unit)).toBe(text);
  });
});
