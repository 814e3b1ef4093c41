import { direction, type Language, languageOf } from '../../../core/locale/locale.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';

/** Every sentence of the hosted checkout and of the service's notices. */
export type PageStrings = StringTables['checkout-page'];

/** The language a page is in: its code and its direction. */
export interface PageLanguage {
  readonly code: Language;
  readonly dir: 'ltr' | 'rtl';
}

/** The pages' language for a BCP 47 tag; English where there is none. */
export function pageLanguage(locale: string): PageLanguage {
  return { code: languageOf(locale), dir: direction(locale) };
}

/** The sentences of the hosted checkout and of the notices in that language. */
export const pageStrings = (locale: string): Promise<PageStrings> => stringsFor('checkout-page', locale);
