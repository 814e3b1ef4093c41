import type { Parts } from './parts.ts';

/**
 * The sentences of the first screen, in English. `{…}` is filled in. Plain, short, second person, no exclamation marks,
 * no blame; the time things take is said.
 */
export const en = {
  lang: 'en',
  label: 'Checkout',
  methods: 'How do you want to pay?',
  card: 'Card',
  bank_transfer: 'Bank',
  crypto: 'Crypto',
  loading: 'Loading the checkout',
  order: 'Order {reference}',
  oneItem: '1 item',
  items: '{count} items',
  stillDue: 'still due',
  held: 'Rate held for {time}',
  received: '{received} of {amount} received',
  receivedHeld: '{received} of {amount} received · rate held for {time}',
  over: 'Rate no longer held',
  lastMinute: 'One minute left at this rate.',
  settles: 'Settles on Stellar',
  testMode: 'Test mode',
  unloaded: 'A part of this page did not load.',
  tryAgain: 'Try again',
};

/**
 * What one language says: the sentences of the first screen and, but for English, those of all else. In English each
 * part of the checkout travels with its own.
 */
export interface Strings extends Readonly<typeof en> {
  /** How its lines run; unset: as the page's. */
  readonly dir?: 'ltr' | 'rtl';
  readonly parts?: Parts;
}

/** The sentence with its `{…}` filled in. */
export function say(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
