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
 * The language of a locale: its tag, shortened from the end until a language matches (lookup, RFC 4647 §3.4). `ar-EG` →
 * `ar`. English when none matches.
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

/** The locale itself if its language exists here, otherwise English: words and formats of a text are of one language. */
export function printedLocale(locale: string): string {
  return isLocale(locale) && locale.toLowerCase().split('-')[0] === languageOf(locale) ? locale : 'en';
}

/** The writing direction of the product's language for the locale, which may be the fallback English. */
export function direction(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.includes(languageOf(locale)) ? 'rtl' : 'ltr';
}

/** The sentence with its placeholders `{…}` filled in. Placeholders without a value are removed. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
