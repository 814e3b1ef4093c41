import { describe, expect, test } from 'vitest';
import { computeCheckDigits, formatIban, isIban } from '../../src/core/bank/iban.ts';

describe('isIban', () => {
  // Examples of the IBAN registry, then two as people type them: with spaces, in lower case.
  test.each([
    'AD1200012030200359100100',
    'AE070331234567890123456',
    'AL47212110090000000235698741',
    'AT611904300234573201',
    'BE68539007547034',
    'BR1800360305000010009795493C1',
    'CH9300762011623852957',
    'CZ6508000000192000145399',
    'DE89370400440532013000',
    'DK5000400440116243',
    'EE382200221020145685',
    'ES9121000418450200051332',
    'FI2112345600000785',
    'FR1420041010050500013M02606',
    'GB29NWBK60161331926819',
    'GR1601101250000000012300695',
    'HU42117730161111101800000000',
    'IE29AIBK93115212345678',
    'IT60X0542811101000000123456',
    'LT121000011101001000',
    'LU280019400644750000',
    'LV80BANK0000435195001',
    'MT84MALT011000012345MTLCAST001S',
    'NL91ABNA0417164300',
    'NO9386011117947',
    'PL61109010140000071219812874',
    'PT50000201231234567890154',
    'SE4550000000058398257466',
    'SI56263300012039086',
    'TR330006100519786457841326',
    'DE71 1102 2033 0123 4567 89',
    'nl13 test 0123 4567 89',
  ])('accepts %s', iban => {
    expect(isIban(iban)).toBe(true);
  });

  test.each([
    ['NL13TEST0123456788', 'a wrong digit'],
    ['DE89370400440523013000', 'two digits exchanged'],
    ['DE8937040044053201300', 'a digit too few'],
    ['DE893704004405320130000', 'a digit too many'],
    ['NL91ABN10417164300', 'a digit where the country has a letter'],
    ['XX89370400440532013000', 'an unknown country'],
    ['DE89-3704-0044-0532-0130-00', 'hyphens'],
    ['constructor', 'a word'],
    ['', 'nothing'],
  ])('refuses %s: %s', iban => {
    expect(isIban(iban)).toBe(false);
  });

  test('refuses check digits that are congruent but never issued', () => {
    const bban = '370400440532013';
    for (let tail = 0; tail < 1000; tail++) {
      const account = bban + String(tail).padStart(3, '0');
      const digits = computeCheckDigits('DE', account);
      const twin = String((Number(digits) + 97) % 194).padStart(2, '0');
      expect(isIban(`DE${digits}${account}`)).toBe(true);
      if (twin.length === 2 && twin !== digits) expect(isIban(`DE${twin}${account}`)).toBe(false);
    }
  });
});

test('formatIban prints groups of four', () => {
  expect(formatIban('lt121000011101001000')).toBe('LT12 1000 0111 0100 1000');
  expect(formatIban('NO93 86011117947')).toBe('NO93 8601 1117 947');
});
