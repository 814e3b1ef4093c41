/** Texts around the methods' panels, in English. */
export const panelStrings = {
  backTo: 'Back to {name}',
};
