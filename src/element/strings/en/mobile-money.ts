/** The mobile-money tab, in English. Text before `|` is bold. */
export const mobileMoneyStrings = {
  intro: 'Pay from your phone.|We send a prompt to it, and you approve {amount} there with your PIN.',
  /** `{due}`: the amount in the shop's currency. */
  converted: 'This is {due} at today’s rate, rounded up.',
  country: 'Country',
  number: 'Phone number',
  operator: 'Who is your operator?',
  /** Names the operator that the number belongs to. */
  found: 'Your operator is {operator}.',
  missing: 'Enter your phone number.',
  short: 'This number is too short. Numbers in {country} have {digits} digits after {code}.',
  long: 'This number is too long. Numbers in {country} have {digits} digits after {code}.',
  foreign: 'This number is from a country that is not offered here. You can use a number from {countries}.',
  choose: 'Choose your operator.',
  /** Numbers may be ported, so this does not block the payer. */
  ported: 'This does not look like a number of {operator}. If you kept it when you changed operators, go on.',
  send: 'Send prompt to phone',
  /**
   * Why the last prompt took no money, and refusals of the service, by code. The service’s own message is shown for other
   * codes; the translations have more of them.
   */
  problems: {
    prompt_refused: 'You refused the prompt on your phone.|Nothing was taken. Try again, or pay another way.',
    wrong_pin: 'The PIN was wrong.|Nothing was taken. Try again with the PIN of your mobile-money account.',
    insufficient_funds: 'There is not enough money in this account.|Nothing was taken. Top it up, or pay another way.',
    prompt_expired: 'The prompt was not answered in time.|Nothing was taken. Keep your phone at hand and try again.',
    number_not_registered: 'This number has no mobile-money account.|Check the number, or choose another operator.',
    operator_limit:
      'The amount is over a limit of your account.|Nothing was taken. Ask your operator, or pay another way.',
    processing_error: 'Your operator could not do this.|Nothing was taken. Try again in a moment.',
    prompt_unanswered:
      'We don’t know yet whether the first prompt was paid.|Check your messages before you send another.',
    price_changed: 'The amount changed to {amount}.|Send the prompt?',
    prompt_open: 'A prompt is already open on this phone.|Answer it there, or wait until it ends.',
    too_many_attempts: 'This number got too many prompts.|Wait some minutes, or pay another way.',
    unavailable: 'Your operator does not answer.|Nothing was taken. Try again in a moment, or pay another way.',
    operator_unavailable:
      'Your operator does not answer.|Nothing was taken. Try again in a moment, or pay another way.',
  } as Readonly<Record<string, string>>,
};
