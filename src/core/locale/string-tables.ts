import { type Language, languageOf } from './locale.ts';
import type { checkoutPageStrings } from './strings/en-checkout-page.ts';
import type { documentStrings } from './strings/en-document.ts';
import type { invoiceStrings } from './strings/en-invoice.ts';
import type { linkStrings } from './strings/en-link.ts';
import type { mailStrings } from './strings/en-mail.ts';
import type { refundPageStrings } from './strings/en-refund-page.ts';

/** The sentences of each area. English is the type: another language is an object of the same shape. */
export interface StringTables {
  /** The page of an invoice. */
  invoice: typeof invoiceStrings;
  /** Mails to payers. */
  mail: typeof mailStrings;
  /** Drawn documents. */
  document: typeof documentStrings;
  /** The page of a payment link. */
  link: typeof linkStrings;
  /** The hosted checkout and the service's notices. */
  'checkout-page': typeof checkoutPageStrings;
  /** The page on which a payer says where a refund is to go. */
  'refund-page': typeof refundPageStrings;
}

/** Where sentences are spoken. */
export type Area = keyof StringTables;

type Loader<A extends Area> = () => Promise<StringTables[A]>;

/** By area and language: each table is a file of its own, which is loaded where it is spoken. */
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

/** The area's sentences in the language of the locale (BCP 47), English where there is none. `{…}` is filled in by `fill`. */
export async function stringsFor<A extends Area>(area: A, locale: string): Promise<StringTables[A]> {
  const loaders: Readonly<Record<Language, Loader<A>>> = tables[area];
  return await loaders[languageOf(locale)]();
}
