/** The dialog with the bank's page (3-D Secure), in English. Text before `|` is bold. */
export const challengeStrings = {
  title: 'Confirm with your bank',
  newWindow: 'Nothing to see here? Open your bank’s page in a new window',
  unsafe: 'Your bank’s page cannot be opened.|Please use another card or another way to pay.',
  close: 'Close',
};
