/** The card tab, in English. Text before `|` is bold. */
export const cardStrings = {
  frameTitle: 'Card details: number, expiry date, security code and name',
  pay: 'Pay {amount}',
  check: 'Check these fields: {fields}',
  and: ', ',
  fields: { number: 'card number', expiry: 'expiry date', cvc: 'security code', name: 'name on card' },
  loading: 'The card fields are still loading.|One moment, then press Pay.',
  frameFailed: 'The card fields did not load.|Check your connection and try again.',
  again: 'Load the card fields again',
  frameSilent: 'The card could not be checked.|Nothing was taken. Please try again.',
  unsent: 'Not paid, nothing was taken.|Press Pay again.',
  challenge: 'Your bank needs to confirm it’s you.|It takes a minute, then the payment goes through.',
  challengeAction: 'Continue to your bank',
  otherCard: 'Use another card',
};
