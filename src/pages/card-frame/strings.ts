import type { CardFrameStrings } from '../../api/card-frame.ts';

/** The frame's English texts. For other languages the element sends all texts. */
export const english: CardFrameStrings = {
  number: 'Card number',
  numberHint: '1234 1234 1234 1234',
  expiry: 'Expires',
  expiryHint: 'MM / YY',
  cvc: 'Security code',
  cvcHint3: '3 digits',
  cvcHint4: '4 digits',
  name: 'Name on card',
  nameHint: 'As printed',
  numberMissing: 'Enter the card number.',
  numberInvalid: 'Check the digits: this is not a card number.',
  numberUnsupported: 'This kind of card is not taken here. Use another one.',
  expiryMissing: 'Enter the date the card expires.',
  expiryInvalid: 'Enter month and year, like 04\u00a0/\u00a029.',
  expiryPast: 'This card has expired. Use another one.',
  cvcMissing: 'Enter the security code.',
  cvcInvalid: 'Enter all digits of the code.',
  nameMissing: 'Enter the name on the card.',
  offline: 'You are offline. Nothing was charged. Connect and try again.',
  unavailable: 'The card could not be checked. Nothing was charged. Try again in a moment.',
};
