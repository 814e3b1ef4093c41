import { describe, expect, it } from 'vitest';
import { phoneText } from '../../../src/core/locale/phone-text.ts';
import { walletName, wayName } from '../../../src/core/locale/way-name.ts';
import { mobileMoneyMarkets } from '../../../src/core/mobile-money/markets.ts';

describe('names for people', () => {
  it.each([
    ['sepa', 'SEPA'],
    ['mpesa', 'M-Pesa'],
    ['stellar', 'Stellar'],
    ['sandbox_card', 'Sandbox card'],
  ])('a rail or chain: %s', (id, name) => {
    expect(wayName(id)).toBe(name);
  });

  it('every operator that collects has a name of its own', () => {
    const plain = mobileMoneyMarkets.filter(
      ({ provider }) => provider !== 'wave' && /^[A-Z][a-z]+$/.test(wayName(provider)),
    );
    expect(plain).toEqual([]);
  });

  it.each([
    ['+256772123456', '+256 772 123 456'],
    ['+2250701234567', '+225 070 123 4567'],
    ['+221771234567', '+221 771 234 567'],
    ['+14155550123', '+1 415 555 0123'],
    ['+4915112345678', '+49 151 123 456 78'],
    ['+1', '+1'],
  ])('a phone number in groups: %s', (number, text) => {
    expect(phoneText(number)).toBe(text);
    expect(walletName({ provider: 'mtn', number })).toBe(`MTN MoMo ${text}`);
  });
});
