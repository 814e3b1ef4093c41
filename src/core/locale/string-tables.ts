import { type Language, languageOf } from './locale.ts';
import { spelledTable } from './spelling.ts';
import type { Area, StringTables } from './string-areas.ts';

type Loader<A extends Area> = () => Promise<StringTables[A]>;

/** The tables by area and language, loaded on first use. */
const tables: { readonly [A in Area]: Readonly<Record<Language, Loader<A>>> } = {
  invoice: {
    en: async () => (await import('./strings/en-invoice.ts')).invoiceStrings,
    ar: async () => (await import('./strings/ar-invoice.ts')).invoiceStrings,
    ja: async () => (await import('./strings/ja-invoice.ts')).invoiceStrings,
  },
  mail: {
    en: async () => (await import('./strings/en-mail.ts')).mailStrings,
    ar: async () => (await import('./strings/ar-mail.ts')).mailStrings,
    ja: async () => (await import('./strings/ja-mail.ts')).mailStrings,
  },
  document: {
    en: async () => (await import('./strings/en-document.ts')).documentStrings,
    ar: async () => (await import('./strings/ar-document.ts')).documentStrings,
    ja: async () => (await import('./strings/ja-document.ts')).documentStrings,
  },
  link: {
    en: async () => (await import('./strings/en-link.ts')).linkStrings,
    ar: async () => (await import('./strings/ar-link.ts')).linkStrings,
    ja: async () => (await import('./strings/ja-link.ts')).linkStrings,
  },
  'checkout-page': {
    en: async () => (await import('./strings/en-checkout-page.ts')).checkoutPageStrings,
    ar: async () => (await import('./strings/ar-checkout-page.ts')).checkoutPageStrings,
    ja: async () => (await import('./strings/ja-checkout-page.ts')).checkoutPageStrings,
  },
  'refund-page': {
    en: async () => (await import('./strings/en-refund-page.ts')).refundPageStrings,
    ar: async () => (await import('./strings/ar-refund-page.ts')).refundPageStrings,
    ja: async () => (await import('./strings/ja-refund-page.ts')).refundPageStrings,
  },
};

/**
 * The sentences of an area in the language and spelling of the locale (BCP 47), or in English. `fill` replaces `{…}`.
 */
export async function stringsFor<A extends Area>(area: A, locale: string): Promise<StringTables[A]> {
  const loaders: Readonly<Record<Language, Loader<A>>> = tables[area];
  return spelledTable(await loaders[languageOf(locale)](), locale);
}
