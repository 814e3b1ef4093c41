/** The sentences of the way to the shop, in English. */
export const contactStrings = {
  write: 'Questions? Write to {address}',
  visit: 'Questions? {name} can help',
  ask: 'Questions? Ask {name}.',
};
