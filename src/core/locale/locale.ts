/** A language of the product, by its ISO 639 code. */
export type Language = 'en' | 'ar' | 'ja';

/** The languages of the product. The first is the fallback. */
export const languages: readonly Language[] = ['en', 'ar', 'ja'];

const rightToLeft: readonly Language[] = ['ar'];

/** Whether the text is a language tag that formatters accept, like `en` or `pt-BR` (RFC 5646; Unicode BCP 47). */
export function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/**
 * The language of a locale. Its tag is shortened from the end until a language matches (lookup, RFC 4647 §3.4): `ar-EG`
 * becomes `ar`. English if no language matches.
 */
export function languageOf(locale: string): Language {
  const subtags = locale.toLowerCase().split('-');
  for (let count = subtags.length; count > 0; count--) {
    const range = subtags.slice(0, count).join('-');
    const found = languages.find(language => language === range);
    if (found) return found;
  }
  return 'en';
}

/** The locale if the product has its language, otherwise English, so that words and formats have the same language. */
export function printedLocale(locale: string): string {
  return isLocale(locale) && locale.toLowerCase().split('-')[0] === languageOf(locale) ? locale : 'en';
}

/** The writing direction for the locale. If the product does not have the language, the direction of English. */
export function direction(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.includes(languageOf(locale)) ? 'rtl' : 'ltr';
}

/** The sentence with values for its placeholders `{…}`. Removes placeholders without a value. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
