import type { CardFrameLabels, CardFrameStrings } from '../../api/card-frame.ts';

/** The English texts of errors. They are loaded with the checks. */
export const englishProblems: Omit<CardFrameStrings, keyof CardFrameLabels> = {
  numberMissing: 'Enter the card number.',
  numberInvalid: 'Check the digits: this is not a card number.',
  numberUnsupported: 'This kind of card is not taken here. Use another one.',
  expiryMissing: 'Enter the date the card expires.',
  expiryInvalid: 'Enter month and year, like 04\u00a0/\u00a029.',
  expiryPast: 'This card has expired. Use another one.',
  cvcMissing: 'Enter the security code.',
  cvcInvalid: 'Enter all digits of the code.',
  nameMissing: 'Enter the name on the card.',
  offline: 'You are offline. Nothing was taken. Connect and try again.',
  unavailable: 'The card could not be checked. Nothing was taken. Try again in a moment.',
};
