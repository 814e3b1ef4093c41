import { describe, expect, test } from 'vitest';
import { isCardNumber, isExpired, isLuhnValid } from '../../src/core/card/card-check.ts';
import { cardBrands, detectBrand, formatCardNumber, parseExpiry } from '../../src/core/card/card-number.ts';

describe('detectBrand', () => {
  test.each([
    ['4', 'visa'],
    ['4242 4242 4242 4242', 'visa'],
    ['51', 'mastercard'],
    ['5555555555554444', 'mastercard'],
    ['2221000000000009', 'mastercard'],
    ['2720990000000007', 'mastercard'],
    ['34', 'amex'],
    ['378282246310005', 'amex'],
    ['6011111111111117', 'discover'],
    ['6445644564456445', 'discover'],
    ['65', 'discover'],
    ['36227206271667', 'diners'],
    ['3056930009020004', 'diners'],
    ['3095', 'diners'],
    ['3566002020360505', 'jcb'],
    ['6205500000000000004', 'unionpay'],
    ['8171999927660000', 'unionpay'],
    ['6759649826438453', 'maestro'],
    ['50', 'maestro'],
  ])('detects %s as %s', (number, brand) => {
    expect(detectBrand(number)?.brand).toBe(brand);
  });

  test.each(['', '3', '5', '6', '2', '222', '2220', '2721', '9', 'abc', '306'])('detects no brand for "%s"', text => {
    expect(detectBrand(text)).toBeNull();
  });

  test('detects at most one brand for any first six digits', () => {
    for (let prefix = 100_000; prefix < 1_000_000; prefix += 37) {
      const hits = cardBrands.filter(brand =>
        brand.patterns.some(([low, high]) => {
          const head = Number(String(prefix).slice(0, String(low).length));
          return head >= low && head <= high;
        }),
      );
      expect(hits.length, String(prefix)).toBeLessThan(2);
    }
  });
});

describe('isCardNumber', () => {
  test.each([
    '4242424242424242',
    '4242-4242-4242-4242',
    '4222222222222',
    '4000000000000002',
    '4000002500003155',
    '5555555555554444',
    '378282246310005',
    '6205500000000000004',
    '36227206271667',
  ])('accepts %s', number => {
    expect(isCardNumber(number)).toBe(true);
  });

  test.each([
    ['4242424242424241', 'a wrong check digit'],
    ['2424242424242424', 'two digits swapped'],
    ['424242424242', 'too few digits for its brand'],
    ['42424242424242424242', 'too many digits'],
    ['3782822463100', 'too few digits for its brand'],
    ['', 'nothing'],
    ['４２４２４２４２４２４２４２４２', 'digits that are not ASCII'],
  ])('refuses %s: %s', number => {
    expect(isCardNumber(number)).toBe(false);
  });

  test('detects every single wrong digit', () => {
    const good = '4242424242424242';
    for (let at = 0; at < good.length; at++) {
      for (const digit of '0123456789') {
        const typed = good.slice(0, at) + digit + good.slice(at + 1);
        expect(isLuhnValid(typed)).toBe(typed === good);
      }
    }
  });
});

describe('formatCardNumber', () => {
  test.each([
    ['4242424242424242', '4242 4242 4242 4242'],
    ['42424', '4242 4'],
    ['4242', '4242'],
    ['4242 42', '4242 42'],
    ['378282246310005', '3782 822463 10005'],
    ['36227206271667', '3622 720627 1667'],
    ['3056930009020004', '3056 9300 0902 0004'],
    ['6205500000000000004', '6205 5000 0000 0000 004'],
    ['42424242424242424242424', '4242 4242 4242 4242 424'],
    ['card 5555-5555-5555-4444!', '5555 5555 5555 4444'],
    ['', ''],
  ])('shows %s as %s', (typed, shown) => {
    expect(formatCardNumber(typed)).toBe(shown);
  });
});

describe('parseExpiry', () => {
  test.each([
    ['12/29', 12, 2029],
    ['1/29', 1, 2029],
    [' 01 / 29 ', 1, 2029],
    ['01/2029', 1, 2029],
    ['0129', 1, 2029],
    ['012029', 1, 2029],
    ['01-29', 1, 2029],
    ['01.29', 1, 2029],
    ['2029-01', 1, 2029],
    ['12/00', 12, 2000],
  ])('parses %s', (text, month, year) => {
    expect(parseExpiry(text)).toEqual({ month, year });
  });

  test.each(['', '13/29', '00/29', '1', '12', '12/', '129', '12/2', '12/029', '12/29/30', 'ab/cd', '１２/２９'])(
    'refuses "%s"',
    text => {
      expect(parseExpiry(text)).toBeNull();
    },
  );
});

describe('isExpired', () => {
  test.each([
    [1, 2026, '2026-01-31T23:59:59Z', false],
    [1, 2026, '2026-02-01T11:59:59Z', false],
    [1, 2026, '2026-02-01T12:00:00Z', true],
    [12, 2025, '2026-01-02T00:00:00Z', true],
    [12, 2026, '2026-01-02T00:00:00Z', false],
    [1, 2027, '2026-12-31T00:00:00Z', false],
  ])('checks %i/%i at %s', (month, year, now, expected) => {
    expect(isExpired({ month, year }, new Date(now))).toBe(expected);
  });
});
