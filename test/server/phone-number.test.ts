import { describe, expect, test } from 'vitest';
import { parsePhoneNumber } from '../../src/server/platform/phone-number.ts';

describe('parsePhoneNumber', () => {
  test.each([
    ['+254712345678', '+254712345678'],
    [' +254 712-345 678 ', '+254712345678'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['+225 07.08.09.10.11', '+2250708091011'],
    ['+254 0712 345678', '+254712345678'],
  ])('reads %s', (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
  });

  test.each([
    ['0712345678', 'no country'],
    ['254712345678', 'no plus sign'],
    ['00254712345678', 'a dialling prefix, which differs by country'],
    ['+1202555012', 'a digit too few'],
    ['+25471234567890', 'digits too many'],
    ['+999123456789', 'an unknown country'],
    ['+254712345678 ext 5', 'an extension'],
    ['call +254712345678', 'words'],
    ['+', 'nothing'],
    ['', 'nothing'],
  ])('refuses %s: %s', text => {
    expect(parsePhoneNumber(text)).toBeNull();
  });
});
