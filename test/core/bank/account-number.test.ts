import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeNubanCheckDigit,
  isBic,
  isBicOfCountry,
  isBicOfIban,
  isClabe,
  isNuban,
  isUkAccountNumber,
  parseSortCode,
} from '../../../src/core/bank/account-number.ts';

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));

describe('a BIC', () => {
  test.each(['DEUTDEFF', 'deutdeff500', 'SBOXLT20', 'NEDSZAJJXXX'])('%s has the right form', bic => {
    expect(isBic(bic)).toBe(true);
  });

  test.each(['', 'DEUTDEF', 'DEUTDEFF5', 'DEUTDEFF50', 'DEUT1EFF', 'DEUTDEFF5000', 'DEUT DEFF', 'DÉUTDEFF'])(
    '%j has a wrong form',
    bic => {
      expect(isBic(bic)).toBe(false);
    },
  );

  test.each([
    ['DEUTDEFF', 'DE89370400440532013000', true],
    ['deutdeff', 'de89 3704 0044 0532 0130 00', true],
    ['BNPAFRPP', 'DE89370400440532013000', false],
    ['BNPAMQMX', 'FR1420041010050500013M02606', true],
    ['BARCJESH', 'GB29NWBK60161331926819', true],
    ['BARCJESH', 'DE89370400440532013000', false],
    ['DEUTDEFF', 'DE89370400440532013001', false],
    ['DEUTDE', 'DE89370400440532013000', false],
  ])('%s with the IBAN %s: %s', (bic, iban, fits) => {
    expect(isBicOfIban(bic, iban)).toBe(fits);
  });

  test('belongs to the country that it names', () => {
    expect(isBicOfCountry('NEDSZAJJ', 'za')).toBe(true);
    expect(isBicOfCountry('NEDSZAJJ', 'NG')).toBe(false);
  });
});

describe('a Nigerian account number', () => {
  test.each([
    ['011', '0000014579'],
    ['058', '0152792740'],
  ])('of bank %s: %s is right', (bank, account) => {
    expect(computeNubanCheckDigit(bank, account.slice(0, 9))).toBe(account[9]);
    expect(isNuban(account, bank)).toBe(true);
  });

  test('has one check digit for every bank and serial', () => {
    fc.assert(
      fc.property(fc.oneof(digits(3), digits(5), digits(6)), digits(9), (bank, serial) => {
        const right = '0123456789'.split('').filter(digit => isNuban(`${serial}${digit}`, bank));
        expect(right).toEqual([computeNubanCheckDigit(bank, serial)]);
      }),
    );
  });

  test('detects each single wrong digit', () => {
    fc.assert(
      fc.property(digits(3), digits(9), fc.nat(8), fc.integer({ min: 1, max: 9 }), (bank, serial, at, by) => {
        const wrong = [...serial].map((digit, index) => (index === at ? (Number(digit) + by) % 10 : digit)).join('');
        expect(isNuban(`${wrong}${computeNubanCheckDigit(bank, serial)}`, bank)).toBe(false);
      }),
    );
  });

  test.each([
    ['0000014578', '011'],
    ['000001457', '011'],
    ['0000014579', '01'],
    ['0000014579', '0110'],
    ['٠٠٠٠٠١٤٥٧٩', '011'],
  ])('%s of bank %s is refused', (account, bank) => {
    expect(isNuban(account, bank)).toBe(false);
  });
});

describe('a CLABE', () => {
  test.each(['032180000118359719', '002010077777777771'])('%s is right', clabe => {
    expect(isClabe(clabe)).toBe(true);
  });

  test('detects each single wrong digit', () => {
    fc.assert(
      fc.property(fc.nat(17), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const right = [...'032180000118359719'];
        right[at] = String((Number(right[at]) + by) % 10);
        expect(isClabe(right.join(''))).toBe(false);
      }),
    );
  });

  test.each(['', '03218000011835971', '0321800001183597190', '03218000011835971x'])('%j is refused', clabe => {
    expect(isClabe(clabe)).toBe(false);
  });
});

describe('British accounts', () => {
  test.each([
    ['20-00-00', '200000'],
    ['20 00 00', '200000'],
    ['200000', '200000'],
    ['20-0000', null],
    ['20000', null],
    ['2000000', null],
    ['20-00-0x', null],
  ])('the sort code %s is %s', (text, code) => {
    expect(parseSortCode(text)).toBe(code);
  });

  test('have numbers of eight digits', () => {
    expect(['55779911', '00000000'].every(isUkAccountNumber)).toBe(true);
    expect(['5577991', '557799111', '5577991a'].some(isUkAccountNumber)).toBe(false);
  });
});
