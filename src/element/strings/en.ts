import type { Parts } from './parts.ts';

/**
 * The first screen, in English. `say` fills in `{…}`. Sentences are short and plain, do not blame the payer, have no
 * exclamation marks, and say how long things take.
 */
export const en = {
  lang: 'en',
  label: 'Checkout',
  methods: 'How do you want to pay?',
  card: 'Card',
  bank_transfer: 'Bank',
  crypto: 'Crypto',
  mobile_money: 'Mobile money',
  loading: 'Loading the checkout',
  order: 'Order {reference}',
  oneItem: '1 item',
  items: '{count} items',
  stillDue: 'still due',
  held: 'Rate held for {time}',
  shopGets: 'The shop receives ≈\u00a0{amount}',
  youPay: 'You pay {amount}',
  received: '{received} of {amount} received',
  receivedHeld: '{received} of {amount} received · rate held for {time}',
  over: 'Rate no longer held',
  settles: 'Settles on Stellar',
  testMode: 'Test mode',
  unloaded: 'A part of this page did not load.',
  tryAgain: 'Try again',
};

/** The texts of a language. English has no `parts`, because its other texts are in the chunks of the parts. */
export interface Strings extends Readonly<typeof en> {
  /** Writing direction. Default: the page's direction. */
  readonly dir?: 'ltr' | 'rtl';
  readonly parts?: Parts;
}

/** Replaces the placeholders `{…}` of a sentence. */
export function say(sentence: string, values: Readonly<Record<string, unknown>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
