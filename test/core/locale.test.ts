import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { direction, fill, isLocale, languageOf, languages, printedLocale } from '../../src/core/locale/locale.ts';
import { dateText, moneyText, numberText, percentText } from '../../src/core/locale/locale-format.ts';
import { cardName } from '../../src/core/locale/part-name.ts';
import type { Area } from '../../src/core/locale/string-areas.ts';
import { stringsFor } from '../../src/core/locale/string-tables.ts';

const areas: readonly Area[] = ['invoice', 'mail', 'document', 'link', 'checkout-page', 'refund-page'];

describe('the language of a locale', () => {
  it.each([
    ['ar', 'ar', 'rtl'],
    ['ar-EG', 'ar', 'rtl'],
    ['AR-latn-x-shop', 'ar', 'rtl'],
    ['ja-JP-u-ca-japanese', 'ja', 'ltr'],
    ['jam', 'en', 'ltr'],
    ['arz', 'en', 'ltr'],
    ['en-GB', 'en', 'ltr'],
    ['he', 'en', 'ltr'],
    ['zh-Hant-TW', 'en', 'ltr'],
    ['', 'en', 'ltr'],
    ['not a tag', 'en', 'ltr'],
  ])('of %s is %s, with direction %s', (locale, language, dir) => {
    expect(languageOf(locale)).toBe(language);
    expect(direction(locale)).toBe(dir);
  });

  it.each([
    ['de', 'en'],
    ['zh-Hant-TW', 'en'],
    ['not a tag', 'en'],
    ['ar-EG', 'ar-EG'],
    ['en-GB', 'en-GB'],
  ])('%s prints in %s as a whole', (locale, printed) => {
    expect(printedLocale(locale)).toBe(printed);
  });

  it('has a tag that Intl formatters accept', () => {
    expect(['en', 'pt-BR', 'zh-Hant'].map(isLocale)).toEqual([true, true, true]);
    expect(['', 'english please', '-'].map(isLocale)).toEqual([false, false, false]);
  });
});

/** Every sentence of a table with its path. */
function sentences(table: object, path = ''): [path: string, sentence: string][] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : sentences(value, `${path}${key}.`),
  );
}

const gapsOf = (sentence: string) => [...new Set(sentence.match(/\{\w+\}/g) ?? [])].sort();

describe('the translations', () => {
  it('have one file for each area', () => {
    const files = readdirSync(join(import.meta.dirname, '../../src/core/locale/strings'));
    const wanted = languages.flatMap(language => areas.map(area => `${language}-${area}.ts`));
    expect(files.toSorted()).toEqual(wanted.toSorted());
  });

  describe.each(areas)('of %s', area => {
    it.each(languages.filter(language => language !== 'en'))(
      'have the same keys and placeholders in %s, in its script',
      async language => {
        const english = new Map(sentences(await stringsFor(area, 'en-US')));
        const others = sentences(await stringsFor(area, language));
        expect(others.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted());
        for (const [path, sentence] of others) expect(gapsOf(sentence), path).toEqual(gapsOf(english.get(path) ?? ''));
        const script =
          language === 'ar' ? /\p{Script=Arabic}/u : /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
        // Names of standards are the same everywhere.
        const words = others.filter(([, sentence]) => /\p{L}{4}/u.test(sentence.replace(/\{\w+\}|IBAN/g, '')));
        expect(words.filter(([, sentence]) => !script.test(sentence))).toEqual([]);
      },
    );
  });

  it('are English for an unsupported language', async () => {
    expect(await stringsFor('invoice', 'fi')).toEqual(await stringsFor('invoice', 'en'));
  });

  it('replace placeholders', () => {
    expect(fill('{a} and {b}, {a}; {none}', { a: 'one', b: 2 })).toBe('one and 2, one; ');
    expect(fill('{a}', { a: '{b}', b: 'never' })).toBe('{b}');
  });
});

describe('formats', () => {
  /** Removes direction marks, and replaces special spaces. */
  const plain = (text: string) => text.replace(/[\u200e\u200f\u061c]/g, '').replace(/\u00a0|\u202f/g, ' ');

  it.each([
    ['en', '€1,234.50'],
    ['de', '€1,234.50'],
    ['en-IE', '€1,234.50'],
    ['ja', '€1,234.50'],
    ['ar', '1,234.50 €'],
    ['ar-EG', '١٬٢٣٤٫٥٠ €'],
    ['nonsense!', '€1,234.50'],
  ])('write money as %s does', (locale, text) => {
    expect(plain(moneyText(123_450n, 'EUR', locale))).toBe(text);
  });

  it('write every amount exactly, with the decimals of ISO 4217', () => {
    expect(moneyText(9_007_199_254_740_993n, 'JPY', 'en')).toBe('¥9,007,199,254,740,993');
    expect(plain(moneyText(12_345n, 'KWD', 'en'))).toContain('12.345');
    expect(plain(moneyText(-12_345n, 'HUF', 'en'))).toContain('123.45');
  });

  it.each(['en', 'en-GB', 'de', 'ar', 'ar-EG', 'ja', 'sv'])('write the true minus sign in %s', locale => {
    const text = moneyText(-12_345n, 'EUR', locale);
    expect(text).toContain('\u2212');
    expect(text).not.toContain('-');
  });

  it.each([
    ['visa', 'Visa •••• 4242'],
    ['amex', 'American Express •••• 4242'],
    ['diners', 'Diners Club •••• 4242'],
    ['jcb', 'JCB •••• 4242'],
    ['unionpay', 'UnionPay •••• 4242'],
    ['maestro', 'Maestro •••• 4242'],
  ])('name a card of the brand %s', (brand, name) => {
    expect(cardName({ brand, last4: '4242' })).toBe(name);
  });

  it('write a day without its year', () => {
    expect(['en', 'en-GB', 'ja'].map(locale => dateText('2026-12-01', locale, 'day'))).toEqual([
      ...['December 1', '1 December', '12月1日'],
    ]);
  });

  it.each([
    ['en', 'December 24, 2026', '7.75%', '1,234.567'],
    ['de', 'December 24, 2026', '7.75%', '1,234.567'],
    ['en-DE', '24 December 2026', '7,75 %', '1.234,567'],
    ['ja', '2026年12月24日', '7.75%', '1,234.567'],
    ['ar', '24 ديسمبر 2026', '7.75%', '1,234.567'],
    ['ar-SA', '٢٤ ديسمبر ٢٠٢٦', '٧٫٧٥٪', '١٬٢٣٤٫٥٦٧'],
  ])('write days, percentages and numbers as %s does', (locale, date, percent, number) => {
    expect(plain(dateText('2026-12-24', locale))).toBe(date);
    expect(plain(percentText('7.75', locale))).toBe(percent);
    expect(plain(numberText('1234.567', locale))).toBe(number);
  });
});
