/** The customer form, in English. */
export const detailsStrings = {
  title: 'Who is paying?',
  email: 'E-mail',
  emailHint: 'In case of questions',
  emailMissing: 'Enter your e-mail address.',
  emailWrong: 'Check the address: it should look like name@example.com.',
  name: 'Name',
  nameHint: 'First and last name',
  nameMissing: 'Enter your name.',
  next: 'Continue',
  failed: 'The payment could not be started.|{message}',
  unreachable: 'The payment service does not answer.|Check your connection and press Continue again.',
};
