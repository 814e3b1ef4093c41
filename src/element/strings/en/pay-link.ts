/** The form of a payment link, in English. Text before `|` is bold. */
export const payLinkStrings = {
  choose: 'How much do you want to pay?',
  amount: 'Amount',
  currency: 'Currency',
  between: 'Between {min} and {max}',
  atLeast: '{min} or more',
  atMost: 'Up to {max}',
  amountMissing: 'Enter an amount.',
  amountWrong: 'Enter an amount of {currency}, like {example}.',
  closed: {
    used: 'This link has been paid.|If that was you, nothing more is due. If not, ask for a new link.',
    expired: 'This link has expired.|Ask for a new link.',
    disabled: 'This link cannot be paid just now.|The sender has switched it off.',
    not_started: 'This link cannot be paid yet.|Come back when it has begun: {date}.',
  },
  missing: 'This link does not exist.|The address may be incomplete. Ask the sender.',
  unreachable: 'The payment service does not answer.|Check your connection.',
};
