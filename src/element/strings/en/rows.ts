/** Rows with a copy button, in English. */
export const rowStrings = {
  copy: 'Copy {label}',
  copied: '{label} copied',
  selected: 'Your browser does not let us copy. {label} is selected: copy it yourself.',
};
