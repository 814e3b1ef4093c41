/** The sentences for a checkout that cannot begin, in English. What stands before `|` is bold. */
export const troubleStrings = {
  notStarted: 'The payment could not be opened.|{message}',
  noAnswer: 'The payment service does not answer.|Check your connection, then try again.',
  ask: 'Still not working? Contact the shop you came from.',
  back: 'Back to the shop',
};
