/**
 * The sentences of the pages the service renders, in English. Another language is an object of the same type. `{…}` is
 * filled in.
 */
const en = {
  title: 'Pay {merchant} · {amount}',
  payTo: 'Pay {merchant}',
  order: 'Your order',
  payment: 'Payment',
  reference: 'Order {reference}',
  times: '{name} × {quantity}',
  total: 'Total',
  stillDue: 'still due',
  back: 'Back to the shop',
  help: 'Questions about this order?',
  helpShop: 'Contact {merchant}, the shop you came from.',
  noScript: 'To pay here, allow JavaScript for this page and load it again.',
  leaving: 'Taking you back to {merchant} in a moment.',
  stay: 'Stay here',
  missingTitle: 'This checkout does not exist',
  missingText: 'The address may be incomplete. Open the link from the shop once more, or ask the shop for a new one.',
  returnTitle: 'You can close this window',
  returnText: 'Your bank has answered. The checkout in the other window goes on by itself.',
};

/** Every sentence of the pages. */
export type PageStrings = typeof en;

/** A language the pages speak: its sentences, its code and its direction. */
export interface PageLanguage {
  readonly code: string;
  readonly dir: 'ltr' | 'rtl';
  readonly strings: PageStrings;
}

const english: PageLanguage = { code: 'en', dir: 'ltr', strings: en };
const languages: Readonly<Record<string, PageLanguage>> = { en: english };

/** The pages' language for a BCP 47 tag; English where there is none. */
export function pageLanguage(locale: string): PageLanguage {
  return languages[locale.split('-')[0]?.toLowerCase() ?? ''] ?? english;
}

/** The sentence with its `{…}` filled in. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
