/** The sentences round the page of the card's bank, in English. What stands before `|` is bold. */
export const bankPageStrings = {
  title: 'Confirm with your bank',
  newWindow: 'Nothing to see here? Open your bank’s page in a new window',
  unsafe: 'Your bank’s page cannot be opened.|Please use another card or another way to pay.',
  close: 'Close',
};
