/** Messages when no payment can be shown, in English. Text before `|` is bold. */
export const troubleStrings = {
  notStarted: 'The payment could not be opened.|{message}',
  noAnswer: 'The payment service does not answer.|Check your connection, then try again.',
  ask: 'Still not working? Contact the shop you came from.',
  back: 'Back to the shop',
};
