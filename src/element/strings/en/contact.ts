/** The shop's contact, in English. */
export const contactStrings = {
  write: 'Questions? Write to {name}: {address}',
  visit: 'Questions? {name} can help',
  ask: 'Questions? Contact {name}, the shop you came from.',
  askUnknown: 'Questions? Contact the shop you came from.',
};
