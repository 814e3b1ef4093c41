/** The pay button and the dialog of the modes `redirect` and `popup`, in English. */
export const launcherStrings = {
  pay: 'Pay {amount}',
  plain: 'Pay',
  dialog: 'Checkout',
  close: 'Close the checkout',
};
