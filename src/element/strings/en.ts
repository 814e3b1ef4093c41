/**
 * The sentences of the first screen, in English. Another language is an object of the same type. `{…}` is filled in. Plain, short, second person, no exclamation marks, no blame; the time things
 * take is said.
 */
export const en = {
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

/** Every sentence of the first screen. */
export type Strings = typeof en;

/** The sentence with its `{…}` filled in. */
export function say(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
