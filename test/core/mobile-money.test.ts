import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { currencyDecimals } from '../../src/core/currency.ts';
import { type MobileMoneyMarket, mobileMoneyMarkets } from '../../src/core/mobile-money/markets.ts';
import { mobileMoneyNames } from '../../src/core/mobile-money/names.ts';
import { formatUnits } from '../../src/core/money.ts';

const countries = new Intl.DisplayNames('en', { type: 'region' });

/** Whether some number with this beginning is a mobile number of the country, by the published numbering plans. */
function isMobile(country: string, prefix: string): boolean {
  const code = country as CountryCode;
  const rest = (examples[code] ?? '').length - prefix.length;
  const tails = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, '0').padEnd(rest, '1'));
  return tails.some(tail => {
    const number = parsePhoneNumberFromString(`+${getCountryCallingCode(code)}${prefix}${tail}`);
    return number?.country === code && number.getType()?.includes('MOBILE') === true;
  });
}

describe('the table of mobile-money markets', () => {
  it.each(mobileMoneyMarkets.map(each => [`${each.provider} ${each.country}`, each] as const))('%s', (_, each) => {
    const unit = 10n ** BigInt(currencyDecimals(each.currency));
    expect([each.step, each.least % each.step, each.most % each.step]).toEqual([unit, 0n, 0n]);
    expect(each.least).toBeLessThan(each.most);
    expect(each.prefixes.filter(prefix => !isMobile(each.country, prefix))).toEqual([]);
  });

  it('names each operator once a country, and each beginning at one network', () => {
    const keys = mobileMoneyMarkets.map(({ provider, country }) => `${provider} ${country}`);
    expect(keys).toEqual([...new Set(keys)]);
    // Wave has no network of its own: it serves the numbers of others.
    const networks = mobileMoneyMarkets.filter(({ provider }) => provider !== 'wave');
    const starts = networks.flatMap(({ country, prefixes }) => prefixes.map(prefix => `${country} ${prefix}`));
    expect(starts).toEqual([...new Set(starts)]);
    expect(mobileMoneyMarkets.filter(({ provider }) => mobileMoneyNames[provider] === undefined)).toEqual([]);
  });

  it('stands in the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/mobile-money.md'), 'utf8');
    const table = /<!-- markets -->\n\|.*\n\|.*\n([\s\S]*?)\n<!-- \/markets -->/.exec(page)?.[1];
    expect(table?.split('\n')).toEqual(mobileMoneyMarkets.map(row));
  });
});

function row({ provider, country, currency, least, most }: MobileMoneyMarket): string {
  const amount = (units: bigint) => Number(formatUnits(units, currencyDecimals(currency))).toLocaleString('en');
  const operator = `${mobileMoneyNames[provider]} (\`${provider}\`)`;
  return `| ${operator} | ${countries.of(country)} | ${currency} | ${amount(least)} | ${amount(most)} |`;
}
