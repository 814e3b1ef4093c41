import { isValidPhoneNumber } from 'libphonenumber-js/mobile';
import { describe, expect, it } from 'vitest';
import { mobileMoneyMarkets } from '../../src/core/mobile-money/markets.ts';
import { digitsOf } from '../../src/element/methods/phone-number.ts';

describe('the digits of mobile numbers in the checkout', () => {
  it.each(mobileMoneyMarkets.map(({ provider, country, prefixes }) => [provider, country, prefixes] as const))(
    'of %s in %s are those of libphonenumber',
    (_provider, country, prefixes) => {
      const isValid = (prefix: string, digits: number) =>
        isValidPhoneNumber(prefix.padEnd(digits, '1'), country as 'UG');
      const valid = [7, 8, 9, 10, 11].filter(digits => prefixes.some(prefix => isValid(prefix, digits)));
      expect(valid).toEqual([digitsOf(country)]);
    },
  );
});
