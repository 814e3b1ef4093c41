import { describe, expect, test } from 'vitest';
import { isRoutingNumber } from '../../src/core/bank/aba.ts';

describe('isRoutingNumber', () => {
  test.each(['110000000', '021000021', '011401533', '322271627', '122105155', '091000019'])('accepts %s', number => {
    expect(isRoutingNumber(number)).toBe(true);
  });

  test.each([
    ['110000001', 'a wrong check digit'],
    ['012000021', 'two digits exchanged'],
    ['11000000', 'a digit too few'],
    ['1100000000', 'a digit too many'],
    ['990000004', 'a range that is not assigned'],
    ['000000000', 'zeros'],
    ['11000000a', 'a letter'],
    ['', 'nothing'],
  ])('refuses %s: %s', number => {
    expect(isRoutingNumber(number)).toBe(false);
  });
});
