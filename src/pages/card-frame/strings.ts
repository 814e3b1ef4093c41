import type { CardFrameLabels } from '../../api/card-frame.ts';

/** The English texts of the fields. For other languages the element sends all texts. */
export const english: CardFrameLabels = {
  number: 'Card number',
  numberHint: '1234 1234 1234 1234',
  expiry: 'Expires',
  expiryHint: 'MM / YY',
  cvc: 'Security code',
  cvcHint3: '3 digits',
  cvcHint4: '4 digits',
  name: 'Name on card',
  nameHint: 'As printed',
};
