import { expect } from '@open-wc/testing';
import { currencyDecimals, parseCurrency } from '../../src/core/currency.ts';
import { assetText, decimalsOf, decimalText, moneyText } from '../../src/element/money-text.ts';

describe('formatted amounts', () => {
  it('have the decimals of every currency of the service', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const words = letters.flatMap(a => letters.flatMap(b => letters.map(c => a + b + c)));
    const codes = words.filter(word => parseCurrency(word) !== null);
    expect(codes).to.have.length.above(140);
    for (const code of codes) expect(decimalsOf(code), code).to.equal(currencyDecimals(code));
  });

  const cases = [
    [12_840, 'EUR', 'en', '€128.40'],
    [12_840, 'EUR', 'de', '128,40 €'],
    [1234, 'HUF', 'en', 'Ft 12.34'],
    [500, 'JPY', 'en', '¥500'],
    [1234, 'KWD', 'en', 'KWD 1.234'],
    [5, 'USD', 'en', '$0.05'],
    [0, 'USD', 'en', '$0.00'],
    [12_345_678_900, 'VND', 'en', '₫12,345,678,900'],
    [Number.MAX_SAFE_INTEGER, 'USD', 'en', '$90,071,992,547,409.91'],
    [100, 'not a currency', 'en', '1.00 not a currency'],
  ] as const;
  for (const [minor, currency, locale, text] of cases) {
    it(`${minor} of ${currency} in ${locale} is ${text}`, () => {
      expect(moneyText(minor, currency, locale).replace(/\u00a0/g, ' ')).to.equal(text);
    });
  }

  it('are plain decimals for a bank’s form', () => {
    expect([decimalText(5, 2), decimalText(12_840, 2), decimalText(500, 0), decimalText(1, 3)]).to.deep.equal([
      '0.05',
      '128.40',
      '500',
      '0.001',
    ]);
  });

  it('of assets are on one line without issuer, and keep all decimals on request', () => {
    expect(assetText('139.2140000', 'USDC:GA5ZSE', 'en', 7)).to.equal('139.214\u00a0USDC');
    expect(assetText('12.5000001', 'XLM', 'en', 7)).to.equal('12.5000001\u00a0XLM');
    expect(assetText('139.2140000', 'USDC', 'en')).to.equal('139.21\u00a0USDC');
  });
});
