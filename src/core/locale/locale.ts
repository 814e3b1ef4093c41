/** A language the product speaks, by its ISO 639 code. */
export type Language = 'en' | 'ar' | 'ja';

/** Every language the product speaks; the first is what the others fall back to. */
export const languages: readonly Language[] = ['en', 'ar', 'ja'];

const rightToLeft: readonly Language[] = ['ar'];

/** Whether the text is a language tag that formatters take, like `en` or `pt-BR` (RFC 5646; Unicode BCP 47 locale identifiers). */
export function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/**
 * The language that is spoken to a reader of the locale: what the tag begins with, shortened from its end until a
 * language is met (lookup, RFC 4647 §3.4); English where none is. `ar-EG` → `ar`.
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

/** How the sentences run that a reader of the locale is shown: by the language they are in, which may be English. */
export function direction(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.includes(languageOf(locale)) ? 'rtl' : 'ltr';
}

/** The sentence with its `{…}` filled in; what has no value is left out. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
