import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/core/clock.ts';
import { currencyDecimals, parseCurrency } from '../../src/core/currency.ts';
import { isEmail } from '../../src/core/email.ts';
import { isStellarAddress } from '../../src/core/stellar/strkey.ts';
import { parseOrigin, parseWebAddress } from '../../src/core/web-address.ts';

describe('web addresses', () => {
  it.each(['https://shop.example/thanks?order=1#top', 'http://localhost:4242/', 'https://xn--bcher-kva.example'])(
    'accept %s',
    text => {
      expect(parseWebAddress(text)?.href).toContain('//');
    },
  );

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https://shop.example@evil.example/',
    'https://user:pass@evil.example/',
    'ht\ttps://evil.example',
    'https://evil.example\\@shop.example',
    'https://shop.example\n.evil.example',
    ' https://shop.example',
    'ftp://shop.example',
    '',
  ])('refuse %j', text => {
    expect(parseWebAddress(text)).toBeNull();
  });

  it('accept only an origin where an origin is required', () => {
    expect(parseOrigin('https://shop.example:8443')).toBe('https://shop.example:8443');
    expect(parseOrigin('https://shop.example/path')).toBeNull();
    expect(parseOrigin('*')).toBeNull();
  });
});

describe('Stellar addresses (SEP-23)', () => {
  it.each([
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  ])('accept %s', text => {
    expect(isStellarAddress(text)).toBe(true);
  });

  it.each([
    'GAAAAAAAACGC6',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSG',
    'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA',
    'SBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWHXL7',
  ])('refuse %s', text => {
    expect(isStellarAddress(text)).toBe(false);
  });
});

describe('e-mail addresses', () => {
  it.each(['ada@example.com', 'ada.lovelace+shop@mail.example.co.uk', 'jörg@bücher.example'])('accept %s', text => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    '"x@evil x"@ok.example',
    'a\r\nBcc: x@y.zz',
    'a b@example.com',
    'a@b..example',
    'a@b.c,d@e.ff',
  ])('refuse %j', text => {
    expect(isEmail(text)).toBe(false);
  });
});

describe('currencies and durations', () => {
  it('include ISO 4217 codes in any case, with their decimals', () => {
    expect(parseCurrency('eur')).toBe('EUR');
    expect(parseCurrency('XXZ')).toBeNull();
    expect(parseCurrency('__proto__')).toBeNull();
    expect(['JPY', 'USD', 'KWD'].map(currencyDecimals)).toEqual([0, 2, 3]);
  });

  it.each([
    ['P3D', 259_200_000],
    ['PT15M', 900_000],
    ['P1DT2H', 93_600_000],
    ['P2W', 1_209_600_000],
    ['P', null],
    ['P1M', null],
    ['PT', null],
    ['-P1D', null],
    ['3 days', null],
  ])('parse %s as %s ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });
});
