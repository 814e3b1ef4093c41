/** The open prompt of the mobile-money tab, in English. Text before `|` is bold. */
export const phonePromptStrings = {
  title: 'Confirm on your phone',
  text: '{operator} has sent a prompt to {number}. Approve {amount} with your PIN. Enter the PIN only on your phone.',
  details: 'Prompt on your phone',
  amount: 'You pay',
  due: 'The shop asks for',
  to: 'Prompt sent to',
  ends: 'The prompt ends in {time}',
  ended: 'The prompt has ended.|We’re asking {operator} whether you approved it. This takes seconds, rarely a minute.',
  help: 'No prompt on your phone?',
  helpText:
    'Check that the phone with this number is on and has signal. Unlock it and wait half a minute. If nothing appears, let the prompt end and try again.',
  twice: 'Want to pay another way? Refuse the prompt on your phone first, so that you do not pay twice.',
  other: 'Use another way to pay',
  shown: 'We’ve sent a prompt to your phone. Confirm it there.',
  /** The other tabs show this while the payer can still approve the prompt. */
  open: 'A prompt is open on your phone.|Refuse it there before you pay another way.',
};
